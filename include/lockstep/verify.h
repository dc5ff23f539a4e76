/* The verifier: proofs that a kernel has no data races, no barrier divergence and no failing assertions, for
 * all inputs (paper 000); or a counterexample; or the reason why neither was found. docs/verify.md is the
 * guide.
 *
 *     ls_verify_result *r = ls_verify(ir, &(ls_verify_options){.block = {64, 1, 1}, .grid = {8, 1, 1}});
 *     if (r->verdict == LS_PROVED) …
 *     ls_verify_free(r);
 *
 * Kernels can be verified in parallel: nothing is shared. */
#ifndef LOCKSTEP_VERIFY_H
#define LOCKSTEP_VERIFY_H

#include "lockstep/argument.h"
#include "lockstep/finding.h"
#include "lockstep/ir.h"
#include "lockstep/range.h"

LS_BEGIN_DECLS

typedef struct {
    size_t size;                   /* LS_OPTIONS fills it */
    uint32_t block[3], grid[3];    /* first 0: not known */
    bool opencl;                   /* a thread that leaves the kernel before a barrier is an error */
    bool strict_exit;              /* the same in CUDA */
    bool only_intra_group;         /* do not look for races between blocks */
    bool only_divergence;          /* do not look for races at all */
    bool no_annotations;           /* ignore __assert and all other annotations */
    bool bounds;                   /* check the bounds of arrays of known size */
    bool benign_error;             /* writes of equal values are races too */
    bool exact_overflow;           /* do not assume that 32-bit index arithmetic never overflows */
    const char *const *parameters; /* source names of the parameters, for messages; entries may be NULL */
    uint32_t parameter_count;
    bool pure_externals;      /* functions without a body access no memory and do not synchronise */
    uint32_t warp_sync;       /* warps of this many threads run in lock-step; 0: they do not */
    double timeout;           /* seconds of CPU time for the kernel; 0: 10 */
    struct ls_recall *recall; /* NULL, or what solvers have said of this kernel before */
    const char *smt2_dir;     /* NULL, or the folder into which the solver's queries are written */
    uint32_t dimensions;      /* get_work_dim(): how many dimensions the launch has; 0: not known */
    bool proof_only;          /* stop at the first thing that is not proved */
    /* With proof_only: reasons why another proof of the kernel has failed. What they are about is looked at
     * first. */
    const struct ls_verify_note *doubts;
    bool one_attempt;      /* no second one, with more patience or invariants of loops */
    bool promises_only;    /* the function is not a kernel: check only its postconditions (__ensures) */
    const char *arguments; /* "name,1,*,3": values of scalar parameters, * for any; or NULL */

    /* Conditions on the launch and on scalar parameters that hold ("n % 32 == 0"), and the sizes of what
     * pointer parameters point to ("a=4*n", in bytes), in the language of docs/verify.md. Those that name a
     * parameter which the kernel does not have do not concern it. */
    const char *const *assumptions, *const *sizes;
    uint32_t assumption_count, size_count;
    /* What is known about the launch from the host code (ls_kernel_launch in lockstep/frontend.h): conditions
     * like those above, in which $argI_W_N is the I-th of N parameters and has W bits, and $1 and $$1 are
     * unknown values of the host code, of 32 and 64 bits. */
    const char *const *facts;
    uint32_t fact_count;
    const ls_argument_memory *allocations; /* memory that the program allocates for some of the pointers */
    uint32_t allocation_count;
    const ls_argument_inside *inside; /* pointers into the memory of others, as the function was built with */
    uint32_t inside_count;
    const ls_launch_again *again; /* NULL, or what the same launch may have left in memory before; kernels by
                                     their names in the PTX */
    const char *const *arrays;    /* look for races on these arrays only; none: on all arrays */
    uint32_t array_count;
    bool any_loads;    /* a load from memory that threads share can return any value */
    bool shared_loads; /* such loads return the same value to all threads; not possible with atomics */
    bool null;         /* pointer parameters may be null */
    bool div0;         /* integer division by zero is an error */
    uint32_t threads;  /* number of threads that work on the proof of the kernel; 0: one. The verdict does not
                          depend on it */
    const ls_parameter_range *ranges; /* NULL, or parameter_count ranges: the values that their types allow */
    bool any_externals;  /* with pure_externals: they may return any value, and a failure for some value is an
                            error */
    bool of_program;     /* the launch is made by a known program, which also decides what is in memory */
    bool free_launch;    /* no launch is known or given: whoever makes one decides on its sizes, its arguments
                            and what is in memory */
    bool any_layout;     /* a race is no error if it depends on a single stride that callers who are not seen
                            give */
    bool open_arguments; /* it is not known what the launch gives to the kernel */
    bool prove_inside; /* that no access leaves the memory that the launch allocates is to be proved where the
                          launch settles it, not only searched for */
    bool of_case; /* this is a case of a larger proof: a size that it fixes is not settled by the launch */
} ls_verify_options;

