/* Matrix descriptors: pieces of 16 bytes, eight of which make a core matrix; rows of 16, 32, 64 or 128 bytes,
 * in the latter three cases with the pieces exchanged (swizzled) by address bits 7 to 9. */
#include "emulate/matrix/descriptor.h"

#include <string.h>

bool em_matrix_layout(uint64_t descriptor, matrix_layout *l) {
    static const uint8_t rows[] = {16, 128, 64, 32};
    *l = (matrix_layout){.start = (uint32_t)(descriptor & 0x3fff) << 4,
                         .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                         .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                         .row = rows[descriptor >> 62]};
    return !(descriptor >> 49 & 7);
}

uint32_t em_matrix_piece(const matrix_layout *l, bool along_k, uint32_t outer, uint32_t piece) {
    uint32_t core = outer / 8, in_core = outer % 8, at, per_row = l->row / 16;
    if (along_k)
        at = core * l->stride +
             (l->row == 16 ? in_core * 16 + piece * l->leading : in_core * l->row + piece * 16);
    else if (l->row == 16)
        at = piece * l->stride + in_core * 16 + core * l->leading;
    else
        at = piece % per_row * 16 + piece / per_row * l->leading + in_core * l->row + core * l->stride;
    at += l->start;
    return at ^ (at >> 3 & (per_row - 1) << 4);
}

void em_matrix_spread(const matrix_source *s, uint32_t bits, uint32_t outer, uint32_t piece,
                      const char *bytes, matrix_tile *to) {
    uint32_t per = 128 / bits;
    uint64_t sign = s->negated ? UINT64_C(1) << (bits - 1) : 0;
    for (uint32_t e = 0; e < per; e++) {
        uint64_t v = 0;
        memcpy(&v, bytes + e * bits / 8, bits / 8);
        if (s->along_k)
            to->row[outer][piece * per + e] = v ^ sign;
        else
            to->row[piece * per + e][outer] = v ^ sign;
    }
}
