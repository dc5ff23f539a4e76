/* Front end: compiles a .cu or .cl file to PTX text, and collects what the source says about each kernel
 * (name, position, launch sizes). A .ptx file (or "-") is passed through unchanged. See docs/frontend.md. */
#ifndef LOCKSTEP_FRONTEND_H
#define LOCKSTEP_FRONTEND_H

#include "lockstep/argument.h"
#include "lockstep/diag.h"
#include "lockstep/range.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LS_BEGIN_DECLS

typedef enum { LS_FRONTEND_AUTO, LS_FRONTEND_CLANG, LS_FRONTEND_NVCC } ls_frontend_kind;
typedef enum { LS_LANGUAGE_AUTO, LS_LANGUAGE_CUDA, LS_LANGUAGE_OPENCL, LS_LANGUAGE_PTX } ls_language;

/* SOURCE: loops as written, scalars in registers, every access kept (for proofs). AS_RUN: compiled with -O3,
 * as a device would run it (for performance and execution). */
typedef enum { LS_FORM_SOURCE, LS_FORM_AS_RUN } ls_form;

/* All zero is a good default. Texts and lists are borrowed for the call only. */
typedef struct {
    size_t size; /* LS_OPTIONS fills it */
    ls_frontend_kind kind;
    ls_form form;
    ls_language language;            /* AUTO: from the file's name, then from its text */
    const char *arch;                /* NULL: "sm_75" */
    const char *standard;            /* "c++14", "CL2.0", …; NULL: C++17, or CL1.2 and then CL2.0 */
    const char *const *include_dirs; /* -I */
    const char *const *defines;      /* -D, "NAME" or "NAME=VALUE" */
    const char *const *includes;     /* -include */
    const char *const *extra;        /* further options, passed to the compiler unchanged */
    uint32_t include_dir_count, define_count, include_count, extra_count;
    const char *cccl;             /* the folder with Thrust, CUB and libcu++; NULL: in the usual places */
    const char *compile_commands; /* -p: compile_commands.json, or the folder that has it; NULL: none */
    /* CUDA by clang: host code as well, as an object file that has the PTX in it and can be linked; with
     * further options for host code alone. */
    const char *host_object;
    bool relocatable; /* the device code will be linked with that of other files (nvcc's -rdc=true) */
    const char *const *host_extra;
    uint32_t host_extra_count;
    double compile_seconds; /* wall time for one run of a compiler; 0: any */
    uint64_t compile_bytes; /* address space for it; 0: any */
    bool no_line_info;
    bool no_launches; /* do not look for launch sizes in host code (saves one compiler run) */
    bool checked; /* LS_FORM_AS_RUN: keep calls of __assert, __requires and other annotations, and the fences
                     of OpenCL's barriers, so that they can be checked when the PTX is executed */
    bool separate_locals; /* LS_FORM_AS_RUN: gaps between local arrays, whose places are then in `locals` */
    bool keep_volatile;   /* do not remove the .volatile with which all accesses of the source are kept */
    bool both_forms;      /* LS_FORM_SOURCE: also produce the other form, from the same run of the compiler */
    const char *text; /* NULL, or a file with the text to compile in place of the file's own (an editor's text
                         that is not saved yet); only with clang */
    const char *precompiled; /* NULL, or a folder for precompiled headers: a caller that compiles many texts
                                gives the same folder each time, and removes it at the end */
    bool dependencies;       /* list the files that were read */
} ls_frontend_options;

/* Three sizes, which are all known or all unknown. */
typedef struct {
    uint32_t x, y, z;
    bool known;
} ls_launch_size;

/* One launch of a kernel in the file's own host code. */
typedef struct {
    ls_launch_size grid, block;
    bool shared_known;
    uint32_t shared_bytes; /* dynamic shared memory, if it is a constant */
    const char *file;      /* the place of the launch; NULL if it is not known */
    uint32_t line, column;
    /* What the host code says about the launch, in the language of conditions (docs/verify.md): how sizes and
     * integer arguments are computed. $argI_W_N is the I-th of N parameters, of W bits. */
    const char *const *facts;
    uint32_t fact_count;
    /* For each argument: the number of an earlier argument that is the same pointer, or its own number. NULL:
     * not known. */
    const uint32_t *same;
    uint32_t argument_count;
    const ls_argument_memory *allocations; /* the memory that some of its pointers point to */
    uint32_t allocation_count;
    const ls_argument_inside *inside; /* pointers into the memory of others */
    uint32_t inside_count;
    const ls_launch_again *again; /* NULL, or what the same launch may have left in memory before */
    bool is_recorded; /* it was seen in a run of the program (docs/launches.md): `number` is its number there
                       */
    uint32_t number;
} ls_kernel_launch;

typedef enum {
    LS_KERNEL_DEFINED,
    LS_KERNEL_DECLARED,        /* declared here, defined elsewhere */
    LS_KERNEL_NOT_INSTANTIATED /* a template that this file never instantiates */
} ls_kernel_status;

