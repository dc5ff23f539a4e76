/* What GPUs can hold and launch: one table by architecture, and the gate that every module passes when it is
 * parsed, before anything runs or is allocated. A module or launch beyond these limits is wrong input: no
 * GPU would take it, and the rest of Lockstep may count on sizes that stay within them.
 *
 * PTX for an architecture also runs on later ones, so what holds for a module are the largest limits among
 * its own architecture and those that came after it (but for targets such as sm_90a, which run on that one
 * only).
 */
#ifndef LOCKSTEP_LIMITS_H
#define LOCKSTEP_LIMITS_H

#include "lockstep/ptx.h"

LS_BEGIN_DECLS

/* One architecture (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"). */
typedef struct {
    uint32_t arch;          /* 75 of sm_75 */
    uint32_t warps, blocks; /* of a multiprocessor */
    uint32_t shared;        /* bytes of a multiprocessor … */
    uint32_t reserved;      /* … of which the system takes so many for each block … */
    uint32_t granularity;   /* … in steps of this */
    uint32_t block_shared;  /* bytes that one block may have, with cudaFuncSetAttribute */
} ls_gpu;

/* The latest architecture in the table that is not later than this one. */
const ls_gpu *ls_gpu_of(uint32_t arch);

/* The number in the module's .target sm_XX; 0 where there is none. */
uint32_t ls_ptx_arch(const ls_ptx_module *module);

/* Those that are the same for all. */
enum {
    LS_MOST_BLOCK_THREADS = 1024,
    LS_MOST_BLOCK_X = 1024,
    LS_MOST_BLOCK_Y = 1024,
    LS_MOST_BLOCK_Z = 64,
    LS_MOST_GRID_X = 0x7fffffff,
    LS_MOST_GRID_YZ = 65535,
    LS_MOST_PARAM_BYTES = 32764,      /* of a kernel, since CUDA 12.1; 4 KB before */
    LS_MOST_CONST_BYTES = 64 * 1024,  /* of a bank */
    LS_MOST_LOCAL_BYTES = 512 * 1024, /* of a thread: its local variables, arguments and results of calls */
    LS_MOST_ALIGNMENT = 64 * 1024,
    LS_MOST_REGISTERS = 1 << 24, /* declared in a range: names, of which the hardware knows nothing */
};
#define LS_MOST_GLOBAL_BYTES (UINT64_C(288) << 30) /* of any GPU */

/* Bytes of shared memory that a block of the module's kernels can have; NULL: a block on any GPU. */
uint32_t ls_most_shared(const ls_ptx_module *module);

/* Whether the module's declarations are within the limits: sizes, alignments, sums of them; with `any_size` a
 * block may have more shared memory than CUDA's GPUs have. Errors with their lines in diags. ls_ptx_parse
 * gives no module that is not within the limits, ls_ptx_parse_any_size none that is not but for shared
 * memory: for kernels of other devices (OpenCL), to be looked at, not run. */
bool ls_ptx_within_limits(const ls_ptx_module *module, bool any_size, ls_diags *diags);
ls_ptx_module *ls_ptx_parse_any_size(const char *text, size_t length, const char *filename, ls_diags *diags);

/* Whether a launch is: NULL, or what is wrong with it, in `text`. Sizes of 0 are not known and pass. */
const char *ls_launch_limits(const uint32_t grid[3], const uint32_t block[3], char *text, size_t size);

LS_END_DECLS

#endif
