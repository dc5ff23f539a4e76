/* The kernel language of paper 000 and its two semantics, executable: kernels over small domains, explored
 * exhaustively by interleaving threads (§3) or in lock-step (§4), with data races, barrier divergence, failed
 * assertions, accesses out of bounds and non-termination, each with a trace.
 *
 *     ls_model *model = ls_model_parse(text, length, "scan.kernel", 4, diags);
 *     ls_model_result *result = ls_model_explore(model, LS_MODEL_INTERLEAVING, NULL);
 *     if (result->verdict == LS_MODEL_CORRECT) …
 */
#ifndef LOCKSTEP_MODEL_H
#define LOCKSTEP_MODEL_H

#include "lockstep/diag.h"
#include "lockstep/ir.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LS_BEGIN_DECLS

typedef struct ls_model ls_model;

/* Parses a kernel (docs/model.md has the language) for this number of threads, 1 to 16 (0: what the text
 * says, or 2), and brings it into the form that the paper assumes. NULL, with errors in diags, where it
 * cannot. */
ls_model *ls_model_parse(const char *text, size_t length, const char *file, uint32_t threads,
                         ls_diags *diags);
/* A random well-formed kernel; the same for the same seed. threads 0: 2 or 3, as the seed has it. */
ls_model *ls_model_random(uint64_t seed, uint32_t threads);

typedef struct {
    uint32_t block[3]; /* threads of a block; first 0: not known */
    uint32_t elements; /* of arrays whose length the kernel does not say; 0: not known */
    bool explore;      /* for ls_model_explore: memory begins as zeros … */
    uint64_t integers; /* … scalar parameters are this, and there is one block */
} ls_model_launch;

/* A real kernel (built in full) in the kernel language: one block of it, with registers as private variables
 * and memory objects as arrays (docs/verify.md). Notes in diags name what is not in the language and was
 * replaced by "any value". NULL, with errors, where nothing can be made of it. */
ls_model *ls_model_lower(const ls_ir_function *kernel, const ls_model_launch *launch, ls_diags *diags);
void ls_model_free(ls_model *model);

const char *ls_model_name(const ls_model *model);
uint32_t ls_model_threads(const ls_model *model);

typedef enum {
    LS_MODEL_PRINT_KERNEL,     /* the kernel itself, readable by ls_model_parse */
    LS_MODEL_PRINT_SORT_ORDER, /* the blocks in sort order (§4), with the loops */
    LS_MODEL_PRINT_PREDICATED, /* π(P), as in Figure 5 */
    LS_MODEL_PRINT_LOCKSTEP    /* φ(P), as in Figure 7 */
} ls_model_form;

/* The caller frees the text. */
char *ls_model_print(const ls_model *model, ls_model_form form);

/* Definition 5.1: each goto has a target whose guard holds. Theorem 5.2 speaks of such kernels only. */
typedef enum { LS_MODEL_WELL_FORMED, LS_MODEL_ILL_FORMED, LS_MODEL_WELL_FORMED_UNKNOWN } ls_model_wellness;
ls_model_wellness ls_model_well_formed(const ls_model *model, const char **block);

typedef enum {
    LS_MODEL_INTERLEAVING, /* §3.2, Figure 4 */
    LS_MODEL_PREDICATED,   /* the same rules on the predicated kernel (Theorem 5.5) */
    LS_MODEL_LOCKSTEP      /* §4.2, Figure 6 */
} ls_model_semantics;

typedef struct {
    size_t size;         /* LS_OPTIONS fills it */
    uint64_t max_states; /* 0: 2 million */
    bool first_only;     /* stop at the first finding */
    bool exhaustive;     /* interleaving: every order of steps, also where leaving out some changes nothing */
    double timeout;      /* seconds of CPU time; 0: any */
    const volatile int *cancel; /* NULL, or what becomes nonzero when the exploration is to end */
} ls_model_options;

typedef enum {
    LS_MODEL_CORRECT,   /* race free and terminating: all reductions were explored */
    LS_MODEL_INCORRECT, /* something was found */
    LS_MODEL_UNKNOWN    /* nothing was found, not everything was explored */
} ls_model_verdict;

typedef struct {
    int thread;            /* from 0; -1: all, or none in particular */
    const char *block;     /* label; NULL: the thread has ended */
    uint32_t line, column; /* 0: a statement that the text does not have */
    const char *text;      /* the statement; "" where there is none */
    const char *effect;    /* in a trace: what it changed, or NULL */
} ls_model_place;

typedef struct {
    const char *rule; /* race.shared, barrier.divergence, assert, memory.bounds, termination */
    const char *message;
    ls_model_place place, other; /* other.text NULL: there is none */
    const char *variable;        /* races: its name; NULL otherwise */
    uint64_t index;              /* races: the element */
    bool array;                  /* races: the variable is an array */
    uint32_t count;              /* how often it was met */
    const char *initial;         /* the initial store, as far as the kernel does not fix it */
    const ls_model_place *trace;
    uint32_t trace_length;
} ls_model_finding;

typedef struct {
    ls_model_verdict verdict;
    bool race_free;      /* Definitions 3.1 and 4.1 */
    bool error_free;     /* no assertion, barrier or bounds error */
    bool terminating;    /* no error and no infinite reduction */
    const char *unknown; /* why not everything was explored; NULL: it was */
    uint64_t states, steps, initial_stores, final_stores;
    const ls_model_finding *findings;
    uint32_t finding_count;
} ls_model_result;

ls_model_result *ls_model_explore(const ls_model *model, ls_model_semantics semantics,
                                  const ls_model_options *options);
void ls_model_result_free(ls_model_result *result);

/* Theorem 5.2 on two results for one kernel: both correct or both not, and if correct, the same shared stores
 * at the end from the same initial store. */
typedef enum { LS_MODEL_AGREE, LS_MODEL_DISAGREE, LS_MODEL_INCONCLUSIVE } ls_model_agreement;
ls_model_agreement ls_model_compare(const ls_model_result *a, const ls_model_result *b);

LS_END_DECLS

#endif
