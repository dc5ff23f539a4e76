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
/* The number of rounds after which every pair of units has been compared, with this number of private copies:
 * ⌈log_copies units⌉. 0 if there is nothing to compare (fewer than 2 units) or if it is not possible (fewer
 * than 2 copies). */
uint32_t ls_detect_rounds(uint64_t units, uint64_t copies);
/* Equation 1: the probability that a race between two units, wherever they are, is found in the first
 * `rounds` rounds. */
double ls_detect_probability(uint64_t units, uint64_t copies, uint32_t rounds);
/* In round `round` (from 0) of `rounds`, unit u uses copy (u / divisor) mod copies. */
uint64_t ls_detect_divisor(uint64_t copies, uint32_t rounds, uint32_t round);

/* --- Devices ---------------------------------------------------------------------------------------------
 */
typedef struct ls_detect_device ls_detect_device;

/* A GPU through the CUDA driver, which is loaded by the call; NULL with an error in diags if there is none.
 * The second function uses the context that is current in the calling thread. */
ls_detect_device *ls_detect_cuda(ls_diags *diags);
ls_detect_device *ls_detect_cuda_current(ls_diags *diags);
/* The emulator of this library. */
ls_detect_device *ls_detect_emulator(ls_diags *diags);
/* Makes the emulator run warps and blocks in a random order; with 0 (the default) it runs them one after the
 * other. */
void ls_detect_emulator_schedule(ls_detect_device *device, uint64_t seed);
void ls_detect_device_free(ls_detect_device *device);
const char *ls_detect_device_name(const ls_detect_device *device);

/* Device memory for the caller's buffers; returns 0 if none is left. */
uint64_t ls_detect_alloc(ls_detect_device *device, uint64_t size);
void ls_detect_free(ls_detect_device *device, uint64_t address);
bool ls_detect_write(ls_detect_device *device, uint64_t to, const void *from, uint64_t size);
bool ls_detect_read(ls_detect_device *device, void *to, uint64_t from, uint64_t size);

/* --- Checking a launch -----------------------------------------------------------------------------------
 */
typedef struct { /* memory that the kernel may access through pointers */
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
    /* Gives the address and size of a variable in the program's own module. NULL: the PTX is loaded as a
     * module of its own. */
    uint64_t (*symbol)(void *context, const char *name, uint64_t *size);
    void *symbol_context;
    bool leave_plain;     /* if nothing has to be checked, the kernel is not run, and result->left is set: the
                             caller runs it */
    const char *as_it_is; /* not NULL: only the caller can run the kernel (captured, cooperative, …), so
                             nothing is done on the device, and this text is the reason given for memory that
                             is not known to be race-free */
    /* With as_it_is: a function by which the caller launches the watched form of the kernel
     * (ls_detect_queue). `function` is the driver's handle, and the parameters are one block of memory. It
     * returns false if the driver refuses. */
    bool (*start)(void *context, void *function, const void *params, size_t size, uint32_t shared_bytes);
    void *start_context;
    bool repeats;  /* a plain launch does the same, unless threads wait for each other through memory */
    bool captured; /* it is being captured into a graph: launches, fills and copies on the stream are recorded
                      and run later */
    /* For programs that launch kernels again and again (ls_detect_queue). */
    bool keep;         /* keep what further launches like this one need */
    uint64_t identity; /* if not 0: launches with the same number have the same PTX */
    uint64_t number;   /* of the launch, counted from 1 */
    void *stream;      /* ls_detect_queue: the program's stream, as a handle of the driver */
    bool alone;        /* ls_detect_queue: nothing else of the program runs at the same time as this stream */
    uint32_t cluster[3]; /* blocks of a cluster; 0: as stated by the kernel */
    /* NULL, or the path of a file: if the launch has operations that cannot be watched on the device
     * (mbarriers, bulk copies, barriers of only some warps), it is written to this file with its memory
     * before it runs, for ls_detect_emulate. */
    const char *capture;
} ls_detect_launch;

typedef struct {
    size_t size; /* LS_OPTIONS fills it */
    bool all;    /* also check memory that is clearly race-free (each thread accesses its own elements) */
    bool deterministic; /* check nothing: run once, and merge the private copies in a fixed order (002, §4.6)
                         */
    bool equal_values;  /* writes of equal values to the same place are reported as races */
    bool no_lines;      /* do not run the kernel again to find source lines */
    bool no_shared;     /* do not check shared memory … */
    bool no_global;     /* … or global memory */
    bool no_intra_warp; /* leave out the check for conflicts within one instruction (002, §4.7) */
    bool copies_in_global; /* keep private copies of shared memory in global memory even if they fit into
                              shared memory */
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
    LS_DETECT_CLEAN, /* everything that had to be checked was checked, and nothing was found */
    LS_DETECT_RACY,
    LS_DETECT_UNKNOWN,     /* nothing found, but something was not checked */
    LS_DETECT_UNSUPPORTED, /* the kernel cannot be instrumented, and was not run */
    LS_DETECT_FAILED,      /* a launch failed (crash, timeout, no memory): message */
} ls_detect_status;

