/* Emulation: runs PTX kernels on the CPU, warp by warp, and checks what they do.
 *
 *     ls_emulator *emulator = ls_emulator_new(module, diags);
 *     uint64_t data = ls_emulator_alloc(emulator, 4096, "data");
 *     memcpy((void *)(uintptr_t)data, …, 4096);
 *     ls_emu_launch launch = {.kernel = "scale", .grid = {4, 1, 1}, .block = {256, 1, 1},
 *                             .params = &data, .params_size = sizeof data};
 *     ls_emu_result *result = ls_emulator_run(emulator, &launch, &(ls_emu_options){.checks = LS_CHECK_ALL});
 *     … result->status, result->findings …
 *     ls_emu_result_free(result);
 *     ls_emulator_free(emulator);
 *
 * A pointer to global memory is a host pointer, so that buffers are read and written in place. Accesses to
 * memory from ls_emulator_alloc are checked for bounds; so are accesses to the caller's memory if it was
 * registered with ls_emulator_map. */
#ifndef LOCKSTEP_EMULATE_H
#define LOCKSTEP_EMULATE_H

#include "lockstep/finding.h"
#include "lockstep/ptx.h"

#include <stddef.h>

LS_BEGIN_DECLS

typedef struct ls_emulator ls_emulator;

/* Places the module's variables in memory and initialises them. NULL, with errors in diags, if the module
 * cannot be run at all. The module must outlive the emulator. */
ls_emulator *ls_emulator_new(const ls_ptx_module *module, ls_diags *diags);
void ls_emulator_free(ls_emulator *emulator);

/* Allocates zeroed global memory; 0 if there is none left. The address is valid on the device and on the
 * host. */
uint64_t ls_emulator_alloc(ls_emulator *emulator, uint64_t size, const char *name);
/* Registers memory of the caller for the bounds checker. */
void ls_emulator_map(ls_emulator *emulator, void *memory, uint64_t size, const char *name);
/* Registers a variable at this byte of a function's stack frame in local memory: once a variable of a frame
 * is known, the bytes between its variables are out of bounds. */
void ls_emulator_local(ls_emulator *emulator, const char *function, uint32_t offset, uint32_t size);
/* The address of a module variable in .global or .const, and its size; 0 if there is no such variable. */
uint64_t ls_emulator_symbol(const ls_emulator *emulator, const char *name, uint64_t *size);

/* A texture or surface object: a plain array of `channels` × `bits` elements, row after row. The handle is
 * passed to a kernel as a .u64 argument, or bound to a .texref/.surfref variable by name. */
typedef enum { LS_TEXEL_UNSIGNED, LS_TEXEL_SIGNED, LS_TEXEL_FLOAT } ls_texel_kind;
typedef enum { LS_ADDRESS_WRAP, LS_ADDRESS_CLAMP, LS_ADDRESS_MIRROR, LS_ADDRESS_BORDER } ls_address_mode;

typedef struct {
    void *data;
    uint32_t width, height, depth; /* height, depth 0: fewer dimensions; depth: also layers */
    uint32_t pitch;                /* bytes from row to row; 0: width × element */
    uint8_t channels, bits;        /* 1, 2, 4; 8, 16, 32 */
    ls_texel_kind kind;
    bool normalized_read; /* integers are read as floats in [0, 1] or [-1, 1] */
    bool normalized_coords;
    bool linear; /* filtering: linear, else the nearest point */
    ls_address_mode address[3];
} ls_texture;

uint64_t ls_emulator_texture(ls_emulator *emulator, const ls_texture *texture);
bool ls_emulator_bind_texture(ls_emulator *emulator, const char *variable, uint64_t handle);

/* --- Launching -------------------------------------------------------------------------------------------
 */
typedef enum { LS_SCHEDULE_RR, LS_SCHEDULE_REVERSE, LS_SCHEDULE_RANDOM } ls_emu_schedule;

/* The checkers (lockstep/checkers.def): LS_CHECK_RACE … are bits of `checks`. */
typedef enum {
#define CHECKER(id, name, rule, about) LS_CHECKER_##id,
#include "lockstep/checkers.def"
#undef CHECKER
    LS_CHECKER_COUNT
} ls_emu_checker_index;

enum {
#define CHECKER(id, name, rule, about) LS_CHECK_##id = 1 << LS_CHECKER_##id,
#include "lockstep/checkers.def"
#undef CHECKER
    LS_CHECK_ALL = (1 << LS_CHECKER_COUNT) - 1,
};

typedef struct {
    const char *name; /* "race" */
    uint32_t bit;
    ls_rule
        rule; /* that its findings name; of races in shared memory: the one for global memory is the next */
    const char *about;
} ls_emu_checker;

