/* Figures of kernels by process, and their sums. */
#include "cli/figures.h"

static void add(ls_record_stats *to, const ls_record_stats *from) {
    for (uint32_t k = 0; k < ls_record_stats_row.count; k++) {
        const ls_wire_field *f = &ls_record_stats_row.fields[k];
        void *sum = (char *)to + f->offset;
        const void *more = (const char *)from + f->offset;
        if (f->type == LS_WIRE_ULONG) *(uint64_t *)sum += *(const uint64_t *)more;
        if (f->type == LS_WIRE_REAL) *(double *)sum += *(const double *)more;
    }
}

ls_record_stats ls_figures_put(ls_figures *figures, int process, const void *kernel,
                               const ls_record_stats *now) {
    ls_record_stats sum = *now;
    ls_process_figures *mine = NULL;
    for (uint32_t k = 0; k < figures->length; k++) {
        ls_process_figures *f = &figures->items[k];
        if (f->kernel != kernel) continue;
        if (f->process == process)
            mine = f;
        else
            add(&sum, &f->stats);
    }
    if (mine)
        mine->stats = *now;
    else
        LS_VEC_PUSH(figures, ((ls_process_figures){process, kernel, *now}));
    return sum;
}
