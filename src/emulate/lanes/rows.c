/* Whole rows whose lanes are at known distances, between compiled code and the frame (compiled.h). */
#include "emulate/lanes/arithmetic.h"
#include "emulate/machine.h"

#ifndef LANES_TARGET
#define LANES_TARGET base
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#define EACH_LANE for (u32 l = 0; l < CHUNK; l++)

static void spread32(u32 *restrict row, u32 base, const int64_t *offsets, u32 lanes) {
    if (lanes == UINT32_MAX)
        EACH_LANE row[l] = base + (u32)offsets[l];
    else
        EACH_LANE row[l] = lanes >> l & 1 ? base + (u32)offsets[l] : row[l];
}

static void spread64(u64 *restrict row, u64 base, const int64_t *offsets, u32 lanes) {
    if (lanes == UINT32_MAX)
        EACH_LANE row[l] = base + (u64)offsets[l];
    else
        EACH_LANE row[l] = lanes >> l & 1 ? base + (u64)offsets[l] : row[l];
}

static u32 differ32(const u32 *row, u32 base, const int64_t *offsets, u32 lanes) {
    u32 wrong = 0;
    EACH_LANE wrong |= (row[l] - base - (u32)offsets[l]) & (0 - (lanes >> l & 1));
    return wrong != 0;
}

static u32 differ64(const u64 *row, u64 base, const int64_t *offsets, u32 lanes) {
    u64 wrong = 0;
    EACH_LANE wrong |= (row[l] - base - (u64)offsets[l]) & (0 - (u64)(lanes >> l & 1));
    return wrong != 0;
}

static u32 share(const u64 *address, u32 shift) {
    u32 piece[2 * CHUNK], same = 0;
    EACH_LANE piece[l] = piece[CHUNK + l] = (u32)(address[l] >> shift);
    for (u32 by = 1; by <= CHUNK / 2; by++) EACH_LANE same |= piece[l] == piece[l + by];
    return same;
}

const row_ops JOIN(em_rows_, LANES_TARGET) = {spread32, spread64, differ32, differ64, share};
