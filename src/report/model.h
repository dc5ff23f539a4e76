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

/* A folder (NULL: the current one) with a slash at its end, empty where it cannot be had; and a path as it is
 * seen from such a folder. */
void ls_path_folder(char *out, size_t size, const char *folder);
const char *ls_path_below(const char *path, const char *folder);

/* Gives every finding its fingerprint (fingerprint.c). */
void ls_report_fingerprint(ls_report *report);

#endif
