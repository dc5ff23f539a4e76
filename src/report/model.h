/* What the report's own files share: the run as a whole. */
#ifndef LS_REPORT_MODEL_H
#define LS_REPORT_MODEL_H

#include "finding/store.h"
#include "lockstep/report.h"

struct ls_report {
    ls_store store; /* its lock is also that of the lists of files and kernels */
    const char *command;
    ls_report_file *files, *last_file;
};

#endif
