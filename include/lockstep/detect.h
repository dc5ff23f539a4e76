/* Value-based race detection (paper 002, LD): a kernel is run on private copies of the memory that it
 * writes, and the copies are compared.
 *
 *     ls_detect_device *device = ls_detect_cuda(diags);            (or ls_detect_emulator(diags))
 *     ls_detect_launch launch = {.kernel = "scan", .grid = {8, 1, 1}, .block = {256, 1, 1}, …};
 *     ls_detect_result *result = ls_detect_check(device, ptx, length, "scan.ptx", &launch, NULL, diags);
 *     … result->races, result->unchecked …
 *     ls_detect_result_free(result);
 *     ls_detect_device_free(device);
 *
 * Precise: what is reported is a race. Not complete: races that leave no trace in the values are missed
 * (002, §4.7), and what could not be checked is in the result by name. */
#ifndef LOCKSTEP_DETECT_H
#define LOCKSTEP_DETECT_H

#include "lockstep/finding.h"

#include <stddef.h>

LS_BEGIN_DECLS

/* --- The plan (002, §4.5): how many rounds a memory limit costs ------------------------------------------
 */
/* Rounds until every pair of units has been compared, with that many private copies: ⌈log_copies units⌉.
 * 0 where there is nothing to compare (fewer than 2 units) or no way to (fewer than 2 copies). */
uint32_t ls_detect_rounds(uint64_t units, uint64_t copies);
/* Equation 1: the probability that a race between two units, wherever they are, is found in the first
 * `rounds` rounds. */
double ls_detect_probability(uint64_t units, uint64_t copies, uint32_t rounds);
/* In round `round` (from 0) of `rounds`, unit u uses copy (u / divisor) mod copies. */
uint64_t ls_detect_divisor(uint64_t copies, uint32_t rounds, uint32_t round);

/* --- Devices ---------------------------------------------------------------------------------------------
 */
typedef struct ls_detect_device ls_detect_device;

/* A GPU through the CUDA driver, which is loaded now; NULL with an error in diags where there is none.
 * The second uses the context that is current in the calling thread. */
ls_detect_device *ls_detect_cuda(ls_diags *diags);
ls_detect_device *ls_detect_cuda_current(ls_diags *diags);
/* The emulator of this library. */
ls_detect_device *ls_detect_emulator(ls_diags *diags);
/* Lets the emulator run warps and blocks in a random order; 0: one after the other, as at first. */
void ls_detect_emulator_schedule(ls_detect_device *device, uint64_t seed);
void ls_detect_device_free(ls_detect_device *device);
const char *ls_detect_device_name(const ls_detect_device *device);

/* Device memory for the caller's buffers; 0 where there is none left. */
uint64_t ls_detect_alloc(ls_detect_device *device, uint64_t size);
void ls_detect_free(ls_detect_device *device, uint64_t address);
bool ls_detect_write(ls_detect_device *device, uint64_t to, const void *from, uint64_t size);
bool ls_detect_read(ls_detect_device *device, void *to, uint64_t from, uint64_t size);

/* --- Checking a launch -----------------------------------------------------------------------------------
 */
typedef struct { /* memory that the kernel may reach through pointers */
    uint64_t address, size;
    const char *name; /* or NULL */
} ls_detect_buffer;

