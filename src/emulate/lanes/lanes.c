/* Vector loops over the lanes of a warp, one function for each row of ops.def. The file is compiled once for
 * each instruction set (LANES_TARGET names it); the compiler vectorises the loops. A full mask runs without
 * blending; else results are blended into the destination under the mask.
 *
 * Arithmetic is IEEE's; results that are NaN are the GPU's canonical NaN. */
#include "emulate/lanes/lanes.h"
#include "emulate/lanes/arithmetic.h"

/* --- One function a row --- */
/* Operands are pointers of their own, and the loops have no dependence between lanes: a destination is the
 * same register as a source, or another one. */
#define POINTER(T, x) const T *p##x = (const T *)(const void *)(w->regs + i->x)

#define LOOP(D, pointers, load, expr)                                                                        \
    D *pd = (D *)(void *)(w->regs + i->d);                                                                   \
    pointers;                                                                                                \
    const u32 n = w->halves;                                                                                 \
    if (is_full(w)) {                                                                                        \
        for (u32 h = 0; h < n; h++) {                                                                        \
            const size_t o = CHUNK * (size_t)h;                                                              \
            INDEPENDENT for (size_t k = 0; k < CHUNK; k++) {                                                 \
                const size_t l = o + k;                                                                      \
                load;                                                                                        \
                pd[l] = (D)(expr);                                                                           \
            }                                                                                                \
        }                                                                                                    \
    } else {                                                                                                 \
        for (u32 h = 0; h < n; h++) {                                                                        \
            const size_t o = CHUNK * (size_t)h;                                                              \
            const u32 mask = (u32)(w->mask >> o);                                                            \
            INDEPENDENT for (u32 k = 0; k < CHUNK; k++) {                                                    \
                const size_t l = o + k;                                                                      \
                load;                                                                                        \
                D r = (D)(expr), old = pd[l];                                                                \
                pd[l] = mask & 1u << k ? r : old;                                                            \
            }                                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    return i + 1;

#define OP1(name, D, A, expr)                                                                                \
    static const insn *lane_##name(warp *w, const insn *i) {                                                 \
        LOOP(D, POINTER(A, a), A a = pa[l], expr)                                                            \
    }
#define OP2(name, D, A, B, expr)                                                                             \
    static const insn *lane_##name(warp *w, const insn *i) {                                                 \
        LOOP(D, POINTER(A, a); POINTER(B, b), A a = pa[l]; B b = pb[l], expr)                                \
    }
#define OP3(name, D, A, B, C, expr)                                                                          \
    static const insn *lane_##name(warp *w, const insn *i) {                                                 \
        LOOP(D, POINTER(A, a); POINTER(B, b); POINTER(C, c), A a = pa[l]; B b = pb[l]; C c = pc[l], expr)    \
    }
#if defined(__AVX512F__)
/* 16 or 8 lanes at a time. */
#define INTEGERS(kind, a, b, relation)                                                                       \
    (u32) _mm512_cmp_##kind##_mask(_mm512_loadu_si512(a), _mm512_loadu_si512(b), relation)
#define COMPARE_u32(a, b, relation) INTEGERS(epu32, a, b, relation)
#define COMPARE_s32(a, b, relation) INTEGERS(epi32, a, b, relation)
#define COMPARE_u64(a, b, relation) INTEGERS(epu64, a, b, relation)
#define COMPARE_s64(a, b, relation) INTEGERS(epi64, a, b, relation)
#define COMPARE_f32(a, b, relation) (u32) _mm512_cmp_ps_mask(_mm512_loadu_ps(a), _mm512_loadu_ps(b), relation)
#define COMPARE_f64(a, b, relation) (u32) _mm512_cmp_pd_mask(_mm512_loadu_pd(a), _mm512_loadu_pd(b), relation)
#define CHUNK_FLAGS(T, relation, expr)                                                                       \
    ({                                                                                                       \
        u32 flags = 0;                                                                                       \
        for (u32 l = 0; l < CHUNK; l += 64 / sizeof(T))                                                      \
            flags |= COMPARE_##T(pa + o + l, pb + o + l, relation) << l;                                     \
        flags;                                                                                               \
    })
