/* Vector loops over the lanes of a warp, one function for each row of ops.def. The file is compiled once for
 * each instruction set (LANES_TARGET names it); the compiler vectorises the loops. A full mask runs without
 * blending; else results are blended into the destination under the mask, expanded once per mask.
 *
 * Arithmetic is IEEE's; results that are NaN are the GPU's canonical NaN. */
#include "emulate/machine.h"

#include <math.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef LANES_TARGET
#define LANES_TARGET base
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;

/* --- Arithmetic that C has no operator for --- */
static inline u64 mulhi_u64(u64 a, u64 b) {
    return (u64)((unsigned __int128)a * b >> 64);
}
static inline u64 mulhi_s64(u64 a, u64 b) {
    return (u64)((__int128)(s64)a * (s64)b >> 64);
}
static inline u32 div_s32(u32 a, u32 b) {
    if (!b) return 0xffffffffu;
    return b == 0xffffffffu ? 0 - a : (u32)((s32)a / (s32)b);
}
static inline u32 rem_s32(u32 a, u32 b) {
    if (!b) return 0xffffffffu;
    return b == 0xffffffffu ? 0 : (u32)((s32)a % (s32)b);
}
static inline f32 as_f32(u32 x) {
    f32 f;
    memcpy(&f, &x, 4);
    return f;
}
static inline u32 bits32(f32 x) {
    u32 b;
    memcpy(&b, &x, 4);
    return b;
}
static inline f32 canon32(f32 x) {
    return x == x ? x : as_f32(0x7fffffff);
}
static inline bool is_nan64(u64 x) {
    return (x & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000);
}
static inline f32 ftz(f32 x) {
    return (bits32(x) & 0x7f800000u) ? x : as_f32(bits32(x) & 0x80000000u);
}
static inline f32 rsqrt_f32(f32 a) {
    return 1.0f / __builtin_sqrtf(a);
}
/* One NaN is no number: the other operand. -0 is less than +0. */
static inline u32 min_f32(f32 a, f32 b) {
    u32 x = bits32(a), y = bits32(b);
    u32 less = a < b ? x : y;
    u32 equal = a == b ? (x | y) : less;
    u32 number = a != a ? y : equal;
    number = b != b ? x : number;
    return ((a != a) & (b != b)) ? 0x7fffffffu : number;
}
static inline u32 max_f32(f32 a, f32 b) {
    u32 x = bits32(a), y = bits32(b);
    u32 more = a > b ? x : y;
    u32 equal = a == b ? (x & y) : more;
    u32 number = a != a ? y : equal;
    number = b != b ? x : number;
    return ((a != a) & (b != b)) ? 0x7fffffffu : number;
}
/* Towards zero, saturating; NaN is 0. */
static inline s32 f32_to_s32(f32 a) {
    f32 low = a < -2147483648.0f ? -2147483648.0f : a;
    s32 in_range = (s32)(low < 2147483520.0f ? low : 2147483520.0f);
    s32 high = a >= 2147483648.0f ? INT32_MAX : in_range;
    return a == a ? high : 0;
}

/* --- Masks --- */
static __attribute__((noinline)) void expand(warp *w) {
    u32 low = (u32)w->mask, high = (u32)(w->mask >> 32);
    for (u32 l = 0; l < CHUNK; l++) w->mask32[l] = 0 - (low >> l & 1);
    if (w->halves > 1)
        for (u32 l = 0; l < CHUNK; l++) w->mask32[CHUNK + l] = 0 - (high >> l & 1);
    for (u32 l = 0; l < MAX_LANES; l++) w->mask64[l] = (u64)(s64)(s32)w->mask32[l];
    w->expanded = w->mask;
}

static inline u32 pack(const u32 *flags) { /* all ones or zero each */
#if defined(__AVX512F__)
    __m512i low = _mm512_loadu_si512(flags), high = _mm512_loadu_si512(flags + 16);
    return (u32)_mm512_test_epi32_mask(low, low) | (u32)_mm512_test_epi32_mask(high, high) << 16;
#elif defined(__AVX2__)
    u32 mask = 0;
    for (int k = 0; k < 4; k++)
        mask |= (u32)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(const void *)(flags + 8 * k)))
                << (8 * k);
    return mask;
