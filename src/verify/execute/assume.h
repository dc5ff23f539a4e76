/* --assume, --size and __requires_size in a proof (assume.c). */
#ifndef LS_VERIFY_EXECUTE_ASSUME_H
#define LS_VERIFY_EXECUTE_ASSUME_H

#include "verify/proof.h"

typedef struct { /* what assumptions leave of a size of the launch */
    int64_t lo, hi;
} ls_limits;

typedef struct { /* a buffer of known size */
    const ls_term *start, *bytes;
    const struct ls_allocated *allocated; /* by the host code; NULL: it was stated */
} ls_sized;

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
/* In bytes, of what the base points to; NULL where it is not known. */
const ls_term *ls_size_of(ls_proof *p, const ls_ir_base *base);
/* The size that was stated, or that the host code allocates; NULL where it is not known in these ways. */
const ls_sized *ls_size_is_known(ls_proof *p, const ls_ir_base *base);

/* All that are known, and one more. */
const ls_sized *ls_known_sizes(ls_proof *p, uint32_t *count);
void ls_add_size(ls_proof *p, ls_sized size);

/* A condition's number, as a term; whether all its names are known of the kernel. */
struct ls_condition;
const ls_term *ls_condition_term(ls_proof *p, const struct ls_condition *c);
bool ls_condition_concerns(const ls_proof *p, const struct ls_condition *c);
/* What a fact of the launch says, by its number; NULL: it does not concern the kernel. */
const struct ls_condition *ls_fact_condition(const ls_proof *p, uint32_t fact);

#endif
