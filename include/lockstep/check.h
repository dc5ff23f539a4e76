/* One call checks a file: it is compiled and parsed once, each kernel is verified (in parallel), what was
 * found is tried in the emulator, and the report has the verdicts, what they cover, and the findings.
 *
 *     ls_report *report = ls_report_new("check");
 *     ls_status status = ls_check_file("scan.cu", NULL, report);
 *     char *text = ls_report_print(report, NULL, NULL);
 *     …
 *     ls_report_free(report); */
#ifndef LOCKSTEP_CHECK_H
#define LOCKSTEP_CHECK_H

#include "lockstep/frontend.h"
#include "lockstep/report.h"
#include "lockstep/verify.h"

LS_BEGIN_DECLS

typedef struct {
    size_t size;                         /* LS_OPTIONS fills it */
    const ls_frontend_options *frontend; /* NULL: as the source says */
    const ls_verify_options *verify; /* NULL: everything, 10 seconds for each kernel. Launch sizes that are
                                        not given are those that the source says; language and parameter names
                                        always are the source's */
    uint32_t threads;                /* that work on the kernels; 0: one per core */
    bool no_replay;                  /* what was found is not tried in the emulator */
    const char *kernel;              /* only this kernel: its name in the PTX, or the source's; NULL: all */
} ls_check_options;

/* Adds a file to the report and finishes that; several files can be checked into one report, one after the
 * other. The status is that of the whole report. */
ls_status ls_check_file(const char *path, const ls_check_options *options, ls_report *report);

LS_END_DECLS

#endif
