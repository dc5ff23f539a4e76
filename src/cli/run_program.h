/* lockstep run -- PROGRAM: a whole program on the emulated device. */
#ifndef LS_CLI_RUN_PROGRAM_H
#define LS_CLI_RUN_PROGRAM_H

#include "cli/cli.h"

typedef struct {
    const ls_common *common;
    uint32_t checks;         /* LS_CHECK_… */
    int jit;                 /* LS_JIT_… */
    bool check_proved;       /* accesses that are proved to have no race are checked as well */
    uint32_t devices;        /* how many the program sees */
    uint32_t sample;         /* 0, or about so many blocks of each launch are checked */
    const char *title;       /* NULL, or what the report calls the program: the file that it was made from */
    const char *gpu;         /* NULL, or which one the program sees: "h200" */
    const char *record;      /* NULL, or a file for the distinct launches */
    bool prove;              /* the launches are verified as well */
    const char *modules;     /* NULL, or a folder for the PTX of the kernels launched */
    const char *launches;    /* NULL, or "N" or "N-M": only these are checked */
    bool status_of_findings; /* the exit status tells of findings, instead of being the program's */
} ls_program_options;

/* Runs words[0] with the other words as its arguments, and prints what was found; the exit status. */
int ls_run_program(ls_cli *cli, const ls_program_options *options, const ls_list *words);

#endif
