/* Integer instructions on known numbers. */
#ifndef LS_ANALYZE_FOLD_H
#define LS_ANALYZE_FOLD_H

#include "isa/meaning.h"
#include "lockstep/ir.h"

/* A number of that width, sign-extended to 64 bits: how known values are kept. */
static inline int64_t ls_canonical(uint64_t bits, uint32_t width) {
    if (!width || width >= 64) return (int64_t)bits;
    if (width == 1) return (int64_t)(bits & 1);
    uint32_t shift = 64 - width;
    return (int64_t)(bits << shift) >> shift;
}

typedef struct {
    const ls_ir_instr *instr;
    ls_isa isa;
    uint64_t masks[LS_ISA_SOURCES]; /* what of each source counts … */
    uint64_t flips[LS_ISA_SOURCES]; /* … and what of it is turned round: of !p */
    uint32_t count;                 /* of sources */
    uint32_t bits;                  /* of the result */
} ls_folder;

/* A source as the instruction takes it, and the result of such. */
static inline uint64_t ls_fold_source(const ls_folder *f, uint32_t i, int64_t source) {
    return ((uint64_t)source & f->masks[i]) ^ f->flips[i];
}
static inline int64_t ls_fold_taken(const ls_folder *f, const uint64_t *s) {
    return ls_canonical(ls_isa_compute(&f->isa, s), f->bits);
}

/* False where the instruction is not one of those that are folded. */
bool ls_fold_find(const ls_ir_instr *instr, ls_folder *out);
/* Result 0 where the sources are these canonical numbers (one for each of src). */
int64_t ls_fold(const ls_folder *folder, const int64_t *sources);

/* The same for many at once, where it is one of the commonest instructions; else false. One of each of the
 * instruction's sources: where an array is NULL, the number beside it. (fold_many.c) */
typedef struct {
    const int64_t *each;
    int64_t same;
} ls_fold_many_source;
bool ls_fold_many(const ls_folder *folder, const ls_fold_many_source *sources, int64_t *out, uint32_t count);

#endif
