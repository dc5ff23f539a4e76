/* Reports: what an analysis found, kernel by kernel, and how it is shown. An analysis adds a file, kernels of
 * this file, and findings of these kernels; the printers turn the whole run into text in the style of a
 * compiler, JSON (docs/json.md), SARIF 2.1.0 or one HTML page.
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
 * The structs may be read directly; they are changed only by the functions, which copy every text that they
 * are given. The functions that add something may be called from several threads at the same time, as long as
 * each kernel (and each file's list of diagnostics) is filled by one thread. ls_report_free frees everything.
 */
#ifndef LOCKSTEP_REPORT_H
#define LOCKSTEP_REPORT_H

#include "lockstep/finding.h"

LS_BEGIN_DECLS

/* --- The model ----------------------------------------------------------------------------------------- */

/* One sentence about what a verdict covers and assumes. */
typedef struct ls_scope_item {
    struct ls_scope_item *next;
    const char *text;
    const char *brief; /* NULL, or its short form in the line of the verdict: "assumes …" */
} ls_scope_item;

/* How often a line was executed, if the run counted it. */
typedef struct ls_hot_line {
    struct ls_hot_line *next;
    ls_place place;
    uint64_t warp_instructions, lane_instructions;
} ls_hot_line;

typedef struct ls_report_kernel {
    struct ls_report_kernel *next;
    struct ls_report_file *file;
    const char *name;           /* as in the PTX */
    const char *demangled;      /* as in the source; equal to name if it is not mangled */
    ls_place place;             /* where it is defined */
    uint32_t block[3], grid[3]; /* all zero: unknown */
    const char *launch_from;    /* NULL or where the sizes come from: "--block", "launch at scan.cu:40" */
    const char *runs; /* NULL, or what was run in place of one launch: "3 launches of the program" */
    bool is_host;     /* not a kernel, but the host code of a program */
    ls_verdict verdict;
    const char *contract; /* LS_PROVED_IF: the condition */
    bool contract_accepted;
    ls_scope_item *scope; /* what a proof covers and assumes, one sentence each */
    const char *help;     /* NULL, or what would make it provable */
    ls_reason *reasons;   /* for LS_UNKNOWN */
    ls_finding *findings;
    bool opencl;      /* messages use the words of OpenCL: work-item, work-group */
    bool stats_asked; /* the text shows them too */
    bool scope_asked; /* the text has a line for the kernel even if there is no verdict */
    ls_fields *stats;
    ls_hot_line *lines; /* NULL if nothing was counted */
    double time_ms;     /* negative: not measured */
    const char *key;    /* NULL, or a hash of everything that the results for this kernel depend on */
    bool is_known;      /* the caller already knows the results for this key, so none are given */
} ls_report_kernel;

typedef struct ls_report_file {
    struct ls_report_file *next;
    struct ls_report *report;
    const char *path;
    ls_diags *diags; /* owned: messages of the front end and the parser about this file */
    ls_report_kernel *kernels, *last_kernel;
    bool done; /* all results for the file have been added */
} ls_report_file;

typedef struct ls_report ls_report;

ls_report *ls_report_new(const char *command);
/* Closes the report while other threads still work on it: they cannot add to it from now on. Kernels without
 * a verdict, in files that are not done (ls_report_file.done), become unknown with the given reason. */
void ls_report_freeze(ls_report *report, const char *why);
void ls_report_free(ls_report *report);
const ls_report_file *ls_report_files(const ls_report *report);

ls_report_file *ls_report_add_file(ls_report *report, const char *path);
/* demangled may be NULL. */
ls_report_kernel *ls_report_add_kernel(ls_report_file *file, const char *name, const char *demangled);
void ls_report_place(ls_report_kernel *kernel, ls_place place);
/* Unknown sizes are NULL or start with 0; from (or NULL) says where the sizes come from. */
void ls_report_launch(ls_report_kernel *kernel, const uint32_t block[3], const uint32_t grid[3],
                      const char *from);
/* The results come from these runs, and not from one launch or from a proof for all launches. */
void ls_report_runs(ls_report_kernel *kernel, const char *runs);
/* This entry is for the host code of a program, not for a kernel. */
ls_report_kernel *ls_report_add_host(ls_report_file *file);
/* Sets the hash of everything that the results for the kernel depend on; known: no results are given. */
void ls_report_key(ls_report_kernel *kernel, const char *key, bool is_known);
void ls_report_verdict(ls_report_kernel *kernel, ls_verdict verdict);
/* The findings so far become notes, and the kernel is neither proved nor refuted; the caller adds the
 * reasons. */
