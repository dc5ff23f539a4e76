/* Findings of the verifier, the emulator and the detector told in the same way: which thread does what, to
 * which element, where (ls_story of lockstep/report.h). */
#ifndef LS_CHECK_STORIES_H
#define LS_CHECK_STORIES_H

#include "base/arena.h"
#include "lockstep/detect.h"
#include "lockstep/emulate.h"
#include "lockstep/verify.h"

/* Of the verifier: the threads of the witness, the values under which it happens, whether a run confirmed it.
 */
void ls_tell_verified(ls_finding *to, const ls_verify_finding *from, ls_arena *arena);
/* Of the emulator: the threads it saw, in the order of time. */
void ls_tell_seen(ls_finding *to, const ls_emu_finding *from);
/* Of the detector: the warps whose copies differ. */
void ls_tell_detected(ls_finding *to, const ls_detect_race *from);

#endif
