/* Figures of kernels that several processes of a program have launched. */
#ifndef LS_CLI_FIGURES_H
#define LS_CLI_FIGURES_H

#include "base/vec.h"
#include "device/record.h"

typedef struct {
    int process;
    const void *kernel;
    ls_record_stats stats; /* of all its launches so far */
} ls_process_figures;
typedef LS_VEC(ls_process_figures) ls_figures;

/* What a process tells of a kernel now stands in the place of what it told before; the sum over all
 * processes. */
ls_record_stats ls_figures_put(ls_figures *figures, int process, const void *kernel,
                               const ls_record_stats *now);

#endif