/* LS_CHECKER_COUNT of them. */
const ls_emu_checker *ls_emu_checkers(void);
/* "race,bounds", "all" or "none" as bits. Returns 0, or the length of the first word that is not a checker;
 * *wrong points to that word. */
size_t ls_emu_checks_parse(const char *list, uint32_t *checks, const char **wrong);

/* A warp reads a register, or is about to access memory. For instructions that evaluate their guard
 * themselves (branches, calls, barriers), only the guard is reported. */
enum { LS_EMU_GUARD = UINT32_MAX };
typedef struct {
    const ls_ptx_instr *instr;
    uint32_t
        source; /* the index of the source, as in the instruction's ls_ir_instr; LS_EMU_GUARD: its guard */
    bool is_address;        /* the values are the accessed addresses, including the offset */
    uint32_t block, warp;   /* linear numbers */
    uint64_t mask;          /* lanes that execute it */
    const uint64_t *values; /* by lane, zero-extended */
} ls_emu_read;

/* Whether kernels are compiled to machine code (lockstep/jit.h): never; if they run for a long time (quickly
 * at first, and better if they run longer); at once; or at once, but only quickly. */
typedef enum { LS_JIT_OFF, LS_JIT_AUTO, LS_JIT_ON, LS_JIT_QUICK } ls_emu_jit;
typedef struct ls_emu_compiler ls_emu_compiler;
/* Proves before a launch that certain accesses need not be checked (lockstep/detect.h). */
typedef struct ls_emu_prover ls_emu_prover;

/* A kernel that is launched by the running kernel (dynamic parallelism); it may run when the running kernel
 * has ended. */
typedef struct {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    const void *params; /* kept until the call returns */
    size_t params_size;
    uint64_t stream; /* as the kernel names it */
    uint64_t by;     /* the linear number of the block that launches it */
} ls_emu_child;

typedef struct {
    size_t size; /* LS_OPTIONS fills it */
    uint32_t checks;
    uint32_t warp_size; /* 1 … 64; 0: 32 */
    uint32_t banks;     /* 0: 32 */
    uint32_t threads;   /* host threads that run blocks; 0: one per core */
    ls_emu_schedule schedule;
    uint64_t seed;
    bool warp_synchronous; /* lanes of a warp run in lock-step: no races between its instructions */
    bool
        stack_order; /* divergent paths run one after the other, as on a GPU with a reconvergence stack (paper
                        003, §3.1); lanes that wait for other lanes of their warp then wait for ever */
    bool benign_error;        /* writes of equal values to the same place are an error, not a note */
    bool strict_exit;         /* a thread that exits before a barrier others wait at is an error */
    bool profile;             /* count every instruction */
    bool unchecked_memory;    /* pointers may point anywhere in the host's memory: no ranges are known */
    double timeout;           /* seconds; 0: none */
    bool timeout_in_cpu_time; /* the timeout is CPU time of each host thread that runs blocks; otherwise it is
                                 wall-clock time */
    const volatile int *cancel;  /* NULL, or stops the run when it becomes nonzero */
    const uint32_t *only_blocks; /* NULL, or the linear numbers of the blocks to run: no others are run */
    uint32_t only_count;
    void (*print)(void *context, const char *text, size_t length); /* vprintf; NULL: dropped */
    void *print_context;
    void (*progress)(void *context, uint64_t blocks_done,
                     uint64_t blocks); /* called from time to time; or NULL */
    void *progress_context;
    /* NULL, or called with every register and address that an instruction is about to read, before it does;
     * if `threads` is not 1, from several threads at the same time. */
    void (*watch)(void *context, const ls_emu_read *read);
    void *watch_context;
    /* NULL, or called at the end with each range of global memory that was read or written, if the race
     * checker is on. rough: only parts of the range were accessed, but there were too many parts to list. */
    void (*touched)(void *context, uint64_t address, uint64_t size, bool write, bool rough);
    void *touched_context;
    /* For a launch that may begin before the launch before it has ended, or NULL: called at the end, with
     * touched_context, with what its threads accessed before they waited for the earlier launch
     * (griddepcontrol.wait). */
    void (*early)(void *context, uint64_t address, uint64_t size, bool write, bool rough);
    /* 0, or about how many warp instructions each host thread may execute: a limit that is the same on every
     * machine. */
    uint64_t most_instructions;
    ls_emu_jit jit; /* with `profile`, which counts all instructions, nothing is compiled */
    /* For tests of the change from interpreted to compiled code, with LS_JIT_AUTO: 0, or the number of blocks
     * after which a kernel is compiled; its other blocks wait for the compilation. */
    uint32_t jit_after;
    const ls_emu_compiler *compiler; /* ls_jit_compiler(); NULL: nothing is compiled */
    /* Accepts a kernel that is launched by the running kernel; returns 0, or the number of the CUDA error
     * that the launch returns. Called by one thread at a time. NULL: such kernels cannot be run. */
    int (*child)(void *context, const ls_emu_child *child);
    void *child_context;
    /* Accesses that are proved to take part in no race in this launch are not checked for races. NULL: all
     * are checked. Because the proof takes time, it is only tried for launches with at least `prove_from`
     * threads. */
    const ls_emu_prover *prover;
    uint64_t prove_from; /* 0: 16,384 */
    /* Gets the line that CUDA's driver writes for each thread whose assertion failed, with `print_context`;
     * NULL: dropped. */
    void (*complain)(void *context, const char *text, size_t length);
    /* NULL, or called with `progress_context` while a long launch runs, about once a second, with each error
     * that it was not called with before. The result may have it with another example, or joined with others.
     */
    void (*so_far)(void *context, const ls_finding *error);
} ls_emu_options;