typedef struct {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* dynamic shared memory */
    const void *params;    /* the kernel's parameters, laid out as in the PTX */
    size_t params_size;
    const ls_detect_buffer *buffers;
    uint32_t buffer_count;
    /* The address and size of a variable of the program's own module; NULL: the PTX is loaded for itself. */
    uint64_t (*symbol)(void *context, const char *name, uint64_t *size);
    void *symbol_context;
    bool leave_plain; /* where nothing is to be checked, the kernel is left to the caller to run: result->left
                       */
    const char *as_it_is; /* not NULL: only the caller can run it (captured, cooperative, …), and this is said
                             of what is not known to be race-free; nothing is done on the device */
    /* With as_it_is: how the caller launches it, where the kernel may be watched so (ls_detect_queue). The
     * function is the driver's, the parameters are one block. False: the driver has refused. */
    bool (*start)(void *context, void *function, const void *params, size_t size, uint32_t shared_bytes);
    void *start_context;
    bool repeats;  /* it does the same as a plain launch, unless its threads wait for others through memory */
    bool captured; /* into a graph: launches, fills and copies on the stream are recorded, and run later */
    /* For programs that launch kernels again and again (ls_detect_queue). */
    bool keep;           /* keep what the next launch like this one needs */
    uint64_t identity;   /* not 0: two launches with the same number have the same PTX */
    uint64_t number;     /* of the launch, from 1 on */
    void *stream;        /* ls_detect_queue: the program's, as the driver knows it */
    bool alone;          /* ls_detect_queue: nothing of the program runs beside this stream */
    uint32_t cluster[3]; /* blocks of a cluster; 0: as the kernel says */
    /* NULL, or a file to which the launch and its memory are written before it runs, if it has what cannot be
     * watched on the device (mbarriers, bulk copies, barriers of some warps): for ls_detect_emulate. */
    const char *capture;
} ls_detect_launch;

typedef struct {
    size_t size;           /* LS_OPTIONS fills it */
    bool all;              /* also check what is plainly race-free (every thread its own elements) */
    bool deterministic;    /* no check: one pass, private copies merged in order (002, §4.6) */
    bool equal_values;     /* writes of equal values to the same place are races, too */
    bool no_lines;         /* do not run again for the source lines */
    bool no_shared;        /* leave shared memory unchecked … */
    bool no_global;        /* … or global memory */
    bool no_intra_warp;    /* leave out the check for conflicts within one instruction (002, §4.7) */
    bool copies_in_global; /* keep private copies of shared memory in global memory even where they fit */
    uint64_t memory;       /* bytes for private copies; 0: what the device has free, less a reserve */
    uint32_t copies;       /* private copies of global memory; 0: chosen by cost within `memory` */
    uint32_t rounds;       /* at most so many rounds; 0: all */
    double timeout;        /* seconds for one launch; 0: none */
    const char *const *race_free; /* names of objects that are known to be race-free; not checked */
    uint32_t race_free_count;
    bool by_values; /* compare values only: kernels are not watched in place */
} ls_detect_options;

typedef struct {
    const char *object; /* NULL: the kernel or a region as a whole */
    const char *reason;
    uint32_t line; /* 0: none */
    const char *file;
} ls_detect_unchecked;

typedef enum {
    LS_DETECT_CLEAN, /* everything that was to be checked was, and nothing was found */
    LS_DETECT_RACY,
    LS_DETECT_UNKNOWN,     /* nothing found, but something was not checked */
    LS_DETECT_UNSUPPORTED, /* the kernel cannot be instrumented: it was not run */
    LS_DETECT_FAILED,      /* a launch failed (crash, timeout, no memory): message */
} ls_detect_status;

typedef struct {
    ls_detect_status status;
    const char *message; /* of UNSUPPORTED and FAILED */
    bool left;           /* the kernel was not run (leave_plain) */
    /* Races: the warps whose copies differ are the threads of the story; in the detail, "kind" is
     * "write-write", "read-write" or "intra-warp", and "racy_bytes" those that were seen in full. */
    ls_finding *findings;
    uint32_t finding_count;
    ls_detect_unchecked *unchecked;
    uint32_t unchecked_count;
    const char **pruned; /* objects not checked since plainly race-free, or read only */
    uint32_t pruned_count;
    uint32_t regions,
        checked_regions;  /* of the kernel text: barrier intervals; those that were run twice … */
    uint32_t own_regions; /* … and those in which every thread plainly has its own part of what they write */
    const char *not_rehearsed; /* NULL, or why it could not be worked out before the run what a block does */
    uint64_t units, copies;    /* of global memory: units that were told apart, private copies */
    bool units_are_warps;
    uint64_t inside_blocks; /* blocks as units: of how many the warps were told apart by barrier interval */
    uint32_t rounds, rounds_run, launches;
    double probability; /* Equation 1 for the rounds that were run */
    uint64_t racy_bytes,
        racy_warps;  /* Table VI: bytes and warps (or groups of them) seen to race; those recorded */
    uint64_t memory; /* bytes of device memory that the check planned and took … */
    uint64_t
        memory_used; /* … and by how much the device's free memory fell; 0 where it was kept from before */
    uint32_t shared_bytes; /* shared memory of the instrumented kernel, of one block */
    bool copies_in_shared;
    /* Rewriting the kernel, the device's compiler, taking and giving back memory (all little where the same
     * launch was checked before on this device); the check itself with all copying, sweeps and launches. */
    double instrument_ms, load_ms, alloc_ms, run_ms;
    bool from_disk; /* that nothing is to be checked was known from an earlier run */
    bool captured;  /* the launch was written to its file */
    bool watched;   /* the kernel ran once, on the memory itself, and its accesses settled everything */
    void *arena;
    struct ls_store *store; /* of the findings */
} ls_detect_result;

