/* Everything that the library offers. docs/api.md is the reference; examples/api has programs that use it.
 *
 *     ls_report *report = ls_report_new("check");
 *     ls_status status = ls_check_file("scan.cu", NULL, report);
 *
 * compiles a file, proves its kernels or shows how they fail, and says what their accesses cost. */
#ifndef LOCKSTEP_LOCKSTEP_H
#define LOCKSTEP_LOCKSTEP_H

#include "lockstep/allocate.h"
#include "lockstep/analyze.h"
#include "lockstep/check.h"
#include "lockstep/detect.h"
#include "lockstep/diag.h"
#include "lockstep/emulate.h"
#include "lockstep/finding.h"
#include "lockstep/flat.h"
#include "lockstep/frontend.h"
#include "lockstep/ir.h"
#include "lockstep/jit.h"
#include "lockstep/launch.h"
#include "lockstep/limits.h"
#include "lockstep/model.h"
#include "lockstep/ptx.h"
#include "lockstep/replay.h"
#include "lockstep/report.h"
#include "lockstep/usimd.h"
#include "lockstep/verify.h"
#include "lockstep/version.h"

#endif
