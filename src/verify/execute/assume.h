/* --assume, --size and __requires_size in a proof (assume.c). */
#ifndef LS_VERIFY_EXECUTE_ASSUME_H
#define LS_VERIFY_EXECUTE_ASSUME_H

#include "verify/proof.h"

typedef struct { /* what assumptions leave of a size of the launch */
    int64_t lo, hi;
} ls_limits;

/* Before the symbols of the launch are made: which conditions concern the kernel, ranges of sizes. */
void ls_assume_sizes(ls_proof *p);
/* Of blockDim, or of gridDim, in a dimension. */
ls_limits ls_assumed_limits(const ls_proof *p, bool grid, int axis);
/* After parameters were bound: ranges of parameters, what is left as predicates. */
void ls_assume(ls_proof *p);
/* --size. */
void ls_assume_buffers(ls_proof *p);
/* __requires_size where it is executed. */
void ls_require_size(ls_state *s, const ls_ir_instr *call, const ls_term *path);
/* In bytes, of what the base points to; NULL where it is not known. Whether it was stated, not declared. */
const ls_term *ls_size_of(ls_proof *p, const ls_ir_base *base);
bool ls_size_is_stated(ls_proof *p, const ls_ir_base *base);

#endif
