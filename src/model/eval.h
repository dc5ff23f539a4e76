/* Evaluation of expressions of the kernel language in a shared store and one thread's private store:
 * (σ, σ_t)(e) of 000, §3.2. Evaluation is lazy: of c ? a : b, a && b, a || b and a ==> b only what is needed
 * is evaluated, and only what is evaluated counts as read. */
#ifndef LS_MODEL_EVAL_H
#define LS_MODEL_EVAL_H

#include "model/lang.h"

typedef enum {
    LS_KFAULT_NONE,
    LS_KFAULT_BOUNDS,  /* an array element that does not exist: the reduction ends in error */
    LS_KFAULT_OVERFLOW /* an integer beyond 64 bits: the interpreter does not know */
} ls_kfault;

typedef LS_VEC(uint32_t) ls_kcells;

typedef struct {
    uint32_t threads;
    int64_t tid;
    const uint32_t *offset;  /* by variable: its first cell; NULL: no variable may occur */
    const int64_t *shared;   /* cells of shared and constant variables */
    const int64_t *private_; /* cells of the thread's private variables */
    ls_kcells *reads;        /* gets the cells of the shared variables that were read; may be NULL */
    uint8_t fault;           /* ls_kfault: set by evaluation, never cleared by it */
} ls_kenv;

int64_t ls_keval(ls_kenv *env, const ls_kexpr *expr);
bool ls_keval_true(ls_kenv *env, const ls_kexpr *expr); /* NULL is true; false after a fault */
/* The cell of var[index] (index may be NULL), or UINT32_MAX with the fault set. */
uint32_t ls_kcell(ls_kenv *env, const ls_kvar *var, const ls_kexpr *index);
/* The value that the variable holds after being assigned this one: wrapped into its domain. */
int64_t ls_kvar_wrap(const ls_kvar *var, int64_t value);

#endif
