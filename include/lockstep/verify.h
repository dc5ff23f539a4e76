/* The verifier: proofs that a kernel has no data races, no barrier divergence and no failing assertions, for
 * all inputs (paper 000), or a witness, or the reason why neither was found. docs/verify.md is the guide.
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
    bool opencl;                   /* a thread that left before a barrier is an error */
    bool strict_exit;              /* … also in CUDA */
    bool only_intra_group;         /* no races between blocks */
    bool only_divergence;          /* no races at all */
    bool no_annotations;           /* __assert and the like mean nothing */
    bool bounds;                   /* accesses of arrays whose size is known */
    bool benign_error;             /* writes of equal values are races too */
    bool exact_overflow;           /* no assumption that 32-bit index arithmetic does not overflow */
    const char *const *parameters; /* source names of the parameters, for messages; entries may be NULL */
    uint32_t parameter_count;
    bool pure_externals;   /* functions without a body access no memory and do not synchronise */
    uint32_t warp_sync;    /* warps of this many threads run in lock-step; 0: they do not */
    double timeout;        /* seconds of CPU time for the kernel; 0: 10 */
    const char *smt2_dir;  /* NULL, or where the solver's queries are written */
    uint32_t dimensions;   /* get_work_dim(): how many dimensions the launch has; 0: not known */
    bool proof_only;       /* stop at the first thing that is not proved */
    bool promises_only;    /* of a function that is no kernel: what it promises with __ensures */
    const char *arguments; /* "name,1,*,3": values of scalar parameters, * for any; or NULL */

    /* Conditions on the launch and on scalar parameters that hold ("n % 32 == 0"), and the sizes of what
     * pointer parameters point to ("a=4*n", in bytes), in the language of docs/verify.md. Those that name a
     * parameter which the kernel does not have do not concern it. */
    const char *const *assumptions, *const *sizes;
    uint32_t assumption_count, size_count;
    /* What the program says of the launch (ls_kernel_launch in lockstep/frontend.h): conditions like those
     * above, in which $argI_W_N is the I-th of N parameters, of W bits, and $1, $$1 are values of the host
     * code of which nothing else is known, of 32 and 64 bits. */
    const char *const *facts;
    uint32_t fact_count;
    const ls_argument_memory *allocations; /* what the program allocates for some of its pointers */
    uint32_t allocation_count;
    const char *const *arrays; /* races are looked for on these alone; none: on all */
    uint32_t array_count;
    bool any_loads;    /* loads from memory that threads share give anything */
    bool shared_loads; /* it is asked for that they give all threads the same, which atomics rule out */
    bool null;         /* pointer parameters may be null */
    bool div0;         /* integer division by zero is an error */
    uint32_t threads;  /* that may work on the obligations of the kernel; 0: one. The verdict is the same */
    const ls_parameter_range *ranges; /* NULL, or parameter_count of them: what their types leave */
    bool any_externals; /* with pure_externals: they may return anything, and what fails for it is found */
    bool of_program;    /* a program makes the launch: what memory holds is what that has put there */
} ls_verify_options;

typedef struct {                    /* bits of a parameter */
    uint32_t object, offset, width; /* object of the function; byte in it; bits */
    uint64_t value;
} ls_verify_parameter;

typedef struct { /* what lies in memory before the launch */
    const ls_ir_base *base;
    int64_t offset; /* bytes */
    uint32_t width; /* bits */
    uint64_t value;
    bool written; /* the kernel writes there too: it may be loaded without having been there before */
} ls_verify_content;

typedef struct {             /* a tensor map in a parameter, as the kernel uses it */
    uint32_t object, offset; /* object of the function; byte in it */
    uint32_t rank;
    uint64_t bytes; /* of its box */
} ls_verify_box;

/* The execution in which something happens, for the emulator (lockstep/replay.h): what is not named may be
 * anything. */
