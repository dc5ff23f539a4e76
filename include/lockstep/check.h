/* One call checks a file: it is compiled and parsed once, the kernels are verified in parallel, findings are
 * replayed in the emulator, and the report has the verdicts, what they cover, and the findings.
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
    const ls_verify_options
        *verify; /* NULL: everything, 10 seconds for each kernel. Launch sizes that are not given are taken
                    from the source; the language and the names of parameters always are */
    uint32_t threads;   /* number of threads that verify kernels; 0: one per core */
    bool no_replay;     /* do not replay findings in the emulator */
    const char *kernel; /* only this kernel, by its name in the PTX or in the source; NULL: all */
} ls_check_options;

/* Adds a file to the report and finishes the report. Several files can be added to one report, one after the
 * other. The returned status is that of the whole report. */
ls_status ls_check_file(const char *path, const ls_check_options *options, ls_report *report);

LS_END_DECLS

#endif
