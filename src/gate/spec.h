/* What a gate is told of the two kernels: which parameters are inputs and outputs, how large they are, which
 * sizes to try and how to launch. Each fact is a word and a value, from the command line ("--in 'x=f32[n]'")
 * or from comments of the reference ("// gate: in x=f32[n]"). A candidate's comments may only say how it is
 * launched. */
#ifndef LS_GATE_SPEC_H
#define LS_GATE_SPEC_H

#include "base/arena.h"
#include "base/vec.h"
#include "gate/expression.h"
#include "lockstep/diag.h"

typedef enum { LS_GATE_IN, LS_GATE_OUT, LS_GATE_INOUT, LS_GATE_SCALAR } ls_gate_role;

typedef struct {
    ls_gate_role role;
    const char *name;
    const char *type, *count; /* of a buffer: "f32", and an expression */
    const char *fill;         /* NULL: random; else as `lockstep run --arg` has it */
    const char *value;        /* of a scalar: an expression, or a text as of --arg */
} ls_gate_param;

typedef struct {
    const char *name;
    LS_VEC(int64_t) values;
    int64_t low, high; /* also any between, where low <= high */
} ls_gate_size;

/* How a kernel is launched: expressions, with commas between the dimensions. */
typedef struct {
    const char *grid, *block, *shared; /* NULL: not said */
} ls_gate_launch;

typedef struct {
    ls_arena *arena;
    LS_VEC(ls_gate_param) params;
    LS_VEC(ls_gate_size) sizes;
    ls_gate_launch launch;    /* of the reference, and of the candidate where it says nothing else */
    ls_gate_launch candidate; /* of the candidate */
    double tolerance;
} ls_gate_spec;

/* One fact; NULL, or what is wrong with it. */
const char *ls_gate_fact(ls_gate_spec *spec, const char *word, const char *value);
/* Every "// gate: WORD VALUE" of a text; false with errors in diags. Of the candidate's only grid, block and
 * shared count, and for itself. */
bool ls_gate_comments(ls_gate_spec *spec, const char *path, const char *text, bool is_candidate,
                      ls_diags *diags);
/* "cdiv(n, 16), 4" as three sizes; false if the text is not of this form. */
bool ls_gate_dimensions(const char *text, const ls_gate_name *names, uint32_t count, uint32_t out[3]);
void ls_gate_spec_free(ls_gate_spec *spec);

#endif
