/* What the files that are compiled once for each instruction set share (LANES_TARGET names it): short names
 * of types, names of functions, and masks as vectors. */
#ifndef LS_EMULATE_LANES_LANES_H
#define LS_EMULATE_LANES_LANES_H

#include "emulate/lanes/arithmetic.h"
#include "emulate/machine.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef LANES_TARGET
#define LANES_TARGET base
#endif
#define JOIN_(a, b)  a##b
#define JOIN(a, b)   JOIN_(a, b)
#define MEMORY_FN(n) JOIN(JOIN(em_lane_##n, _), LANES_TARGET)

#ifdef __clang__
#define INDEPENDENT /* its pragma is an order, and warns where the loop stays as it is */
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* --- Masks --- */
/* What is to be done for each lane l of the mask, which mostly is full. */
#define SOME_LANES(mask, ...)                                                                                \
    do {                                                                                                     \
        if ((mask) == UINT32_MAX)                                                                            \
            for (u32 l = 0; l < CHUNK; l++) {                                                                \
                __VA_ARGS__;                                                                                 \
            }                                                                                                \
        else                                                                                                 \
            FOR_LANES(l, mask) {                                                                             \
                __VA_ARGS__;                                                                                 \
            }                                                                                                \
    } while (0)

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

#endif