void ls_report_doubt(ls_report_kernel *kernel);
/* The kernel is proved for launches that satisfy this condition. The errors and warnings so far occur only in
 * other launches, and become notes. accepted: the kernel counts as proved in the exit status. */
void ls_report_contract(ls_report_kernel *kernel, const char *condition, bool accepted);
/* brief: the short form in the line of the verdict; NULL if the sentence is only for -v. */
void ls_report_scope(ls_report_kernel *kernel, const char *brief, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What would help with the kernel as a whole. */
void ls_report_help(ls_report_kernel *kernel, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A reason why something is unknown; help (or NULL) says what would help. The verdict becomes LS_UNKNOWN,
 * unless the kernel is refuted. */
void ls_report_unknown(ls_report_kernel *kernel, ls_place place, const char *help, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
ls_fields *ls_report_stats(ls_report_kernel *kernel);
/* Adds a line of the profile, at the front of the list. */
void ls_report_line(ls_report_kernel *kernel, ls_place place, uint64_t warp_instructions,
                    uint64_t lane_instructions);
void ls_report_time(ls_report_kernel *kernel, double milliseconds);

ls_finding *ls_report_add(ls_report_kernel *kernel, ls_rule rule, ls_severity level, ls_place place,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Adds a complete copy of a finding of a result (ls_verify_result, ls_emu_result, ls_detect_result). */
ls_finding *ls_report_take(ls_report_kernel *kernel, const ls_finding *from);
/* The same for a finding that is represented by another one (`same`): it is not added to the kernel's list.
 */
ls_finding *ls_report_take_aside(ls_report_kernel *kernel, const ls_finding *from);
/* Sorts the findings of each kernel by position, and merges findings of one rule and key at the same lines
 * (the line of the finding and the related ones) into one, with the sum of the counts and the message and
 * witness of the first. Then gives each finding a fingerprint, which stays the same when lines move. */
void ls_report_finish(ls_report *report);

typedef struct {
    uint32_t files, kernels; /* a kernel counts once for each launch that was checked */
    uint32_t names;          /* the same, but each kernel counts only once */
    uint32_t hosts;          /* programs whose host code has a verdict as well */
    uint32_t verdicts[LS_VERDICT_COUNT], open_contracts;
    uint32_t levels[3]; /* findings by ls_severity, without those that are suppressed */
    uint32_t suppressed;
    uint32_t refuted; /* kernels with a finding that counts, or without further details */
    uint32_t diag_errors;
} ls_report_summary;

ls_report_summary ls_report_summarize(const ls_report *report);
/* The least severe result that makes a run fail: if there is nothing as severe, the exit status is 0. */
typedef enum { LS_FAIL_UNKNOWN, LS_FAIL_WARNING, LS_FAIL_ERROR, LS_FAIL_NEVER } ls_fail_on;

/* 2: some input could not be read; else 1: an error or warning was found; else 3: something is unknown;
 * else 0. Findings of level note and suppressed ones do not count, nor does what is less than fail_on. */
int ls_report_status(const ls_report *report, ls_fail_on fail_on);

/* --- Printing ------------------------------------------------------------------------------------------ */

typedef enum { LS_FORMAT_TEXT, LS_FORMAT_JSON, LS_FORMAT_SARIF, LS_FORMAT_HTML } ls_format;

/* The folders whose source lines may be shown; NULL in place of a folder: all. */
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
    bool quiet;       /* text: neither kernels without findings nor a summary */
    const char *root; /* SARIF: paths below it become relative to it; NULL: the current directory */
    const ls_source_roots *roots;
} ls_print_options;

/* The report as text in the format asked for; the caller frees it. length may be NULL. */
char *ls_report_print(const ls_report *report, const ls_print_options *options, size_t *length);

/* Diagnostics as a compiler prints them, with the source line and a caret; the caller frees the text. */
char *ls_diags_print(const ls_diags *diags, bool color, const ls_source_roots *roots);

LS_END_DECLS

#endif
