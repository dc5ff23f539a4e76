/* Compiled execution: the emulator's kernels as machine code, made with LLVM where that is installed
 * (docs/compiled.md). For the options of ls_emulator_run:
 *
 *     ls_emulator_run(emulator, &launch, &(ls_emu_options){.jit = LS_JIT_AUTO, .compiler =
 * ls_jit_compiler()});
 */
#ifndef LOCKSTEP_JIT_H
#define LOCKSTEP_JIT_H

#include "lockstep/emulate.h"

LS_BEGIN_DECLS

/* What compiles; NULL where Lockstep was built without LLVM. */
const ls_emu_compiler *ls_jit_compiler(void);

LS_END_DECLS

#endif
