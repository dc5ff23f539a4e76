/* Vector loops over the lanes of a warp, one function for each row of ops.def. The file is compiled once for
 * each instruction set (LANES_TARGET names it); the compiler vectorises the loops. A full mask runs without
 * blending; else results are blended into the destination under the mask.
 *
 * Arithmetic is IEEE's; results that are NaN are the GPU's canonical NaN. */
#include "emulate/lanes/lanes.h"

#include <math.h>

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
static inline u64 div_s64(u64 a, u64 b) {
    if (!b) return ~UINT64_C(0);
    return b == ~UINT64_C(0) ? 0 - a : (u64)((s64)a / (s64)b);
}
static inline u64 rem_s64(u64 a, u64 b) {
    if (!b) return ~UINT64_C(0);
    return b == ~UINT64_C(0) ? 0 : (u64)((s64)a % (s64)b);
}
/* --- Bits --- */
static inline u32 reversed(u32 x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
static inline u32 extract_u32(u32 a, u32 from, u32 length) {
    u32 r = from > 31 ? 0 : a >> (from & 31);
    return length > 31 ? r : r & ((1u << (length & 31)) - 1);
}
/* Bits beyond the field, or beyond the last one, are the field's sign. */
static inline u32 extract_s32(u32 a, u32 from, u32 length) {
    s32 rest = (s32)a >> (from > 31 ? 31 : from);
    u32 unused = 32 - (length & 31);
    s32 field = (s32)((u32)rest << (unused & 31)) >> (unused & 31);
    s32 r = from + length >= 32 ? rest : field;
    return length ? (u32)r : 0;
}
static inline u32 field_32(u32 from, u32 length) {
    u32 ones = length > 31 ? ~0u : (1u << (length & 31)) - 1;
    return from > 31 ? 0 : ones << (from & 31);
}
static inline u64 field_64(u32 from, u32 length) {
    u64 ones = length > 63 ? ~UINT64_C(0) : (UINT64_C(1) << (length & 63)) - 1;
    return from > 63 ? 0 : ones << (from & 63);
}
#define PART(A, B, a, b, k) ((u32)((s32)(A)((a) >> (k)) * (s32)(B)((b) >> (k))))
#define dot(A, B, a, b)                                                                                      \
    (PART(A, B, a, b, 0) + PART(A, B, a, b, 8) + PART(A, B, a, b, 16) + PART(A, B, a, b, 24))
static inline u32 permuted(u32 a, u32 b, u32 picks) {
    const u64 both = (u64)b << 32 | a;
    u32 r = 0;
    for (u32 k = 0; k < 4; k++) {
        u32 pick = picks >> (4 * k), byte = (u32)(both >> (8 * (pick & 7))) & 0xff;
        byte = pick & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
        r |= byte << (8 * k);
    }
    return r;
}

/* --- Floating point --- */
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
/* A result is subnormal if it is after rounding to 24 bits, as if there were no smallest exponent: that is
 * seen on the same operation with its operands scaled up. (Where scaling overflows the result is not small.)
 */
static inline f32 ftz_scaled(f32 x, f32 scaled) {
    return __builtin_fabsf(scaled) < 0x1p-94f ? __builtin_copysignf(0.0f, x) : x;
}
static inline f32 mul_ftz(f32 a, f32 b) {
    return ftz_scaled(a * b, a * 0x1p32f * b);
}
static inline f32 fma_ftz(f32 a, f32 b, f32 c) {
    return ftz_scaled(__builtin_fmaf(a, b, c), __builtin_fmaf(a * 0x1p32f, b, c * 0x1p32f));
}
static inline f32 div_ftz(f32 a, f32 b) {
    return ftz_scaled(a / b, a * 0x1p32f / b);
}
static inline f32 rsqrt_f32(f32 a) {
    return 1.0f / __builtin_sqrtf(a);
}
static inline u64 bits64(f64 x) {
    u64 b;
    memcpy(&b, &x, 8);
    return b;
}
/* One NaN is no number: the other operand. -0 is less than +0. */
#define EXTREME(name, F, U, bits, relation, joint, nan)                                                      \
    static inline U name(F a, F b) {                                                                         \
        U x = bits(a), y = bits(b), which = a relation b ? x : y;                                            \
        U equal = a == b ? (x joint y) : which;                                                              \
        U number = a != a ? y : equal;                                                                       \
        number = b != b ? x : number;                                                                        \
        return ((a != a) & (b != b)) ? (nan) : number;                                                       \
    }
EXTREME(min_f32, f32, u32, bits32, <, |, 0x7fffffffu)
EXTREME(max_f32, f32, u32, bits32, >, &, 0x7fffffffu)
EXTREME(min_f64, f64, u64, bits64, <, |, UINT64_C(0x7ff8000000000000))
EXTREME(max_f64, f64, u64, bits64, >, &, UINT64_C(0x7ff8000000000000))

/* --- Half precision --- */
static inline f32 from_f16(u32 h) {
    u32 magnitude = (h & 0x7fff) << 13, top = (h & 0x7c00) == 0x7c00 ? 0x7f800000u : 0;
    return as_f32(bits32(as_f32(magnitude) * 0x1p112f) | top | (h & 0x8000) << 16);
}
/* To nearest even: in units of the last place, or of 2^-24 where it is subnormal. */
static inline u32 to_f16(f32 a) {
    u32 x = bits32(a) & 0x7fffffffu, sign = bits32(a) >> 16 & 0x8000;
    u32 normal = (x + 0xfff + (x >> 13 & 1) - 0x38000000u) >> 13;
    u32 small = bits32(as_f32(x) + 0.5f) - 0x3f000000u;
    u32 r = x < 0x38800000u ? small : normal;
    r = x >= 0x477ff000u ? 0x7c00 : r;
    return x > 0x7f800000u ? 0x7fff : r | sign;
}
static inline u32 to_bf16(f32 a) {
    u32 x = bits32(a);
    return a != a ? 0x7fff : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}
/* Twice as many bits and two: what is rounded to 24 bits first is rounded to 11 as the exact result is. */
static inline u32 add_f16(u32 a, u32 b) {
    return to_f16(from_f16(a) + from_f16(b));
}
static inline u32 sub_f16(u32 a, u32 b) {
    return to_f16(from_f16(a) - from_f16(b));
}
static inline u32 mul_f16(u32 a, u32 b) {
    return to_f16(from_f16(a) * from_f16(b));
}
/* The product is exact; the sum is rounded to odd, by its error. */
static inline u32 fma_f16(u32 a, u32 b, u32 c) {
    f32 p = from_f16(a) * from_f16(b), q = from_f16(c), s = p + q, t = s - p;
    f32 error = (p - (s - t)) + (q - t);
    u32 x = bits32(s), inexact = (error > 0) | (error < 0);
    u32 odd = (error > 0) == (s > 0) ? x + 1 : x - 1;
    return to_f16(as_f32(inexact & ~x & 1 ? odd : x));
}
static inline u32 min_f16(u32 a, u32 b) {
    return to_f16(as_f32(min_f32(from_f16(a), from_f16(b))));
}
static inline u32 max_f16(u32 a, u32 b) {
    return to_f16(as_f32(max_f32(from_f16(a), from_f16(b))));
}

/* --- Floating point to integers --- */
static inline u32 f32_to_u32(f32 a) {
    f32 low = a > 0 ? a : 0.0f; /* NaN too */
    u32 in_range = (u32)(low < 4294967040.0f ? low : 4294967040.0f);
    return low >= 4294967296.0f ? UINT32_MAX : in_range;
}
/* NaN is the lowest. */
static inline s32 f64_to_s32(f64 a) {
    f64 low = a > -2147483648.0 ? a : -2147483648.0;
    return (s32)(low < 2147483647.0 ? low : 2147483647.0);
}
/* Towards zero, saturating; NaN is 0. */
static inline s32 f32_to_s32(f32 a) {
    f32 low = a < -2147483648.0f ? -2147483648.0f : a;
    s32 in_range = (s32)(low < 2147483520.0f ? low : 2147483520.0f);
    s32 high = a >= 2147483648.0f ? INT32_MAX : in_range;
    return a == a ? high : 0;
}

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
