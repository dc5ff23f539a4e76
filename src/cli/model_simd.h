/* lockstep model on µ-SIMD programs. */
#ifndef LS_CLI_MODEL_SIMD_H
#define LS_CLI_MODEL_SIMD_H

#include "cli/cli.h"

typedef enum {
    SIMD_RUN,
    SIMD_PROGRAM,
    SIMD_PTX,
    SIMD_GATED,
    SIMD_DIVERGENCE,
    SIMD_DEPENDENCES,
} simd_task;

typedef struct {
    const ls_common *common;
    uint32_t threads, max_cycles; /* threads 0: what the file says */
    simd_task task;
    bool trace;
} simd_options;

/* All operands, which are .simd files; the exit status. */
int model_simd(const ls_cli *cli, const simd_options *options);

#endif
