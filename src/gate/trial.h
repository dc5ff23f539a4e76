/* A kernel of a gate, and one run of it in the emulator with all that is looked at afterwards. */
#ifndef LS_GATE_TRIAL_H
#define LS_GATE_TRIAL_H

#include "gate/spec.h"
#include "lockstep/emulate.h"
#include "lockstep/frontend.h"
#include "lockstep/ir.h"

typedef struct {
    const char *path;
    ls_compiled run, shaped; /* as a device would run it; as it is written, for proofs */
    ls_diags *said;          /* by the compiler */
    bool is_compiled, is_shaped;
    ls_ptx_module *run_module, *shaped_module;
    const ls_compiled_kernel *kernel;
    const ls_ptx_function *function;
    const char *const *names; /* of the parameters; entries may be NULL */
    ls_ir_function *ir;       /* of the shaped one; NULL: there is none */
    uint32_t param_count;
    uint32_t *of; /* by parameter: which one of the spec it is */
    ls_gate_launch launch;
} ls_gate_kernel;

/* Compiles the file. What came of it is told by ls_gate_load: this process may be sealed between the two. */
void ls_gate_compile(ls_gate_kernel *kernel, const char *path, const ls_frontend_options *options,
                     bool for_proofs);
/* Parses what was compiled and finds the kernel (name NULL: the only one); false with errors in diags. */
bool ls_gate_load(ls_gate_kernel *kernel, const char *name, ls_diags *diags);
void ls_gate_kernel_free(ls_gate_kernel *kernel);

/* A launch of either kernel: the sizes and the values of every parameter of the spec. */
typedef struct {
    uint32_t grid[3], block[3];
    uint32_t shared;
    const char *const *arguments; /* by parameter of the spec, as `lockstep run --arg` has it, without name */
    const ls_gate_spec *spec;
} ls_gate_case;

typedef struct {
    ls_emu_schedule schedule;
    uint64_t seed;
    unsigned char poison; /* of every byte of an output before the launch */
    double seconds;
} ls_gate_how;

/* What a buffer held before and after. */
typedef struct {
    char *before, *after; /* NULL where it is no buffer */
    uint64_t bytes, count;
    ls_ptx_type type;
} ls_gate_buffer;

typedef struct {
    ls_gate_buffer *buffers; /* by parameter of the spec */
    ls_emu_result *result;   /* NULL: it could not be launched */
} ls_gate_trial;

/* Runs it in the emulator (of the kernel's module). Buffers are the arena's; the result is to be freed. False
 * with errors in diags. */
bool ls_gate_run(const ls_gate_kernel *kernel, ls_emulator *emulator, const ls_gate_case *launch,
                 const ls_gate_how *how, ls_arena *arena, ls_gate_trial *out, ls_diags *diags);
/* An emulator with nothing in it but the module. */
ls_emulator *ls_gate_emulator(const ls_gate_kernel *kernel, ls_diags *diags);

#endif