#else
#define CHUNK_FLAGS(T, relation, expr)                                                                       \
    ({                                                                                                       \
        u32 flags[CHUNK];                                                                                    \
        for (size_t l = 0; l < CHUNK; l++) {                                                                 \
            T a = pa[o + l], b = pb[o + l];                                                                  \
            flags[l] = (expr) ? ~0u : 0;                                                                     \
        }                                                                                                    \
        pack(flags);                                                                                         \
    })
#endif
#define CMP(name, T, relation, expr)                                                                         \
    static const insn *lane_##name(warp *w, const insn *i) {                                                 \
        u64 result = 0;                                                                                      \
        POINTER(T, a);                                                                                       \
        POINTER(T, b);                                                                                       \
        for (u32 h = 0; h < w->halves; h++) {                                                                \
            const size_t o = CHUNK * (size_t)h;                                                              \
            result |= (u64)CHUNK_FLAGS(T, relation, expr) << o;                                              \
        }                                                                                                    \
        u64 *d = slot64(w, i->d);                                                                            \
        *d = (*d & ~w->mask) | (result & w->mask);                                                           \
        return i + 1;                                                                                        \
    }
#include "emulate/lanes/ops.def"

/* --- Selection and predicates --- */
#if defined(__AVX512F__)
/* Stores are of all lanes: those under a mask are slow to be read again. */
#define SELP(T, step, lanes, blend)                                                                          \
    static inline void select_##T(T *d, const T *a, const T *b, u64 p, u64 mask, u32 n) {                    \
        for (u32 l = 0; l < n; l += step) {                                                                  \
            __m512i yes = _mm512_loadu_si512(a + l), no = _mm512_loadu_si512(b + l);                         \
            __m512i old = _mm512_loadu_si512(d + l), r = blend((lanes)(p >> l), no, yes);                    \
            _mm512_storeu_si512(d + l, blend((lanes)(mask >> l), old, r));                                   \
        }                                                                                                    \
    }
SELP(u32, 16, __mmask16, _mm512_mask_blend_epi32)
SELP(u64, 8, __mmask8, _mm512_mask_blend_epi64)
#else
#define SELP(T)                                                                                              \
    static inline void select_##T(T *d, const T *a, const T *b, u64 p, u64 mask, u32 n) {                    \
        for (u32 h = 0; h < n; h += CHUNK) {                                                                 \
            const u32 yes = (u32)(p >> h), write = (u32)(mask >> h);                                         \
            T *to = d + h;                                                                                   \
            const T *from = a + h, *other = b + h;                                                           \
            INDEPENDENT for (u32 l = 0; l < CHUNK; l++) {                                                    \
                const T r = yes >> l & 1 ? from[l] : other[l], old = to[l];                                  \
                to[l] = write >> l & 1 ? r : old;                                                            \
            }                                                                                                \
        }                                                                                                    \
    }
SELP(u32)
SELP(u64)
#endif

static const insn *lane_SELP_32(warp *w, const insn *i) {
    const u64 p = *slot64(w, i->c) ^ (i->guard_not ? ~UINT64_C(0) : 0);
    select_u32(slot32(w, i->d), slot32(w, i->a), slot32(w, i->b), p, w->mask, w->stride);
    return i + 1;
}
static const insn *lane_SELP_64(warp *w, const insn *i) {
    const u64 p = *slot64(w, i->c) ^ (i->guard_not ? ~UINT64_C(0) : 0);
    select_u64(slot64(w, i->d), slot64(w, i->a), slot64(w, i->b), p, w->mask, w->stride);
    return i + 1;
}