#elif defined(__SSE2__)
    u32 mask = 0;
    for (int k = 0; k < 8; k++)
        mask |= (u32)_mm_movemask_ps(_mm_loadu_ps((const float *)(const void *)(flags + 4 * k))) << (4 * k);
    return mask;
#else
    u32 mask = 0;
    for (u32 l = 0; l < CHUNK; l++) mask |= (flags[l] & 1) << l;
    return mask;
#endif
}

static inline bool is_full(const warp *w) {
    return w->mask == w->full;
}

/* --- One function a row --- */
#define MASK_OF(w, D) (sizeof(D) == 4 ? (const void *)(w)->mask32 : (const void *)(w)->mask64)
#define BITS_u32      u32
#define BITS_s32      u32
#define BITS_f32      u32
#define BITS_u64      u64
#define BITS_s64      u64
#define BITS_f64      u64

/* Operands are pointers of their own, and the loops have no dependence between lanes: a destination is the
 * same register as a source, or another one. */
#define POINTER(T, x) const T *p##x = (const T *)(const void *)(w->regs + i->x)

#ifdef __clang__
#define INDEPENDENT /* its pragma is an order, and warns where the loop stays as it is */
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

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
        if (w->expanded != w->mask) expand(w);                                                               \
        const BITS_##D *m = (const BITS_##D *)MASK_OF(w, D);                                                 \
        for (u32 h = 0; h < n; h++) {                                                                        \
            const size_t o = CHUNK * (size_t)h;                                                              \
            INDEPENDENT for (size_t k = 0; k < CHUNK; k++) {                                                 \
                const size_t l = o + k;                                                                      \
                load;                                                                                        \
                D r = (D)(expr), old = pd[l];                                                                \
                pd[l] = m[l] ? r : old;                                                                      \
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
#define CMP(name, T, expr)                                                                                   \
    static const insn *lane_##name(warp *w, const insn *i) {                                                 \
        u64 result = 0;                                                                                      \
        POINTER(T, a);                                                                                       \
        POINTER(T, b);                                                                                       \
        for (u32 h = 0; h < w->halves; h++) {                                                                \
            u32 flags[CHUNK];                                                                                \
            const size_t o = CHUNK * (size_t)h;                                                              \
            for (size_t l = 0; l < CHUNK; l++) {                                                             \
                T a = pa[o + l], b = pb[o + l];                                                              \
                flags[l] = (expr) ? ~0u : 0;                                                                 \
            }                                                                                                \
            result |= (u64)pack(flags) << o;                                                                 \
        }                                                                                                    \
        u64 *d = slot64(w, i->d);                                                                            \
        *d = (*d & ~w->mask) | (result & w->mask);                                                           \
        return i + 1;                                                                                        \
    }
#define SPECIAL(name)
#include "emulate/ops.def"
#undef OP1
#undef OP2
#undef OP3
#undef CMP
#undef SPECIAL

/* --- Selection and predicates --- */
#define SELP(name, T)                                                                                        \
    static const insn *lane_##name(warp *w, const insn *i) {                                                 \
        u64 p = *slot64(w, i->c);                                                                            \
        if (i->guard_not) p = ~p;                                                                            \
        T choice[MAX_LANES];                                                                                 \
        for (u32 h = 0; h < w->halves; h++) {                                                                \
            const u32 half = (u32)(p >> (CHUNK * h));                                                        \
            for (size_t l = 0; l < CHUNK; l++) choice[CHUNK * (size_t)h + l] = (T)0 - (T)(half >> l & 1);    \
        }                                                                                                    \
        LOOP(T, POINTER(T, a); POINTER(T, b), T a = pa[l]; T b = pb[l], (a & choice[l]) | (b & ~choice[l]))  \
    }
SELP(SELP_32, u32)
SELP(SELP_64, u64)

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

/* --- Memory: the common accesses --- */
/* Loads and stores of elements of 32 or 64 bits, also in vectors. Anything unusual goes to the general ones:
 * addresses outside of the allocation that was used last, and misaligned ones. */