/* A parameter that points to OpenCL's local memory, which is allocated with the launch. */
typedef struct {
    uint32_t offset; /* of the parameter in the parameter block */
    uint32_t bytes;  /* that it points to */
} ls_emu_local;

typedef struct {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* dynamic shared memory */
    const void *params;    /* the kernel's parameters as laid out by ls_emu_param_offsets */
    size_t params_size;
    uint32_t cluster[3]; /* blocks of a cluster; 0: as stated by the kernel, otherwise 1 */
    const ls_emu_local *locals;
    uint32_t local_count;
} ls_emu_launch;

/* Byte offset of each parameter of a kernel in the parameter block; returns the block's size. */
size_t ls_emu_param_offsets(const ls_ptx_function *kernel, uint32_t *offsets);

/* --- Results ---------------------------------------------------------------------------------------------
 */
typedef enum {
    LS_EMU_DONE,
    LS_EMU_UNSUPPORTED, /* an instruction or feature that is not modelled; message and pos say what and where
                         */
    LS_EMU_STUCK,       /* no thread can continue */
    LS_EMU_TRAPPED,     /* trap, or a failed assertion */
    LS_EMU_CANCELLED,   /* by the caller or the timeout */
    LS_EMU_INVALID,     /* the launch itself is wrong */
} ls_emu_status;

/* __requires or __assume does not hold: the other findings then say nothing about executions that the program
 * intends. */
static inline bool ls_emu_is_assumption(const ls_finding *finding) {
    return finding->rule == LS_RULE_ASSERT && finding->level == LS_WARNING;
}

/* How often one source line (or instruction) was executed, with `profile`. */
typedef struct {
    ls_place pos;
    uint64_t warp_instructions, lane_instructions;
} ls_emu_line;

typedef struct {
    ls_emu_status status;
    const char *message; /* what ended the run; NULL if it is done */
    ls_place pos;
    /* Each has the threads of one example. For coalescing and bank conflicts, the detail has the cost of the
     * accesses, and the key identifies the access. This is an array whose elements are also linked as a list.
     */
    ls_finding *findings;
    uint32_t finding_count;
    ls_emu_line *lines;
    uint32_t line_count;
    const char *const *notes; /* what limits the findings: checks that were abandoned, and why */
    uint32_t note_count;
    uint64_t warp_instructions, lane_instructions; /* with `profile` */
    uint64_t blocks_run, branches, divergent_branches;
    uint64_t shadow_bytes;                    /* memory that the race checker uses, in whole pages */
    uint64_t global_accesses, global_sectors; /* of warps, if coalescing is checked */
    double seconds, cpu_seconds;              /* wall-clock time; CPU time of the whole process */
    uint64_t
        instructions_left; /* the rest of most_instructions, of the host thread that has the least left */
    void *memory;
    uint64_t compiled_runs; /* how often a warp has entered compiled code */
    double compile_seconds; /* CPU time for compiling the kernel, in all launches so far */
    uint32_t
        compiled_insns; /* how many instructions were compiled, counting those that were compiled again */
    const char *not_compiled; /* why the kernel was not compiled although this was requested; or NULL */
    uint32_t accesses,
        spared; /* loads, stores and atomics of the code, and how many of them were proved and not checked */
} ls_emu_result;

ls_emu_result *ls_emulator_run(ls_emulator *emulator, const ls_emu_launch *launch,
                               const ls_emu_options *options);
void ls_emu_result_free(ls_emu_result *result);

LS_END_DECLS

#endif
