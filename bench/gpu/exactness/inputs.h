/* What the generator and the comparison on a GPU share: the shape of a kernel's registers in memory, their
 * contents before it runs, and a hash of what it leaves. Plain C, no library. */
#ifndef LS_EXACTNESS_INPUTS_H
#define LS_EXACTNESS_INPUTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    EXACT_THREADS = 128,
    EXACT_REGISTERS = 6, /* of each class */
    EXACT_CLASSES = 6,
    EXACT_ROW = 8 * EXACT_REGISTERS * EXACT_CLASSES, /* bytes of a thread */
    EXACT_BYTES = EXACT_THREADS * EXACT_ROW,
};

/* Classes of registers: 32 and 64 bits, f32, f64, 16 bits, predicates. */
static const char exact_letters[] = "rqfdhp";

static inline uint64_t exact_next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* FNV-1a. */
static inline uint64_t exact_hash(const void *data, size_t size) {
    const unsigned char *at = data;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < size; k++) h = (h ^ at[k]) * UINT64_C(0x100000001b3);
    return h;
}

/* Random bits, and the values at which arithmetic changes its ways. */
static inline uint64_t exact_value(uint64_t *state, char class) {
    static const uint64_t f32[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0x7f7fffff, 1,          0x807fffff, 0x00800000, 0x4f000000,
                                   0xcf000000, 0x5f000000, 0x7fa12345, 0x3effffff};
    static const uint64_t f64[] = {0,
                                   UINT64_C(1) << 63,
                                   UINT64_C(0x3ff0000000000000),
                                   UINT64_C(0x7ff0000000000000),
                                   UINT64_C(0x7ff8000000000000),
                                   UINT64_C(0x7fefffffffffffff),
                                   1,
                                   UINT64_C(0x41e0000000000000),
                                   UINT64_C(0x43e0000000000000),
                                   UINT64_C(0xc3e0000000000000),
                                   UINT64_C(0x36a0000000000000)};
    static const uint64_t integers[] = {
        0, 1, UINT64_MAX, INT32_MAX, 0x80000000, INT64_MAX, UINT64_C(1) << 63, 31, 32, 255};
    static const uint64_t f16[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7bff,
                                   0x0001, 0x83ff, 0x0400, 0x3f80, 0x7f80, 0x7f7f, 0x0080, 0x5c00};
    uint64_t r = exact_next(state);
    unsigned how = (unsigned)(exact_next(state) % 4), pick = (unsigned)(r >> 32);
    if (how == 0 && class == 'f') return f32[pick % 16];
    if (how == 0 && class == 'd') return f64[pick % 11];
    if (how == 0 && class == 'h') return f16[pick % 16];
    if (how == 0) return integers[pick % 10];
    if (how == 1 && class == 'f') { /* of moderate size */
        float f = (float)(int32_t)r * 0x1p-20f;
        uint32_t b;
        memcpy(&b, &f, 4);
        return b;
    }
    if (how == 1 && class == 'd') {
        double d = (double)(int64_t)r * 0x1p-40;
        memcpy(&r, &d, 8);
        return r;
    }
    return how == 1 ? r & 0xff : r;
}

/* The registers of all threads before kernel n of the seed. */
static inline void exact_inputs(uint64_t seed, unsigned n, char *in) {
    uint64_t state = seed * 7000003 + n;
    for (unsigned t = 0; t < EXACT_THREADS; t++)
        for (unsigned c = 0; c < EXACT_CLASSES; c++)
            for (unsigned k = 0; k < EXACT_REGISTERS; k++) {
                uint64_t v = exact_value(&state, exact_letters[c]);
                memcpy(in + t * EXACT_ROW + 8 * (c * EXACT_REGISTERS + k), &v, 8);
            }
}

#endif
