/* lockstep detect: its options, and whole programs. */
#ifndef LS_CLI_DETECT_PROGRAM_H
#define LS_CLI_DETECT_PROGRAM_H

#include "cli/cli.h"
#include "lockstep/detect.h"

/* --on */
enum { LS_ON_AUTO, LS_ON_GPU, LS_ON_EMULATOR };

typedef struct {
    ls_common common;
    ls_list args, race_free;
    uint32_t shared, rounds, warps, skip, every, budget;
    int on, on_unsupported, benign;
    double prove, emulate;
    bool all, values, deterministic, no_lines, no_shared, no_global, plan;
    const char *memory, *copies, *launches;
} ls_detect_cli_options;

/* detect_scope.c: what was shown before the run, and what was watched or compared in it. */
void ls_detect_tell_scope(ls_report_kernel *kernel, const ls_detect_result *result);

/* Runs the program behind -- with the detector in it, and reports what it found. */
int ls_detect_program(ls_cli *cli, const ls_detect_cli_options *options);

#endif