typedef struct {
    u64 low, high; /* of all active lanes */
    bool contiguous;
} span;

/* Addresses of all lanes (inactive ones get an active one's) and their range. */
static inline span addresses(warp *w, const insn *i, u32 bytes, u64 *out) {
    const mem_access *m = i->extra;
    const size_t n = CHUNK * (size_t)w->halves;
    const u64 off = (u64)m->offset;
    if (m->address_width == 8) {
        const u64 *reg = slot64(w, i->a);
        for (size_t l = 0; l < n; l++) out[l] = reg[l] + off;
    } else {
        const u32 *reg = slot32(w, i->a);
        for (size_t l = 0; l < n; l++) out[l] = (u32)(reg[l] + (u32)off);
    }
    if (is_full(w) && w->full == 0xffffffffu) {
        u64 first = out[0], differ = 0;
        for (size_t l = 0; l < CHUNK; l++) differ |= out[l] ^ (first + (u64)l * bytes);
        if (!differ) return (span){first, first + CHUNK * (u64)bytes - bytes, true};
    } else {
        if (w->expanded != w->mask) expand(w);
        u64 first = out[first_lane(w->mask)];
        for (size_t l = 0; l < n; l++) out[l] = w->mask64[l] ? out[l] : first;
    }
    u64 low = ~UINT64_C(0), high = 0;
    for (size_t l = 0; l < n; l++) low = out[l] < low ? out[l] : low;
    for (size_t l = 0; l < n; l++) high = out[l] > high ? out[l] : high;
    return (span){low, high, false};
}

static inline u64 misaligned(const warp *w, const u64 *a, u32 bytes, const span *s) {
    if (s->contiguous) return s->low & (bytes - 1);
    u64 bits = 0;
    for (size_t l = 0; l < CHUNK * (size_t)w->halves; l++) bits |= a[l];
    return bits & (bytes - 1);
}

/* Whether the fast way may be taken: in bounds and aligned. */
static inline bool is_plain(const warp *w, const mem_access *m, const span *s, const u64 *a, u32 bytes) {
    const memory_stats *k = &w->worker->memory[m->memory_site];
    if (s->low < k->lo || s->high + bytes > k->hi || s->high + bytes < bytes) return false;
    return !misaligned(w, a, bytes, s);
}

/* Of a read of shared words, the lanes whose cells it does not change: written in an earlier interval, and
 * read by several threads in this one already. */
static inline u64 unsettled(const warp *w, const mem_access *m, const u64 *a) {
    const block_run *b = w->block;
    if (!b->shadow || b->clocks || m->bytes != 4 || m->count != 1 || w->machine->shared_shift != 2)
        return w->mask;
    const u32 all = ((1u << CELL_DESC_BITS) - 1) << CELL_LANE_BITS, limit = b->epoch_desc << CELL_LANE_BITS;
    const u64 *cells = (const u64 *)(const void *)b->shadow; /* write in the low half, read in the high one */
    u64 open = 0;
    for (u32 h = 0; h < w->halves; h++) {
        u32 flags[CHUNK];
        for (size_t l = 0; l < CHUNK; l++) {
            u64 c = cells[a[CHUNK * (size_t)h + l] >> 2];
            u32 write = (u32)c, read = (u32)(c >> 32);
            u32 settled = (u32)(write != 0) & (u32)((write & all) < limit) & (u32)((read & CELL_MANY) != 0) &
                          (u32)((read & all) >= limit);
            flags[l] = settled - 1; /* all ones where it is not */
        }
        open |= (u64)pack(flags) << (CHUNK * h);
    }
    return open & w->mask;
}
#define UNSETTLED_SHARED(w, m, a) unsettled(w, m, a)
#define UNSETTLED_GLOBAL(w, m, a) (w)->mask

