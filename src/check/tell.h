/* Results in a report, with the names that the source has. */
#ifndef LS_CHECK_TELL_H
#define LS_CHECK_TELL_H

#include "base/arena.h"
#include "lockstep/emulate.h"
#include "lockstep/report.h"
#include "lockstep/verify.h"

/* The text with source names for mangled ones in quotes: "race on '_ZZ4scanPiE1s'" is a "race on 's'". In
 * arena where anything changes. */
const char *ls_plain_text(const char *text, ls_arena *arena);

/* Puts what the verifier, the emulator or the detector has found into the kernel's entry, with the names that
 * the source has: of variables, of the element that is meant. `calls`: with the calls that were inlined
 * around its places. */
ls_finding *ls_tell_finding(ls_report_kernel *kernel, const ls_finding *from, bool calls);

/* The same for one that is in a report already. */
void ls_tell_in_source(ls_finding *finding);

/* Verdict, scope, reasons, findings with their stories, and the time; `stats`: how the queries were answered,
 * too. */
void ls_tell_verification(ls_report_kernel *kernel, const ls_verify_result *result, bool stats);

/* Why there is no proof, each with its help. */
void ls_tell_reasons(ls_report_kernel *kernel, const ls_verify_note *reasons);

/* What a run in the emulator has found, how it ended and what it counted. */
void ls_tell_run(ls_report_kernel *kernel, const ls_emu_result *result);

#endif
