/* µ-SIMD (paper 003 §3.1), the core language of processing elements (PEs) in lock-step: programs in text
 * form, run by the paper's own rules and, translated to PTX, by the emulator; and the analyses of §3.2–3.4.
 *
 *     ls_usimd *program = ls_usimd_parse(text, length, "fig8.simd", diags);
 *     ls_usimd_result *run = ls_usimd_run(program, LS_USIMD_REFERENCE, &(ls_usimd_options){.threads = 4});
 *     … run->memory, run->variables, run->trace …
 *     ls_usimd_result_free(run);
 *     ls_usimd_free(program);
 *
 * docs/usimd.md has the syntax. Integers are 32 bits wide and wrap. Nothing is shared: programs can be used
 * in parallel. */
#ifndef LOCKSTEP_USIMD_H
#define LOCKSTEP_USIMD_H

#include "lockstep/diag.h"

#include <stddef.h>

LS_BEGIN_DECLS

typedef struct ls_usimd ls_usimd;

enum { LS_USIMD_THREADS = 32 }; /* at most: one warp */

/* NULL with errors in diags where the text is not a program. The text need not outlive the call. */
ls_usimd *ls_usimd_parse(const char *text, size_t length, const char *file, ls_diags *diags);
void ls_usimd_free(ls_usimd *program);

uint32_t ls_usimd_threads(const ls_usimd *program); /* what the program says, or 4 */
uint32_t ls_usimd_variable_count(const ls_usimd *program);
const char *ls_usimd_variable(const ls_usimd *program, uint32_t index);
uint32_t ls_usimd_instruction_count(const ls_usimd *program);
/* Line and text (on the heap) of an instruction; its label, or NULL. */
uint32_t ls_usimd_line(const ls_usimd *program, uint32_t instruction);
char *ls_usimd_instruction(const ls_usimd *program, uint32_t instruction);
const char *ls_usimd_label(const ls_usimd *program, uint32_t instruction);

typedef enum {
    LS_USIMD_PROGRAM, /* µ-SIMD text that parses to the same program */
    LS_USIMD_PTX,     /* what is analysed */
} ls_usimd_form;

char *ls_usimd_print(const ls_usimd *program, ls_usimd_form form); /* on the heap */

/* --- Running ---------------------------------------------------------------------------------------------
 */
typedef enum {
    LS_USIMD_REFERENCE, /* the rules of Figures 5–7 */
    LS_USIMD_EMULATOR,  /* the program's PTX on the SIMT machine (lockstep/emulate.h) */
} ls_usimd_machine;

typedef struct {
    size_t size;         /* LS_OPTIONS fills it */
    uint32_t threads;    /* 1 … 32; 0: what the program says, or 4 */
    uint64_t max_cycles; /* 0: 2 million */
    bool trace;          /* keep what was executed in each cycle */
    /* LS_USIMD_REFERENCE: called after each instruction that assigns a variable, with its value in every PE,
     * or NULL. */
    void (*watch)(void *context, uint32_t instruction, uint32_t active, const int32_t *values);
    void *watch_context;
    double timeout; /* LS_USIMD_EMULATOR: seconds; 0: 10 */
} ls_usimd_options;

typedef enum {
    LS_USIMD_DONE,
    LS_USIMD_STUCK,   /* no rule applies: why and where in message, line */
    LS_USIMD_ENDLESS, /* max_cycles were not enough */
    LS_USIMD_FAILED,  /* the emulator could not run it */
} ls_usimd_status;

typedef struct {
    uint32_t instruction;
    uint32_t active; /* PEs that execute it, a bit for each */
} ls_usimd_cycle;

typedef struct { /* PEs that store different values into one cell by one instruction: undefined (Rule TL) */
    uint32_t instruction;
    uint32_t cell;
    uint32_t first, second; /* an example: two PEs */
    uint64_t count;
} ls_usimd_race;

typedef struct {
    ls_usimd_status status;
    char *message;    /* NULL where done */
    const char *rule; /* of lockstep/report.h, where one says what is wrong: "memory.bounds" */
    uint32_t line, column;
    uint32_t threads;
    int32_t *variables; /* [variable · threads + PE] */
    uint32_t *defined;  /* [variable]: PEs in which it has a value; all, from the emulator */
    int32_t *memory;    /* Σ */
    uint32_t memory_size;
    uint64_t cycles;
    ls_usimd_cycle *trace; /* the first trace_length cycles, counted from 1 */
    uint32_t trace_length;
    ls_usimd_race *races; /* by instruction; of LS_USIMD_REFERENCE only */
    uint32_t race_count;
} ls_usimd_result;

ls_usimd_result *ls_usimd_run(const ls_usimd *program, ls_usimd_machine machine,
                              const ls_usimd_options *options);
void ls_usimd_result_free(ls_usimd_result *result);
/* NULL where both ran to the end with the same Σ, σ and, where both were kept, the same traces but for sync
 * (which in the emulator is where PEs meet, once, and not an instruction of each group). Else on the heap
 * what differs first. */
char *ls_usimd_difference(const ls_usimd *program, const ls_usimd_result *reference,
                          const ls_usimd_result *emulator);

/* --- Analyses (003 §3.2–3.4) of the translated program
 * ------------------------------------------------------
 */
typedef enum {
    LS_USIMD_SIMPLE,
    LS_USIMD_DEGREE1,
    LS_USIMD_DEGREE2,
    LS_USIMD_ANALYSES
} ls_usimd_analysis_kind;

typedef struct { /* a variable of the gated form: s0, s1, … */
    const char *name;
    const char *definition;                /* "d1 + 1", "μ[i0, i2]", "γ[p1, s2, s1]", "η[p0, d1]" */
    uint32_t line;                         /* of its instruction, or of the join; 0: an input */
    uint32_t instruction;                  /* that assigns it; UINT32_MAX: an input, or a gating function */
    const char *states[LS_USIMD_ANALYSES]; /* "U" or "D"; "(a1, a0)"; "(a2, a1, a0)" */
    bool uniform[LS_USIMD_ANALYSES];
    const uint32_t *needs; /* what it is data dependent on, directly, by index */
    uint32_t need_count;
    bool needs_tid;
} ls_usimd_value;

typedef struct {
    uint32_t instruction;
    bool divergent[LS_USIMD_ANALYSES];
} ls_usimd_branch;

typedef struct {
    const ls_usimd_value *values;
    uint32_t value_count;
    const ls_usimd_branch *branches;
    uint32_t branch_count;
    const char *gated; /* the program in gated static single assignment form (Figure 9) */
    struct ls_usimd_analysis_private *hidden;
} ls_usimd_analysis;

/* NULL with an error in diags where the program's control flow is too much for the IR. */
ls_usimd_analysis *ls_usimd_analyze(const ls_usimd *program, ls_diags *diags);
void ls_usimd_analysis_free(ls_usimd_analysis *analysis);
/* The dependence graph (Figures 11 and 14) in Graphviz's language, divergent variables grey; on the heap. */
char *ls_usimd_dependences(const ls_usimd_analysis *analysis, ls_usimd_analysis_kind kind);

/* A random program (its text, on the heap) that always ends: nested conditionals and loops, each with its
 * sync, loads, stores and atomics. */
char *ls_usimd_random(uint64_t seed);

LS_END_DECLS

#endif
