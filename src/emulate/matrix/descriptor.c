/* The elements of matrices that a descriptor describes. */
#include "emulate/matrix/descriptor.h"

#include <string.h>

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