/* A parameter of an OpenCL kernel, as described by clGetKernelArgInfo. */
typedef struct {
    const char *name;                /* "" if it was not requested (-cl-kernel-arg-info) */
    const char *type;                /* "float*" */
    const char *access, *qualifiers; /* "read_only", "none"; "const restrict", "" */
    uint32_t space;                  /* 0 private, 1 global, 2 constant, 3 local */
} ls_kernel_argument;

typedef struct {
    const char *name;      /* as in the PTX (mangled); the source name if the kernel is not in the PTX */
    const char *demangled; /* "reduce<float, 256>(float const*, float*)"; for C names the same as name */
    const char *file;      /* NULL where not known */
    uint32_t line;         /* of the definition; 0 where not known */
    ls_kernel_status status;

    /* The sizes that are used if the user gives none: those that all launches in the file agree on, or
     * reqd_work_group_size / .reqntid. `origin` says where they come from: "launch at scan.cu:71". */
    ls_launch_size grid, block;
    const char *grid_origin, *block_origin;
    bool shared_known;
    uint32_t shared_bytes;

    /* Further facts: the exact size that the kernel itself requires; an upper bound on its number of threads.
     */
    ls_launch_size required_block; /* reqd_work_group_size, .reqntid */
    uint32_t max_threads;          /* __launch_bounds__, product of .maxntid; 0: none */

    /* Names of the parameters as in the source; NULL for one without a name, all NULL if they are not known.
     * Use them only if the count is that of the PTX entry. */
    const char *const *parameters;
    uint32_t parameter_count;
    const ls_parameter_range *ranges; /* by parameter; NULL: nothing is known about any of them */

    const ls_kernel_launch *launches; /* every launch that was found, also those that disagree */
    uint32_t launch_count;

    const ls_kernel_argument *arguments; /* of OpenCL kernels that clang has compiled */
    uint32_t argument_count;
} ls_compiled_kernel;

/* A variable in the frame of a function (__local_depot). */
typedef struct {
    const char *function; /* as in the PTX */
    uint32_t offset, size;
} ls_local_array;

typedef struct {
    char *ptx; /* NUL-terminated */
    size_t length;
    ls_language language;
    ls_frontend_kind used; /* CLANG or NVCC; AUTO if nothing was compiled (.ptx) */
    const char *compiler;  /* "clang 19.1.7 (bundled device headers)", for the scope */
    ls_form form;
    char *as_run; /* with both_forms: the PTX of the other form; NULL if there is only one (.ptx) */
    size_t as_run_length;
    bool uses_annotations; /* the file calls functions of lockstep.h */
    const ls_compiled_kernel *kernels;
    uint32_t kernel_count;
    const ls_local_array *locals; /* if they were requested and are known */
    uint32_t local_count;
    const char *const *dependencies; /* if they were requested: all files that were read; NULL: not known */
    uint32_t dependency_count;
    /* With dependencies and compile_commands: other files of the project and their headers that were only
     * searched for names that may lead to a launch, and those names (ls_source_sought); NULL: none. */
    const char *const *searched;
    uint32_t searched_count;
    const char *sought;
    void *memory; /* the memory that holds all of the above */
} ls_compiled;

/* Returns true and fills `out`, or returns false and adds the reason to `diags` as errors. There may be
 * warnings in both cases. May be called from several threads at the same time, each with its own `out` and
 * `diags`. */
bool ls_compile(const char *path, const ls_frontend_options *options, ls_compiled *out, ls_diags *diags);
void ls_compiled_free(ls_compiled *compiled);

/* Calls `each` with every .cu and .cl file that a compile_commands.json (or the folder that has it) names;
 * false with an error in diags. */
bool ls_compile_commands_files(const char *path, void (*each)(void *context, const char *file), void *context,
                               ls_diags *diags);

/* Whether a compiler is available; if not, `reason` says why and what to install. */
bool ls_frontend_available(ls_frontend_kind kind, char *reason, size_t reason_size);

/* The folder with the bundled headers (lockstep.h and the CUDA and OpenCL ones); "" if it is not found. */
const char *ls_frontend_share_dir(void);

/* The language of a file, by its path and (if given) its text; AUTO if neither decides. */
ls_language ls_language_of(const char *path, const char *text, size_t length);

/* Whether a source file may launch kernels, judged by its text. */
bool ls_source_launches(const char *text);

/* Whether a text has one of the names, which stand in lines: those that begin with '*' count anywhere in a
 * text that may launch kernels, the others as whole words. And a number that changes when a text begins to
 * have one of them, when it includes other files, and with any change where it has one already. */
bool ls_source_names(const char *text, const char *sought);
uint64_t ls_source_sought(const char *text, const char *sought);

/* Whether a kernel is the wanted one: by its name in the PTX, by its demangled name (or NULL), or by the
 * demangled name without arguments and template arguments. */
bool ls_kernel_is_named(const char *name, const char *demangled, const char *wanted);

/* Writes the source form of a mangled name into `out` (the name itself if it is not mangled). */
void ls_demangle(const char *name, char *out, size_t out_size);

/* The variable's own name: "s" of "_ZZ4scanPiE1s" and of OpenCL's "scan_$_s"; other names as they are. */
void ls_variable_name(const char *name, char *out, size_t out_size);

LS_END_DECLS

#endif