typedef struct {                    /* bits of a parameter */
    uint32_t object, offset, width; /* object of the function; byte in it; bits */
    uint64_t value;
    const ls_argument_inside *inside; /* a pointer into the memory of another: `value` is how far behind that
                                         one; else NULL */
} ls_verify_parameter;

typedef struct { /* the contents of memory before the launch */
    const ls_ir_base *base;
    int64_t offset; /* bytes */
    uint32_t width; /* bits */
    uint64_t value;
    bool written; /* the kernel also writes there, so the value need not be there before the launch */
} ls_verify_content;

typedef struct {             /* a tensor map in a parameter, as the kernel uses it */
    uint32_t object, offset; /* object of the function; byte in it */
    uint32_t rank;
    uint64_t bytes; /* of its box */
} ls_verify_box;

/* The execution in which a finding occurs, for the emulator (lockstep/replay.h). Everything that is not
 * listed may have any value. */
typedef struct ls_verify_execution {
    uint32_t block[3], grid[3];
    uint32_t thread[2][3], group[2][3]; /* of the two threads */
    const ls_ir_base *base;             /* of a race: the object, and the byte in it; NULL: not known */
    int64_t offset;
    uint64_t limit; /* of an access out of bounds of memory behind a parameter, `base`: its bytes; else 0 */
    ls_verify_parameter *parameters;
    ls_verify_content *contents;
    const ls_verify_box *boxes;
    uint32_t parameter_count, content_count, box_count;
    bool undefined; /* it depends on values that are never set and may be anything */
    bool of_values; /* of a possible race: it is one only if the written values differ */
    bool of_order;  /* of a possible race: it is one only if no flag or lock orders the two accesses */
    bool compared;  /* of a race: the written values were compared and differ */
} ls_verify_execution;

typedef struct ls_verify_note {
    struct ls_verify_note *next;
    ls_place place;
    const char *text, *help; /* help NULL: none */
    const char *brief;       /* of the scope: its most important words; or NULL */
    ls_finding *candidate;   /* the finding that it becomes if an execution confirms it; or NULL */
    bool undecided;          /* the solver gave up: more time might help */
    bool by_data;            /* it depends on the data that the program puts into memory */
} ls_verify_note;

typedef struct {
    ls_verdict verdict;
    ls_finding *findings;    /* each with the execution in which it happens */
    ls_verify_note *reasons; /* why something is unknown */
    ls_verify_note *scope;   /* what a proof covers and assumes */
    ls_verify_note *stats;   /* text: name, help: value */
    double seconds;
    bool apart;      /* threads may diverge before a barrier, or lanes before a warp-level operation */
    bool impossible; /* no launch satisfies the assumptions and facts */
    ls_verify_note *mistakes; /* errors in annotations and options: there is no verdict then */
    const bool *assumed, *sized,
        *arrays; /* for each assumption, size and array: whether it applies to the kernel */
    void *memory;
    struct ls_store *store; /* of the findings */
    /* If the verdict is unknown: an example of a launch that satisfies all assumptions; and one whose scalar
     * parameters are larger than the width of its grid, as the lengths of rows usually are; or NULL. */
    ls_verify_execution *sample, *roomy;
} ls_verify_result;

/* Whether the text is a condition, or with `size` a NAME=EXPRESSION; errors, with columns, in diags. */
bool ls_verify_condition(const char *text, bool size, ls_diags *diags);

/* Never NULL. The function must be built in full (LS_IR_FULL). */
ls_verify_result *ls_verify(const ls_ir_function *kernel, const ls_verify_options *options);
void ls_verify_free(ls_verify_result *result);

/* For a kernel that was not proved for every launch: the weakest simple condition on the launch and on scalar
 * parameters under which it is proved. It can be added to `assumptions`. False: none was found within a
 * second. */
bool ls_verify_contract(const ls_ir_function *kernel, const ls_verify_options *options,
                        const ls_verify_result *result, char *out, size_t size);

/* Removes the parts that the proof does not need from a condition under which the kernel is proved. */
bool ls_verify_shorten(const ls_ir_function *kernel, const ls_verify_options *options, char *condition,
                       size_t size);

/* For a kernel that is proved for one launch: the sizes and facts that the proof needs, as a condition under
 * which any launch is proved (empty: every launch). False if it was not found in time. */
bool ls_verify_needs(const ls_ir_function *kernel, const ls_verify_options *options, char *out, size_t size);

/* After errors: the first of the conditions that kernels are commonly written for (such as a block size) that
 * none of the counterexamples satisfies; false if there is none. */
bool ls_verify_plausible(const ls_ir_function *kernel, const ls_verify_options *options,
                         const ls_verify_result *result, char *out, size_t size);

/* Functions that are not kernels. Calls are inlined, so most functions are covered by the kernels that call
 * them. The postconditions (__ensures) of a function are checked separately (promises_only). A function that
 * is never called and has something to check is reported as unknown. */
typedef enum { LS_FUNCTION_COVERED, LS_FUNCTION_PROMISES, LS_FUNCTION_UNCALLED } ls_function_role;
ls_function_role ls_verify_role(const ls_ptx_module *module, const ls_ptx_function *function);

LS_END_DECLS

#endif
