/* Conditions that are given from outside (--assume, --size): their syntax, as a tree. */
#ifndef LS_VERIFY_EXECUTE_CONDITION_H
#define LS_VERIFY_EXECUTE_CONDITION_H

#include "base/arena.h"
#include "lockstep/diag.h"
#include "ptx/origin.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    LS_COND_NUMBER,
    LS_COND_PARAMETER,
    LS_COND_LAUNCH, /* a size or index of the launch */
    LS_COND_UNSIGNED,
    LS_COND_MINUS,
    LS_COND_COMPLEMENT,
    LS_COND_NOT,
    LS_COND_MUL,
    LS_COND_DIV,
    LS_COND_REM,
    LS_COND_ADD,
    LS_COND_SUB,
    LS_COND_SHL,
    LS_COND_SHR,
    LS_COND_LT,
    LS_COND_LE,
    LS_COND_GT,
    LS_COND_GE,
    LS_COND_EQ,
    LS_COND_NE,
    LS_COND_BIT_AND,
    LS_COND_BIT_XOR,
    LS_COND_BIT_OR,
    LS_COND_AND,
    LS_COND_OR
} ls_condition_op;

typedef enum {
    LS_LAUNCH_BLOCK_DIM,
    LS_LAUNCH_GRID_DIM,
    LS_LAUNCH_THREAD,
    LS_LAUNCH_BLOCK,
    LS_LAUNCH_GLOBAL_SIZE,
    LS_LAUNCH_GLOBAL_ID
} ls_condition_launch;

typedef struct ls_condition ls_condition;
struct ls_condition {
    ls_condition_op op;
    uint32_t column;  /* from 1 */
    int64_t value;    /* NUMBER */
    const char *name; /* PARAMETER, UNSIGNED */
    ls_origin origin; /* where what it names comes from */
    ls_condition_launch launch;
    uint32_t axis;
    const ls_condition *args[2];
};

/* The tree, in arena; NULL with an error that has the column in diags. */
const ls_condition *ls_condition_parse(ls_arena *arena, const char *text, ls_diags *diags);
/* What a name stands for (PARAMETER, UNSIGNED, LAUNCH); false where that is not known. */
typedef bool (*ls_condition_leaf)(void *data, const ls_condition *name, int64_t *value);
/* The condition as a number; false where something in it that matters is not known. */
bool ls_condition_value(const ls_condition *c, ls_condition_leaf leaf, void *data, int64_t *value);
/* The condition without names, as a number; false where it has some. */
bool ls_condition_constant(const ls_condition *c, int64_t *value);

/* How an operator of two operands is written, and how tightly it binds (a higher number binds more tightly);
 * NULL for other operators. */
const char *ls_condition_operator(ls_condition_op op, int *level);
/* What a LAUNCH is called, without its axis. */
const char *ls_condition_launch_name(const ls_condition *c);

#endif
