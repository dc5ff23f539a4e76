/* What the detector inside of a program tells the command that started it: a file of lines (base/wire.h),
 * which report.c writes and reads by one table of their fields. A launch is a line of its own; the lines
 * about it follow: races (finding/wire.h) and those below. */
#ifndef LS_DETECT_REPORT_H
#define LS_DETECT_REPORT_H

#include "base/buf.h"
#include "lockstep/detect.h"

#include <stdio.h>

typedef struct {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t number; /* in the program */
    ls_detect_status status;
} dt_report_launch;

/* Launches of a kernel that have no lines of their own: how many were queued with their check or had nothing
 * to check; were left out (--every, --budget); were not checked since such a launch was found racy: since the
 * last such line. */
typedef struct {
    uint64_t queued, skipped, known;
} dt_report_counted;

void dt_report_write_launch(FILE *to, const dt_report_launch *launch);
/* The launch itself is in a file (ls_detect_emulate). */
void dt_report_write_captured(FILE *to, const char *path);
void dt_report_write_unchecked(FILE *to, const ls_detect_unchecked *item);
/* How it was checked, its races, what was not checked, and its figures. */
void dt_report_write_result(FILE *to, const ls_detect_result *result);
/* Sets the counts to zero. */
void dt_report_write_counts(FILE *to, const char *kernel, dt_report_counted *counts);

enum { DT_REPORT_MOST_PRUNED = 64 };

typedef enum {
    DT_REPORT_NOTHING, /* no such line, or one that was cut off */
    DT_REPORT_LAUNCH,
    DT_REPORT_CAPTURED,
    DT_REPORT_SCOPE,
    DT_REPORT_UNCHECKED,
    DT_REPORT_FIGURES,
    DT_REPORT_COUNTS,
} dt_report_kind;

/* A line that was read. Texts are the line's own. */
typedef struct {
    dt_report_kind kind;
    const char *kernel, *path; /* of COUNTS; of CAPTURED */
    dt_report_launch launch;
    dt_report_counted counts;
    ls_detect_unchecked unchecked;
    ls_detect_result result; /* of SCOPE and FIGURES: only what these lines hold */
    const char *pruned[DT_REPORT_MOST_PRUNED];
} dt_report_line;

void dt_report_read(char *line, dt_report_line *to);

#endif
