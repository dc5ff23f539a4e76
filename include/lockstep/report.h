/* Reports: what an analysis found, kernel by kernel, and how that is shown. An analysis makes a file entry,
 * a kernel entry in it and findings in that; the printers turn the whole run into text as a compiler prints
 * it, JSON (docs/json.md), SARIF 2.1.0 or one HTML page.
 *
 *     ls_report *report = ls_report_new("verify");
 *     ls_report_file *file = ls_report_add_file(report, "scan.cu");
 *     ls_report_kernel *kernel = ls_report_add_kernel(file, "scan", NULL);
 *     ls_finding *race = ls_report_add(kernel, LS_RULE_RACE_SHARED, LS_ERROR,
 *                                      (ls_place){"scan.cu", 12, 9}, "write-read race on '%s'", "s");
 *     ls_finding_relate(race, (ls_place){"scan.cu", 12, 17}, "read here");
 *     ls_fields_uint(ls_finding_witness(race), "index", 7);
 *     ls_report_verdict(kernel, LS_REFUTED);
 *     ls_report_finish(report);
 *     char *text = ls_report_print(report, &(ls_print_options){.format = LS_FORMAT_TEXT}, NULL);
 *
 * The structs are there to be read; they are written through the functions, which copy every text they are
 * given. The functions that add may be called from several threads at once, as long as each kernel (and
 * each file's list of diagnostics) is filled by one thread. ls_report_free frees everything. */
#ifndef LOCKSTEP_REPORT_H
#define LOCKSTEP_REPORT_H

#include "lockstep/finding.h"

LS_BEGIN_DECLS

/* --- The model ----------------------------------------------------------------------------------------- */

/* One sentence about what a verdict covers and assumes. */
typedef struct ls_scope_item {
    struct ls_scope_item *next;
    const char *text;
    const char *brief; /* NULL or the few words of it that the line of the verdict has: "assumes …" */
} ls_scope_item;

/* How often a line was executed, where the run counted that. */
typedef struct ls_hot_line {
    struct ls_hot_line *next;
    ls_place place;
    uint64_t warp_instructions, lane_instructions;
} ls_hot_line;

typedef struct ls_report_kernel {
    struct ls_report_kernel *next;
    struct ls_report_file *file;
    const char *name;           /* as in the PTX */
    const char *demangled;      /* as people write it; equal to name where nothing is mangled */
    ls_place place;             /* where it is defined */
    uint32_t block[3], grid[3]; /* all zero: unknown */
    const char *launch_from;    /* NULL or where the sizes come from: "--block", "launch at scan.cu:40" */
    const char *runs; /* NULL, or what was run in place of one launch: "3 launches of the program" */
    bool is_host;     /* no kernel: the host code of a program */
    ls_verdict verdict;
    const char *contract; /* LS_PROVED_IF: the condition */
    bool contract_accepted;
    ls_scope_item *scope; /* what a proof covers and assumes, one sentence each */
    const char *help;     /* NULL or what would make it provable */
    ls_reason *reasons;   /* for LS_UNKNOWN */
    ls_finding *findings;
    bool opencl;      /* it is spoken of in OpenCL's words: work-item, work-group */
    bool stats_asked; /* the text shows them too */
    bool scope_asked; /* the text has a line for the kernel also where there is no verdict */
    ls_fields *stats;
    ls_hot_line *lines; /* NULL where nothing was counted */
    double time_ms;     /* negative: not measured */
    const char *key;    /* NULL, or a hash of all that what is told of it follows from */
    bool is_known;      /* who asked knows what is told of a kernel with this key: nothing is */
} ls_report_kernel;

typedef struct ls_report_file {
    struct ls_report_file *next;
    struct ls_report *report;
    const char *path;
    ls_diags *diags; /* owned: what the front end and the parser say about this file */
    ls_report_kernel *kernels, *last_kernel;
    bool done; /* all that was to be said of it is there */
} ls_report_file;

typedef struct ls_report ls_report;

ls_report *ls_report_new(const char *command);
/* Ends the report while others still work on it: nobody else can add to it from now on. Kernels of files that
 * are not done (ls_report_file.done) and have no verdict get the reason for it. */
void ls_report_freeze(ls_report *report, const char *why);
void ls_report_free(ls_report *report);
const ls_report_file *ls_report_files(const ls_report *report);

ls_report_file *ls_report_add_file(ls_report *report, const char *path);
/* demangled may be NULL. */
ls_report_kernel *ls_report_add_kernel(ls_report_file *file, const char *name, const char *demangled);
void ls_report_place(ls_report_kernel *kernel, ls_place place);
/* Sizes that are not known are NULL or start with 0; from (or NULL) says where they were learnt. */
void ls_report_launch(ls_report_kernel *kernel, const uint32_t block[3], const uint32_t grid[3],
                      const char *from);
