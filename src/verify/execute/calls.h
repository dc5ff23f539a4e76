/* What calls of functions without a body mean to the verifier (calls.c). */
#ifndef LS_VERIFY_EXECUTE_CALLS_H
#define LS_VERIFY_EXECUTE_CALLS_H

#include "lockstep/ir.h"

typedef enum {
    LS_CALL_UNKNOWN, /* anything may happen */
    LS_CALL_PURE,    /* a function of its arguments */
    LS_CALL_NOTHING, /* no effect that matters; results are anything */
    LS_CALL_ENABLED, /* __enabled: a thread that asks is */
    LS_CALL_OTHER,   /* __other_…: the value of the other thread */
    LS_CALL_LOG,     /* __read, __write, …: the accesses made so far */
    LS_CALL_OFFSET,  /* __ptr_offset_bytes: from the start of the object that is pointed into */
    LS_CALL_ASSUME,  /* __assume */
    LS_CALL_REQUIRE, /* __requires: an assumption at a kernel's entry, an obligation in a function called */
    LS_CALL_ASSERT,  /* __assert, __invariant */
    LS_CALL_FAIL,    /* __assertfail: an assert of C has failed; no thread may reach it */
    LS_CALL_SIZE,    /* __requires_size */
    LS_CALL_TOUCH,   /* __reads_from, __writes_to: an access to any place of an object */
    LS_CALL_IMAGE,   /* read_image…, write_image… of OpenCL: an access to an element of an image (images.c) */
    LS_CALL_AT_BARRIER, /* __barrier_invariant_N (barrier_facts.c) */
    LS_CALL_COPY,       /* a copy that goes on until a wait (async.c) */
    LS_CALL_WAIT,       /* … for one or several */
    LS_CALL_WHOLE,      /* the barrier behind it is for all threads: none may have left */
    LS_CALL_GRID,       /* a barrier of the whole grid */
    LS_CALL_DIMENSIONS, /* get_work_dim */
    LS_CALL_ENSURE,     /* __ensures: an obligation where the function returns (contracts.c) */
    LS_CALL_RESULT,     /* __return_val_…: what the function will return */
    LS_CALL_OLD,        /* __old_…: the value at the function's start, which is where it stands */
    LS_CALL_RETURN,     /* LS_IR_RETURN: here a function that promises something returns */
    LS_CALL_SYNC,       /* synchronisation that is not modelled */
} ls_call_kind;

ls_call_kind ls_call_of(const ls_ir_instr *instr);
/* No thread may reach it: an assertion of C that has failed, or a trap. */
bool ls_is_failure(const ls_ir_instr *instr);
/* A function of the program's own that has no body here; annotations and the like are none. */
bool ls_call_is_external(const ls_ir_instr *instr);
/* A function whose annotations stand for its body (__spec_…): what it ensures is assumed where it is called.
 */
bool ls_is_specification(const ls_ptx_function *function);
/* Stated for all threads of the group, whether they reach it or not. */
bool ls_call_is_global(const ls_ir_instr *instr);

#endif
