/* All that a report tells of one file, as bytes, and back: for results that are kept on disk or come from
 * another process. The bytes are for the same build of Lockstep only. */
#ifndef LS_REPORT_KEEP_H
#define LS_REPORT_KEEP_H

#include "base/buf.h"
#include "lockstep/report.h"

/* Before ls_report_finish. */
void ls_report_keep(ls_report_file *file, ls_buf *to);
/* The file is one that nothing is told of yet; false: these are no such bytes, and nothing is. */
bool ls_report_restore(ls_report_file *file, const char *bytes, size_t length);

#endif
