/* What the detector inside of a program tells the command that started it: a file of lines with fields
 * between tabs. L begins a launch. Then come C, a file with the launch itself (ls_detect_emulate); P, how it
 * was checked: the fields of ls_detect_result as put_scope writes them; the races in it (finding/wire.h); U,
 * something that was not checked; and S, its figures: launches, rounds, bytes, milliseconds of the check, of
 * rewriting, of loading and of taking memory. */
#ifndef LS_DETECT_PRELOAD_REPORT_H
#define LS_DETECT_PRELOAD_REPORT_H

#include "lockstep/detect.h"

#include <stdio.h>

void dt_report_launch(FILE *to, const char *kernel, const unsigned grid[3], const unsigned block[3],
                      uint32_t number, ls_detect_status status);
void dt_report_captured(FILE *to, const char *path);
void dt_report_unchecked(FILE *to, const ls_detect_unchecked *item);
void dt_report_result(FILE *to, const ls_detect_result *result);

/* Launches of a kernel that have no lines of their own: Q, with how many were queued with their check or had
 * nothing to check; were left out (--every, --budget); were not checked since such a launch was found racy:
 * since the last such line. */
typedef struct {
    uint64_t queued, skipped, known;
} dt_report_counted;
void dt_report_counts(FILE *to, const char *kernel, dt_report_counted *counts);

#endif
