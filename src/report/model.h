/* What the report's own files share: the run as a whole. */
#ifndef LS_REPORT_MODEL_H
#define LS_REPORT_MODEL_H

#include "base/map.h"
#include "finding/store.h"
#include "lockstep/report.h"
#include "report/source.h"

typedef struct ls_report_lines {
    struct ls_report_lines *next;
    const ls_source_roots *roots;
    ls_sources *sources;
} ls_report_lines;

struct ls_report {
    ls_store store; /* its lock is also that of the lists of files and kernels */
    const char *command;
    ls_report_file *files, *last_file;
    const char *text_path, *text_file; /* NULL, or a file and where its text is instead */
    const char *text_folder;           /* NULL, or where the files are that are named without a folder */
    ls_report_lines *lines;            /* that ls_report_shared_sources has given */
    ls_intmap in_opencl_words;         /* texts that are (opencl.c), by their addresses */
};

/* The lines of the path are those of the other file. */
void ls_report_text(ls_report *report, const char *path, const char *file);
/* Files in a folder that is there for this run alone are called by their names without it, from what has been
 * found so far on. */
void ls_report_text_folder(ls_report *report, const char *folder);
/* The sources that the report's findings stand in (roots: as in ls_sources_new); to be freed. */
ls_sources *ls_report_sources(const ls_report *report, const ls_source_roots *roots);
/* The same for whoever adds to the report: each file is read once for all of its kernels. The report frees
 * them. Not for printing, which must not wait for a thread that was stopped. */
ls_sources *ls_report_shared_sources(ls_report *report, const ls_source_roots *roots);

/* A folder (NULL: the current one) with a slash at its end, empty where it cannot be had; and a path as it is
 * seen from such a folder. */
void ls_path_folder(char *out, size_t size, const char *folder);
const char *ls_path_below(const char *path, const char *folder);

/* A page that shows what `lockstep allocate` did: its report as JSON, and the PTX before and after. To be
 * freed. */
char *ls_page_of_change(const char *json, const char *before, const char *after, size_t *length);

/* Puts a finding into the list of its kernel; ls_report_finish has to follow. */
ls_finding *ls_report_put(ls_report_kernel *kernel, ls_finding *finding);
/* Gives every finding its fingerprint (fingerprint.c). */
void ls_report_fingerprint(ls_report *report);

#endif
