/* Values of host code as text: what a launch's sizes and arguments are computed from, in the language of
 * conditions (docs/verify.md). A value that is computed in a way that is not followed (loaded, returned by a
 * function, chosen by a loop) is a name of its own: $1 for one of 32 bits, $$1 for one of 64. */
#ifndef LS_FRONTEND_HOST_VALUES_H
#define LS_FRONTEND_HOST_VALUES_H

#include "frontend/module.h"

typedef struct {
    LLVMValueRef value;
    const char *name;
} ls_host_name;

/* A condition of a branch, and how it turned out on every way to the launch; or a value that a switch, or a
 * comparison, has found to be a constant. */
typedef struct {
    LLVMValueRef condition;
    bool holds;
    LLVMValueRef constant; /* NULL: it is a condition */
} ls_host_known;

typedef struct {
    const ls_module *module;
    ls_arena *arena;
    LS_VEC(ls_host_known) known;
    LS_VEC(ls_host_name) names; /* of values that are not followed */
    LS_VEC(const char *) facts; /* conditions that hold of them */
    uint32_t nodes;             /* of the expression being written: behind a limit its parts are told apart */
    uint32_t parts;             /* that were, in all */
    bool unbounded; /* sums and products are numbers that never wrap around, as sizes of memory should be */
    uint32_t arms;  /* of branches in which the current value is computed: they may not be taken */
} ls_host_values;

void ls_host_values_free(ls_host_values *h);

/* From now on the value, where it is not a constant, is called so. */
void ls_host_call(ls_host_values *h, LLVMValueRef value, const char *name);
/* What it is called; NULL where nothing yet. */
const char *ls_host_named(const ls_host_values *h, LLVMValueRef value);
/* Whether it is computed by an operation that is followed, so that its text says how. */
bool ls_host_is_followed(const ls_host_values *h, LLVMValueRef value);
/* The value as a signed number of up to 64 bits. NULL if it is not an integer. */
const char *ls_host_signed(ls_host_values *h, LLVMValueRef value);
/* The lower and upper half of a value of 64 bits, as a size of a launch is passed: numbers below 2^31 are
 * right, others are right or negative. */
const char *ls_host_half(ls_host_values *h, LLVMValueRef value, bool upper);
/* The same, as a part of the expression being written; a comparison, as a condition; a name for a value that
 * facts will describe. */
const char *ls_host_part(ls_host_values *h, LLVMValueRef value);
const char *ls_host_comparison(ls_host_values *h, LLVMValueRef value);
const char *ls_host_described(ls_host_values *h, LLVMValueRef value);
/* The same of a half; the name of a half, made where there is none. */
const char *ls_host_half_part(ls_host_values *h, LLVMValueRef value, bool upper);
const char *ls_host_half_name(ls_host_values *h, LLVMValueRef value, bool upper, bool *is_new);
/* How the condition turned out; false where that is not known. */
bool ls_host_is_known(const ls_host_values *h, LLVMValueRef condition, bool *holds);
void ls_host_fact(ls_host_values *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
