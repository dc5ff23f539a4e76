/* Elements of fragments in the registers of lanes. */
#include "emulate/machine.h"
#include "emulate/matrix/fragment.h"
#include "isa/number.h"

uint64_t em_fragment_get(const warp *w, const fragment *f, uint32_t lane, uint32_t e) {
    return em_low_bits(read_lane(w, f->value[e / f->of.per], lane) >> e % f->of.per * f->of.bits, f->of.bits);
}

void em_fragment_set(const warp *w, const fragment *f, uint32_t lane, uint32_t e, uint64_t bits) {
    operand o = f->value[e / f->of.per];
    uint32_t shift = e % f->of.per * f->of.bits;
    uint64_t ones = em_low_bits(UINT64_MAX, f->of.bits) << shift;
    write_lane(w, o, lane, (read_lane(w, o, lane) & ~ones) | (bits << shift & ones));
}