#define PREDICATE(name, expr)                                                                                \
    static const insn *lane_##name(warp *w, const insn *i) {                                                 \
        u64 a = *slot64(w, i->a), b = *slot64(w, i->b), *d = slot64(w, i->d);                                \
        *d = (*d & ~w->mask) | ((expr) & w->mask);                                                           \
        (void)b;                                                                                             \
        return i + 1;                                                                                        \
    }
PREDICATE(MOV_PRED, a)
PREDICATE(NOT_PRED, ~a)
PREDICATE(AND_PRED, a &b)
PREDICATE(OR_PRED, a | b)
PREDICATE(XOR_PRED, a ^ b)

/* Any function of three bits, from its table: choices by c, then b, then a. */
#define PICK(zero, one, by) ((zero) ^ (((zero) ^ (one)) & (by)))
static const insn *lane_LOP3_32(warp *w, const insn *i) {
    u32 m[8];
    for (u32 k = 0; k < 8; k++) m[k] = 0 - (u32)(i->aux >> k & 1);
    const u32 m0 = m[0], m1 = m[1], m2 = m[2], m3 = m[3], m4 = m[4], m5 = m[5], m6 = m[6], m7 = m[7];
    LOOP(u32, POINTER(u32, a); POINTER(u32, b); POINTER(u32, c), const u32 a = pa[l]; const u32 b = pb[l];
         const u32 c = pc[l]; const u32 low = PICK(PICK(m0, m1, c), PICK(m2, m3, c), b);
         const u32 high = PICK(PICK(m4, m5, c), PICK(m6, m7, c), b), PICK(low, high, a))
}

static const insn *lane_PACK_64(warp *w, const insn *i) {
    LOOP(u64, POINTER(u32, a); POINTER(u32, b), u32 a = pa[l]; u32 b = pb[l], (u64)b << 32 | a)
}

static const insn *lane_UNPACK_64(warp *w, const insn *i) {
    u32 *low = slot32(w, i->d), *high = slot32(w, i->b);
    const u64 *a = slot64(w, i->a);
    if (w->expanded != w->mask) expand(w);
    for (u32 l = 0; l < CHUNK * w->halves; l++) {
        u64 x = a[l];
        low[l] = w->mask32[l] ? (u32)x : low[l];
        high[l] = w->mask32[l] ? (u32)(x >> 32) : high[l];
    }
    return i + 1;
}

/* A register with one assignment (decode/affine.c): lanes that do not execute it do not read it either. */
#define SUM(T)                                                                                               \
    T *d = (T *)(void *)(w->regs + i->d);                                                                    \
    POINTER(T, a);                                                                                           \
    const T add = (T)w->block->values[i->b];                                                                 \
    for (u32 h = 0; h < w->halves; h++) {                                                                    \
        const size_t o = CHUNK * (size_t)h;                                                                  \
        INDEPENDENT for (size_t k = 0; k < CHUNK; k++) d[o + k] = pa[o + k] + add;                           \
    }                                                                                                        \
    return i + 1;
static const insn *lane_SUM_32(warp *w, const insn *i) {
    SUM(u32)
}
static const insn *lane_SUM_64(warp *w, const insn *i) {
    SUM(u64)
}

/* --- The table --- */
#define MEMORY(name) extern const insn *MEMORY_FN(name)(warp * w, const insn *i);
#include "emulate/lanes/ops.def"

extern const exec_fn JOIN(em_lanes_, LANES_TARGET)[LANE_COUNT];
const exec_fn JOIN(em_lanes_, LANES_TARGET)[LANE_COUNT] = {
#define OP1(name, D, A, expr)        [LANE_##name] = lane_##name,
#define OP2(name, D, A, B, expr)     [LANE_##name] = lane_##name,
#define OP3(name, D, A, B, C, expr)  [LANE_##name] = lane_##name,
#define CMP(name, T, relation, expr) [LANE_##name] = lane_##name,
#define SPECIAL(name)                [LANE_##name] = lane_##name,
#define MEMORY(name)                 [LANE_##name] = MEMORY_FN(name),
#include "emulate/lanes/ops.def"
};