ls_detect_result *ls_detect_check(ls_detect_device *device, const char *ptx, size_t length,
                                  const char *filename, const ls_detect_launch *launch,
                                  const ls_detect_options *options, ls_diags *diags);
void ls_detect_result_free(ls_detect_result *result);

/* --- Launch after launch ---------------------------------------------------------------------------------
 * A launch like one whose check (with `keep`) found nothing is put on its stream together with its check, and
 * nothing is waited for. What it finds is told by ls_detect_settle, at any time later. */
typedef enum {
    LS_DETECT_NEW,    /* not queued: to be checked by ls_detect_check, when the device is idle */
    LS_DETECT_QUEUED, /* it was launched */
    LS_DETECT_PLAIN,  /* nothing is to be checked: to be launched as it is */
    LS_DETECT_KNOWN,  /* a race was found in such a launch before: to be launched as it is */
} ls_detect_next;

ls_detect_next ls_detect_queue(ls_detect_device *device, const char *ptx, size_t length, const char *filename,
                               const ls_detect_launch *launch, const ls_detect_options *options,
                               ls_diags *diags);
/* Whether a queued check has found something: cheap. */
bool ls_detect_has_found(const ls_detect_device *device);
/* Looks into what queued checks have found: waits for the device, runs such a launch again for its lines, and
 * tells of the first launch that raced. Memory stays as it is. The result lives during the call. */
void ls_detect_settle(ls_detect_device *device, const ls_detect_options *options,
                      void (*tell)(void *context, const ls_detect_launch *launch,
                                   const ls_detect_result *result),
                      void *context, ls_diags *diags);
/* The stream is about to be destroyed. */
void ls_detect_leave_stream(ls_detect_device *device, void *stream);
/* Gives back the memory that is kept between checks; false where there was none. */
bool ls_detect_give_back(ls_detect_device *device);

/* Runs the kernel as it is, `times` times; the mean time of a run in milliseconds, or negative where it
 * failed. */
double ls_detect_native(ls_detect_device *device, const char *ptx, size_t length,
                        const ls_detect_launch *launch, uint32_t times, ls_diags *diags);

/* --- In the emulator instead -----------------------------------------------------------------------------
 * A launch that was written to a file (`capture`) runs in the emulator, on the memory that it had, at the
 * same addresses: some of its blocks, for at most so many seconds. */
typedef struct {
    const char *why;      /* NULL, or why nothing can be said */
    uint64_t blocks, run; /* of the launch; those that ran to their end */
    ls_finding *findings; /* races, missing proxy fences, misuse of mbarriers */
    uint32_t finding_count;
    void *memory;
} ls_detect_emulated;

ls_detect_emulated *ls_detect_emulate(const char *path, double seconds, ls_diags *diags);
void ls_detect_emulated_free(ls_detect_emulated *emulated);

/* --- Proofs for the emulator -----------------------------------------------------------------------------
 * Which accesses of a launch take part in no race: for the emulator's options (lockstep/emulate.h). NULL
 * where Lockstep was built without the emulator. */
const struct ls_emu_prover *ls_detect_prover(void);

LS_END_DECLS

#endif