#define LOAD(suffix, T, SPACE, BASE)                                                                         \
    static const insn *lane_LD_##SPACE##_##suffix(warp *w, const insn *i) {                                  \
        const mem_access *m = i->extra;                                                                      \
        const u32 bytes = (u32)sizeof(T) * m->count;                                                         \
        u64 a[MAX_LANES];                                                                                    \
        span s = addresses(w, i, bytes, a);                                                                  \
        if (!is_plain(w, m, &s, a, bytes)) return em_exec_load(w, i);                                        \
        if (m->checked) em_check_access(w, m, LS_SPACE_##SPACE, a, w->mask, UNSETTLED_##SPACE(w, m, a));     \
        const uintptr_t base = BASE;                                                                         \
        const size_t n = CHUNK * (size_t)w->halves;                                                          \
        for (u32 k = 0; k < m->count; k++) {                                                                 \
            T *d = (T *)(void *)(w->regs + m->value[k].slot);                                                \
            const uintptr_t at = base + k * sizeof(T);                                                       \
            if (s.contiguous && m->count == 1) {                                                             \
                memcpy(d, (const char *)(at + s.low), CHUNK * sizeof(T));                                    \
            } else if (s.low == s.high) {                                                                    \
                T one = *(const T *)(at + s.low);                                                            \
                if (is_full(w)) {                                                                            \
                    for (size_t l = 0; l < n; l++) d[l] = one;                                               \
                } else {                                                                                     \
                    const T *mask = MASK_OF(w, T);                                                           \
                    for (size_t l = 0; l < n; l++) d[l] = mask[l] ? one : d[l];                              \
                }                                                                                            \
            } else if (is_full(w)) {                                                                         \
                for (size_t l = 0; l < n; l++) d[l] = *(const T *)(at + a[l]);                               \
            } else {                                                                                         \
                FOR_LANES(l, w->mask) d[l] = *(const T *)(at + a[l]);                                        \
            }                                                                                                \
        }                                                                                                    \
        return i + 1;                                                                                        \
    }
#define STORE(suffix, T, SPACE, BASE)                                                                        \
    static const insn *lane_ST_##SPACE##_##suffix(warp *w, const insn *i) {                                  \
        const mem_access *m = i->extra;                                                                      \
        const u32 bytes = (u32)sizeof(T) * m->count;                                                         \
        u64 a[MAX_LANES];                                                                                    \
        span s = addresses(w, i, bytes, a);                                                                  \
        if (!is_plain(w, m, &s, a, bytes)) return em_exec_store(w, i);                                       \
        if (m->checked) em_check_access(w, m, LS_SPACE_##SPACE, a, w->mask, w->mask);                        \
        const uintptr_t base = BASE;                                                                         \
        for (u32 k = 0; k < m->count; k++) {                                                                 \
            const T *v = (const T *)(const void *)(w->regs + m->value[k].slot);                              \
            const uintptr_t at = base + k * sizeof(T);                                                       \
            if (s.contiguous && m->count == 1) {                                                             \
                memcpy((char *)(at + s.low), v, CHUNK * sizeof(T));                                          \
            } else {                                                                                         \
                FOR_LANES(l, w->mask) * (T *)(at + a[l]) = v[l];                                             \
            }                                                                                                \
        }                                                                                                    \
        return i + 1;                                                                                        \
    }
#define SHARED_BASE ((uintptr_t)w->block->shared)
LOAD(32, u32, GLOBAL, 0)
LOAD(64, u64, GLOBAL, 0)
LOAD(32, u32, SHARED, SHARED_BASE)
LOAD(64, u64, SHARED, SHARED_BASE)
STORE(32, u32, GLOBAL, 0)
STORE(64, u64, GLOBAL, 0)
STORE(32, u32, SHARED, SHARED_BASE)
STORE(64, u64, SHARED, SHARED_BASE)

/* --- The table --- */
extern const exec_fn JOIN(em_lanes_, LANES_TARGET)[LANE_COUNT];
const exec_fn JOIN(em_lanes_, LANES_TARGET)[LANE_COUNT] = {
#define OP1(name, D, A, expr)       [LANE_##name] = lane_##name,
#define OP2(name, D, A, B, expr)    [LANE_##name] = lane_##name,
#define OP3(name, D, A, B, C, expr) [LANE_##name] = lane_##name,
#define CMP(name, T, expr)          [LANE_##name] = lane_##name,
#define SPECIAL(name)               [LANE_##name] = lane_##name,
#include "emulate/ops.def"
};
