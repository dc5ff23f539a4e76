/* What the detector inside of a program tells the command that started it: a file of lines with fields
 * between tabs. L starts a launch, then come the races in it
 * (finding/wire.h), U is something that was not checked, S its figures. */
#ifndef LS_DETECT_PRELOAD_REPORT_H
#define LS_DETECT_PRELOAD_REPORT_H

#include "lockstep/detect.h"

#include <stdio.h>

void dt_report_launch(FILE *to, const char *kernel, const unsigned grid[3], const unsigned block[3],
                      uint32_t number, ls_detect_status status);
void dt_report_unchecked(FILE *to, const ls_detect_unchecked *item);
void dt_report_result(FILE *to, const ls_detect_result *result);

#endif
