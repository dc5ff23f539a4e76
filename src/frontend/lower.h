/* From LLVM bitcode to PTX, in process. */
#ifndef LS_FRONTEND_LOWER_H
#define LS_FRONTEND_LOWER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "lockstep/frontend.h"

typedef struct {
    ls_form form;
    const char *arch;     /* "sm_75" */
    const char *features; /* "+ptx75" */
    bool keep_volatile;
    const char *source; /* for messages */
    bool separate_locals;
    bool relocatable;    /* AS_RUN: functions and variables stay for other files */
    bool optimize;       /* AS_RUN, of bitcode that the compiler has left as it was */
    bool rough_division; /* AS_RUN: of floats, with an error of up to 2 units of the last place (div.full) */
} ls_lower_options;

/* What the IR says of a kernel. Names stand in the arena. */
typedef struct {
    const char *name, *file;
    uint32_t line;
    ls_launch_size required;
    uint32_t max_threads;
    const ls_kernel_argument *arguments;
    uint32_t argument_count;
} ls_ir_kernel;
typedef LS_VEC(ls_ir_kernel) ls_ir_kernels;

typedef LS_VEC(ls_local_array) ls_local_arrays;

/* The vectors are to be freed by the caller. */
bool ls_lower(const char *bitcode_path, const ls_lower_options *options, ls_arena *arena, ls_buf *ptx,
              ls_ir_kernels *kernels, ls_local_arrays *locals, ls_diags *diags);

/* A launch in the host's IR: the kernel's name is that of its host stub, demangled, without the prefix. */
typedef struct {
    const char *kernel;
    ls_kernel_launch launch;
} ls_ir_launch;
typedef LS_VEC(ls_ir_launch) ls_ir_launches;
/* elsewhere: only of kernels that the host code declares, and that another file defines. */
bool ls_host_launches(const char *bitcode_path, ls_arena *arena, bool elsewhere, ls_ir_launches *launches);
typedef struct {
    bool elsewhere; /* as above, of each of the files */
    bool whole;     /* no other file calls functions of these, if one of them has main */
} ls_host_link;
/* Of several files, linked. False: they cannot be, and what is in `launches` is of no use. */
bool ls_host_launches_linked(const char *const *bitcode, uint32_t count, ls_host_link how, ls_arena *arena,
                             ls_ir_launches *launches);

#endif
