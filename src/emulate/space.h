/* Global memory that several emulators share, as the modules of one program do: the table of allocations,
 * with what is known of their contents from launch to launch, and the textures. For layers that make a device
 * of the emulator.
 *
 * Device memory of a program stands in a window of addresses in which the host has no pages, so that code of
 * the host that follows a device pointer is stopped by the processor; its bytes are as far behind as the
 * window is large. All other addresses are the host's own. */
#ifndef LS_EMULATE_SPACE_H
#define LS_EMULATE_SPACE_H

#include "lockstep/emulate.h"

enum { LS_DEVICE_SHIFT = 42, LS_DEVICE_WINDOW = 12 }; /* [12 × 2^42, 13 × 2^42) */
#define LS_DEVICE_BASE ((uint64_t)LS_DEVICE_WINDOW << LS_DEVICE_SHIFT)
#define LS_DEVICE_SIZE (UINT64_C(1) << LS_DEVICE_SHIFT)

/* Where the host has the bytes of a device address. */
static inline void *ls_emu_host(uint64_t address) {
    return (void *)(uintptr_t)(address + ((uint64_t)(address >> LS_DEVICE_SHIFT == LS_DEVICE_WINDOW)
                                          << LS_DEVICE_SHIFT));
}

typedef struct ls_emu_space ls_emu_space;

/* take: gives room for module variables and the device's malloc, 0 where there is none; managed: for the host
 * as well. */
ls_emu_space *ls_emu_space_new(uint64_t (*take)(void *context, uint64_t size, uint64_t align, bool managed),
                               void *context);
void ls_emu_space_free(ls_emu_space *space);
/* place: where a variable of a module that is loaded from now on stands already, in memory of the caller's;
 * 0: nowhere. It is given the take function's context. */
void ls_emu_space_places(ls_emu_space *space,
                         uint64_t (*place)(void *context, const char *name, uint64_t size));

/* An emulator whose global memory is the space, which must outlive it. */
ls_emulator *ls_emulator_new_in(ls_emu_space *space, const ls_ptx_module *module, ls_diags *diags);
/* One more of the same module, with the same variables: what was decoded for one kernel stays in it. It must
 * be freed before the other. */
ls_emulator *ls_emulator_twin(const ls_emulator *of);

/* Memory of the caller's, known from now on. undefined: reads before writes are findings. */
void ls_emu_space_add(ls_emu_space *space, uint64_t address, uint64_t size, const char *name, bool undefined);
/* It may no longer be touched, and is still known; or is forgotten. */
void ls_emu_space_retire(ls_emu_space *space, uint64_t address);
void ls_emu_space_remove(ls_emu_space *space, uint64_t address);
/* These bytes were written by a copy; or have the contents of others. */
void ls_emu_space_define(ls_emu_space *space, uint64_t address, uint64_t size);
bool ls_emu_space_defined(ls_emu_space *space, uint64_t address, uint64_t size);

/* Bytes of shared memory of the variables that a kernel and the functions it calls refer to. */
uint64_t ls_emu_static_shared(const ls_ptx_function *kernel);

/* A texture or surface, in place of an earlier one where `handle` is not 0. */
uint64_t ls_emu_space_texture(ls_emu_space *space, uint64_t handle, const ls_texture *texture);

#endif