typedef struct {
    ls_detect_status status;
    const char *message; /* of UNSUPPORTED and FAILED */
    bool left;           /* the kernel was not run (leave_plain) */
    /* Races. The story's threads are the warps whose copies differ. In the detail, "kind" is "write-write",
     * "read-write" or "intra-warp", and "racy_bytes" is the number of racy bytes that were seen. */
    ls_finding *findings;
    uint32_t finding_count;
    ls_detect_unchecked *unchecked;
    uint32_t unchecked_count;
    const char **pruned; /* objects that were not checked because they are clearly race-free or only read */
    uint32_t pruned_count;
    uint32_t regions,
        checked_regions;  /* barrier intervals in the kernel's code; those that were run twice … */
    uint32_t own_regions; /* … and those in which each thread clearly has its own part of the memory that they
                             write */
    const char *not_rehearsed; /* NULL, or why no block could be rehearsed before the launch */
    uint64_t units,
        copies; /* global memory: number of units that were distinguished, and of private copies */
    bool units_are_warps;
    uint64_t inside_blocks; /* if units are blocks: the number of blocks whose warps were distinguished as
                               well, by barrier interval */
    uint32_t rounds, rounds_run, launches;
    double probability;              /* Equation 1 for the rounds that were run */
    uint64_t racy_bytes, racy_warps; /* Table VI: bytes and warps (or groups of warps) that raced, as far as
                                        they were recorded */
    uint64_t memory;                 /* bytes of device memory that the check planned with and allocated … */
    uint64_t memory_used; /* … and by how much the device's free memory decreased; 0 if memory from an earlier
                             check was used */
    uint32_t shared_bytes; /* shared memory of the instrumented kernel, of one block */
    bool copies_in_shared;
    /* Times for rewriting the kernel, for the device's compiler, and for allocating and freeing memory (all
     * small if the same launch was checked before on this device), and for the check itself with all copies,
     * comparisons and launches. */
    double instrument_ms, load_ms, alloc_ms, run_ms;
    bool from_disk; /* the result that nothing has to be checked was kept on disk by an earlier run */
    bool captured;  /* the launch was written to the file `capture` */
    bool
        watched; /* the kernel ran once, on the memory itself, and its recorded accesses decided everything */
    void *arena;
    struct ls_store *store; /* of the findings */
} ls_detect_result;

ls_detect_result *ls_detect_check(ls_detect_device *device, const char *ptx, size_t length,
                                  const char *filename, const ls_detect_launch *launch,
                                  const ls_detect_options *options, ls_diags *diags);
void ls_detect_result_free(ls_detect_result *result);

/* --- Launch after launch ---------------------------------------------------------------------------------
 * If the check of a launch (with `keep`) found nothing, further launches like it are put on their stream
 * together with their check, and the call does not wait. ls_detect_settle reports what these checks found, at
 * any later time. */
typedef enum {
    LS_DETECT_NEW,    /* not queued: check it by ls_detect_check when the device is idle */
    LS_DETECT_QUEUED, /* it was launched */
    LS_DETECT_PLAIN,  /* nothing has to be checked: launch it as it is */
    LS_DETECT_KNOWN,  /* a race was found in such a launch before: launch it as it is */
} ls_detect_next;

ls_detect_next ls_detect_queue(ls_detect_device *device, const char *ptx, size_t length, const char *filename,
                               const ls_detect_launch *launch, const ls_detect_options *options,
                               ls_diags *diags);
/* Whether a queued check has found something. A cheap test. */
bool ls_detect_has_found(const ls_detect_device *device);
/* Reports what queued checks have found: waits for the device, repeats the first launch that raced to find
 * its source lines, and calls `tell` with the result, which is valid during that call. Memory is not changed.
 */
void ls_detect_settle(ls_detect_device *device, const ls_detect_options *options,
                      void (*tell)(void *context, const ls_detect_launch *launch,
                                   const ls_detect_result *result),
                      void *context, ls_diags *diags);
/* The stream is about to be destroyed. */
void ls_detect_leave_stream(ls_detect_device *device, void *stream);
/* Frees the memory that is kept between checks; false if there was none. */
bool ls_detect_give_back(ls_detect_device *device);

/* Runs the unmodified kernel `times` times. Returns the mean time of a run in milliseconds, or a negative
 * number if it failed. */
double ls_detect_native(ls_detect_device *device, const char *ptx, size_t length,
                        const ls_detect_launch *launch, uint32_t times, ls_diags *diags);

/* --- In the emulator instead -----------------------------------------------------------------------------
 * Runs a launch that was written to a file (`capture`) in the emulator, with the memory that it had and at
 * the same addresses: some of its blocks, for at most this many seconds. */
typedef struct {
    const char *why;      /* NULL, or why there is no result */
    const char *limit;    /* NULL, or what the emulator gave up checking */
    uint64_t blocks, run; /* the launch's blocks, and how many of them ran to their end */
    ls_finding *findings; /* races, missing proxy fences, misuse of mbarriers */
    uint32_t finding_count;
    void *memory;
} ls_detect_emulated;

ls_detect_emulated *ls_detect_emulate(const char *path, double seconds, ls_diags *diags);
void ls_detect_emulated_free(ls_detect_emulated *emulated);

/* --- Proofs for the emulator -----------------------------------------------------------------------------
 * Finds the accesses of a launch that take part in no race, for the emulator's options (lockstep/emulate.h).
 * NULL if Lockstep was built without the emulator. */
const struct ls_emu_prover *ls_detect_prover(void);

LS_END_DECLS

#endif
