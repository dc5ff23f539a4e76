/* Sparse products (PTX ISA, "mma.sp instruction with sparse matrix A"): half of A's elements are zero and
 * left out. Four bits of metadata stand for four elements of a row (of 16 or 8 bits; for eight of 4 bits,
 * which go in pairs; for two of tf32, which count double) and hold two indices: where the elements that are
 * there belong. Of four neighbouring lanes as many as are needed hold the metadata of two rows eight apart,
 * and the selector says which: 16 bits of either row in each lane, or the whole word of one row and the next
 * lane's of the other where elements are of 8 or 4 bits. */
#include "emulate/machine.h"
#include "emulate/matrix/fragment.h"

uint32_t em_sparse_nibbles(const product_info *m) {
    return m->a.of.bits == 4 ? m->k / 8u : m->a.of.bits == 32 ? m->k / 2u : m->k / 4u;
}

static uint32_t nibble(const warp *w, const product_info *m, uint32_t row, uint32_t n) {
    uint32_t lane = row % 8 * 4 + m->selector * (em_sparse_nibbles(m) / 4), bit;
    if (m->a.of.bits >= 16) {
        lane += n / 4;
        bit = row / 8 * 16 + n % 4 * 4;
    } else {
        lane += row / 8 + n / 8 * 2;
        bit = n % 8 * 4;
    }
    return (uint32_t)(read_lane(w, m->metadata, lane) >> bit) & 15;
}

void em_sparse_choose(const warp *w, const product_info *m, uint32_t row, const uint64_t *column,
                      uint64_t *chosen) {
    uint32_t nibbles = em_sparse_nibbles(m), wide = m->k / nibbles;
    for (uint32_t n = 0; n < nibbles; n++) {
        uint32_t bits = nibble(w, m, row, n), index[2] = {bits & 3, bits >> 2};
        const uint64_t *from = column + n * wide;
        for (uint32_t e = 0; e < wide / 2; e++) {
            uint32_t at = wide == 2 ? index[0] / 2 : wide == 4 ? index[e] : 2 * index[e / 2] + e % 2;
            *chosen++ = from[at];
        }
    }
}
