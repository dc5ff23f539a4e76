/* Proofs that spare checks: what proves (src/detect/proved.c), and what it is asked. The emulator takes its
 * word for it. */
#ifndef LS_EMULATE_PROVED_H
#define LS_EMULATE_PROVED_H

#include "base/buf.h"
#include "emulate/code.h"

typedef struct {
    uint64_t address, size;
    bool undefined; /* some of it was never written: what is read of it must be looked at */
} em_buffer;

typedef struct {
    const ls_ptx_module *module;
    const ls_emu_launch *launch;
    const em_buffer *buffers; /* global memory, whole allocations */
    uint32_t buffer_count;
    bool initialized; /* reads must be of what was written, too: of shared memory, that is proved, too */
} em_question;

/* What of a launch's parameters an answer depends on, in the prover's words; the sizes of the launch are not
 * among it. */
typedef struct {
    ls_buf params, consulted, list, pointers;
} em_ground;

struct ls_emu_prover {
    /* Calls `spare` with each load and store that is known to take part in no race in this launch, whatever
     * the memory's contents are. */
    void (*prove)(const em_question *question, void (*spare)(void *context, const ls_ptx_instr *instr),
                  void *context, em_ground *ground);
    /* Whether an answer to another question, of the same kernel and sizes, is that to this one, too. */
    bool (*holds)(const em_ground *ground, const em_question *question);
};

/* Asks, before the kernel is decoded; true where what is known is other than at the last launch. */
bool em_prove(machine *m, const ls_ptx_function *kernel);
void em_forget_proofs(ls_emulator *e);
/* Whether the instruction need not be looked at. */
bool em_is_spared(const ls_emulator *e, const ls_ptx_instr *instr);

#endif
