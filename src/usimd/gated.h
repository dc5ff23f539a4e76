/* The gated form of a program: what names the SSA values of its PTX have in µ-SIMD, and where they stand. */
#ifndef LS_USIMD_GATED_H
#define LS_USIMD_GATED_H

#include "lockstep/analyze.h"
#include "usimd/program.h"

enum { GROUP = 4 }; /* an instruction is at most so many of PTX */

typedef struct { /* the PTX of one instruction */
    const ls_ir_instr *ir[GROUP];
    uint32_t count;
} ptx_group;

typedef struct {
    const ls_usimd *p;
    ls_arena *arena;
    const ls_ir_function *f;
    ptx_group *groups;          /* [instruction] */
    const ls_ir_block **starts; /* [instruction]: the block that begins there, or NULL */
    const char **names;         /* [IR value]: "s1", or NULL */
    uint32_t *index_of;         /* [IR value]: number among the named ones */
    const ls_ir_value **named;  /* in program order */
    uint32_t *at;               /* [named]: instruction where it is defined; UINT32_MAX: an input */
    uint32_t named_count;
} gated;

void gated_fill(gated *g, const ls_usimd *p, const usimd_ptx *ptx, const ls_ir_function *f, ls_arena *arena);
/* The variable whose value a branch looks at, behind the comparison with 0; may be unnamed. */
const ls_ir_value *gated_predicate(const ls_ir_block *block);
const char *gated_name(const gated *g, const ls_ir_value *value);
/* What the value at `index` is defined as: "d1 + 1", "γ[p1, s2, s1]". */
const char *gated_definition(const gated *g, uint32_t index);
char *gated_print(const gated *g); /* on the heap: Figure 9 */

#endif