/* What is told of it was seen in these runs, and not in one launch or for any. */
void ls_report_runs(ls_report_kernel *kernel, const char *runs);
/* What is told of a program's host code, which is none of its kernels. */
ls_report_kernel *ls_report_add_host(ls_report_file *file);
/* What is told of the kernel follows from what the key stands for; known: nothing is told of it. */
void ls_report_key(ls_report_kernel *kernel, const char *key, bool is_known);
void ls_report_verdict(ls_report_kernel *kernel, ls_verdict verdict);
/* What was found are notes, and the kernel is neither proved nor refuted: reasons are to follow. */
void ls_report_doubt(ls_report_kernel *kernel);
/* Proved for launches of which this holds. Errors and warnings so far are of launches of which it does not,
 * and become notes. accepted: it counts as proved in the exit status. */
void ls_report_contract(ls_report_kernel *kernel, const char *condition, bool accepted);
/* brief: the few words that stand in the line of the verdict; NULL where the sentence is for -v only. */
void ls_report_scope(ls_report_kernel *kernel, const char *brief, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What would help with the kernel as a whole. */
void ls_report_help(ls_report_kernel *kernel, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A reason for not knowing; help (or NULL) is what would help. Makes the verdict LS_UNKNOWN unless refuted.
 */
void ls_report_unknown(ls_report_kernel *kernel, ls_place place, const char *help, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
ls_fields *ls_report_stats(ls_report_kernel *kernel);
/* Adds a line of the profile; the last one that is added is the first. */
void ls_report_line(ls_report_kernel *kernel, ls_place place, uint64_t warp_instructions,
                    uint64_t lane_instructions);
void ls_report_time(ls_report_kernel *kernel, double milliseconds);

ls_finding *ls_report_add(ls_report_kernel *kernel, ls_rule rule, ls_severity level, ls_place place,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));
/* A finding of a result (ls_verify_result, ls_emu_result, ls_detect_result), copied with all that it has. */
ls_finding *ls_report_take(ls_report_kernel *kernel, const ls_finding *from);
/* The same for one that another one stands for (`same`): it is not in the kernel's list. */
ls_finding *ls_report_take_aside(ls_report_kernel *kernel, const ls_finding *from);
/* Sorts each kernel's findings by position and makes those of one rule and key at the same lines (its own and
 * the related ones) into one, with the sum of the counts; the first one's message and witness stay. Then
 * gives each its fingerprint, which stays the same when lines move. */
void ls_report_finish(ls_report *report);

typedef struct {
    uint32_t files, kernels; /* a kernel counts once for each launch that was looked at … */
    uint32_t names;          /* … and once here */
    uint32_t hosts;          /* programs whose host code has a verdict as well */
    uint32_t verdicts[LS_VERDICT_COUNT], open_contracts;
    uint32_t levels[3]; /* findings by ls_severity, without those that are suppressed */
    uint32_t suppressed;
    uint32_t refuted; /* kernels in which something counts, or of which nothing more is told */
    uint32_t diag_errors;
} ls_report_summary;

ls_report_summary ls_report_summarize(const ls_report *report);
/* What makes a run fail: the exit status for less is 0. */
typedef enum { LS_FAIL_UNKNOWN, LS_FAIL_WARNING, LS_FAIL_ERROR, LS_FAIL_NEVER } ls_fail_on;

/* 2: some input could not be read; else 1: an error or warning was found; else 3: something is unknown;
 * else 0. Findings of level note and suppressed ones do not count, nor does what is less than fail_on. */
int ls_report_status(const ls_report *report, ls_fail_on fail_on);

/* --- Printing ------------------------------------------------------------------------------------------ */

typedef enum { LS_FORMAT_TEXT, LS_FORMAT_JSON, LS_FORMAT_SARIF, LS_FORMAT_HTML } ls_format;

/* The folders of which source lines are shown; NULL instead of one: all. */
typedef struct {
    const char *const *folders;
    uint32_t count;
} ls_source_roots;

typedef struct {
    size_t size; /* LS_OPTIONS fills it */
    ls_format format;
    bool color;       /* text: with terminal colours */
    bool no_diags;    /* text: the caller shows the diagnostics itself (ls_diags_print) */
    bool no_summary;  /* text: findings only */
    bool verbose;     /* text: everything that a verdict covers and assumes, every value of a witness */
    bool quiet;       /* text: neither kernels of which nothing was found, nor a summary */
    const char *root; /* SARIF: paths below it become relative to it; NULL: the current directory */
    const ls_source_roots *roots;
} ls_print_options;

/* The report as text in the format asked for; the caller frees it. length may be NULL. */
char *ls_report_print(const ls_report *report, const ls_print_options *options, size_t *length);

/* Diagnostics as a compiler prints them, with the source line and a caret; the caller frees the text. */
char *ls_diags_print(const ls_diags *diags, bool color, const ls_source_roots *roots);

LS_END_DECLS

#endif
