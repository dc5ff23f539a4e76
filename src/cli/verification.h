/* Verification of files into a report, for `lockstep verify` and `lockstep check` (cmd_verify.c). */
#ifndef LS_CLI_VERIFICATION_H
#define LS_CLI_VERIFICATION_H

#include "cli/contracts.h"
#include "cli/input.h"
#include "cli/known.h"
#include "cli/trials.h"
#include "lockstep/verify.h"

/* The options of `lockstep verify`. */
typedef struct {
    ls_common common;
    bool strict_exit, only_intra_group, only_divergence, no_annotations, bounds, null, div0, stats, no_replay,
        accept_contracts, suggest, all, as_written;
    ls_list assumptions, sizes, loads, arrays;
    const char *array_names;
    _Atomic bool *named;           /* by array: some kernel has an array of this name */
    _Atomic bool *assumed, *sized; /* by assumption and size: some kernel is concerned */
    int benign, externals, overflow, print, uncalled;
    uint32_t warp_sync;
    const char *smt2, *arguments, *launches, *known, *contracts;
    ls_recorded recorded;     /* what --launches names */
    ls_contracts *contracted; /* what --contracts names; NULL: nothing */
    ls_known *known_keys;     /* what --known names; NULL: nobody asks for keys */
    ls_trials *trials;        /* who tries changes, where this process is sealed; else NULL */
} ls_verification_cli;

extern const ls_option ls_verification_options[];

/* Checks the options and makes room for what is noted of them; LS_EXIT_USAGE after a message. */
int ls_verification_ready(ls_cli *cli, ls_verification_cli *options);

/* The same, then calls one_file for each input file on -j threads, prints the report. */
int ls_verification_run(ls_cli *cli, const void *options, void (*one_file)(const ls_cli_job *job));

/* Verifies the kernels of one file: verdicts, scope, reasons and findings. costs: what accesses and branches
 * cost is added, of the first launch of each kernel. */
void ls_verification_file(const ls_cli_job *job, bool costs);

#endif