typedef struct ls_verify_execution {
    uint32_t block[3], grid[3];
    uint32_t thread[2][3], group[2][3]; /* of the two threads */
    const ls_ir_base *base;             /* of a race: the object, and the byte in it; NULL: not known */
    int64_t offset;
    ls_verify_parameter *parameters;
    ls_verify_content *contents;
    const ls_verify_box *boxes;
    uint32_t parameter_count, content_count, box_count;
    bool undefined; /* it hangs on values that are never set, which are anything */
    bool of_values; /* of a suspicion: a race only where different values are written */
    bool of_order;  /* of a suspicion: a race only where no flag or lock orders the two */
    bool compared;  /* of a race: the values that are written were compared, and differ */
} ls_verify_execution;

typedef struct ls_verify_note {
    struct ls_verify_note *next;
    ls_place place;
    const char *text, *help; /* help NULL: none */
    const char *brief;       /* of the scope: the few words of it that matter most; or NULL */
    ls_finding *candidate;   /* what it would be if an execution showed it; or NULL */
    bool undecided;          /* the solver gave up: more time might tell */
    bool by_data;            /* what the program has put into memory decides, whatever its code looks like */
} ls_verify_note;

typedef struct {
    ls_verdict verdict;
    ls_finding *findings;    /* each with the execution in which it happens */
    ls_verify_note *reasons; /* why something is not known */
    ls_verify_note *scope;   /* what a proof covers and assumes */
    ls_verify_note *stats;   /* text: name, help: value */
    double seconds;
    bool apart;               /* threads may part before a barrier, or lanes before an operation of theirs */
    bool impossible;          /* no launch is as the assumptions and facts say */
    ls_verify_note *mistakes; /* of annotations and options: there is no verdict then */
    const bool *assumed, *sized, *arrays; /* by assumption, size and array: it concerns the kernel */
    void *memory;
    struct ls_store *store; /* of the findings */
    /* Where there is no verdict: a launch with parameters as all that is assumed allows them; and one whose
     * scalar parameters are larger than its grid is wide, as lengths of rows mostly are; or NULL. */
    ls_verify_execution *sample, *roomy;
} ls_verify_result;

/* Whether the text is a condition, or with `size` a NAME=EXPRESSION; errors, with columns, in diags. */
bool ls_verify_condition(const char *text, bool size, ls_diags *diags);

/* Never NULL. The function must be built in full (LS_IR_FULL). */
ls_verify_result *ls_verify(const ls_ir_function *kernel, const ls_verify_options *options);
void ls_verify_free(ls_verify_result *result);

/* The weakest simple condition on the launch and on scalar parameters under which the kernel, which was not
 * proved for every launch, is proved: something for `assumptions`. False: none was found in a second. */
bool ls_verify_contract(const ls_ir_function *kernel, const ls_verify_options *options,
                        const ls_verify_result *result, char *out, size_t size);

/* Takes the parts away from a condition, under which the kernel is proved, that the proof does not need. */
bool ls_verify_shorten(const ls_ir_function *kernel, const ls_verify_options *options, char *condition,
                       size_t size);

/* Of a kernel that is proved for a launch: which of its sizes and facts the proof needs, as a condition under
 * which any launch is proved (empty: every one). False where that was not found out in time. */
bool ls_verify_needs(const ls_ir_function *kernel, const ls_verify_options *options, char *out, size_t size);

/* After errors: the first condition on the launch, such as people write kernels for, that none of the
 * witnesses satisfies; false where there is none. */
bool ls_verify_plausible(const ls_ir_function *kernel, const ls_verify_options *options,
                         const ls_verify_result *result, char *out, size_t size);

/* Functions that are no kernels. Calls are expanded where they stand, so most are covered by the kernels; one
 * with __ensures promises something to every caller, which is checked on its own (promises_only); and of one
 * that nothing calls, and that has something to check, nothing is known. */
typedef enum { LS_FUNCTION_COVERED, LS_FUNCTION_PROMISES, LS_FUNCTION_UNCALLED } ls_function_role;
ls_function_role ls_verify_role(const ls_ptx_module *module, const ls_ptx_function *function);

LS_END_DECLS

#endif
