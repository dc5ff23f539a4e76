/* The command lines of the compilers, flag by flag. */
#ifndef LS_FRONTEND_COMMAND_H
#define LS_FRONTEND_COMMAND_H

#include "base/process.h"
#include "frontend/source.h"
#include "frontend/tools.h"
#include "lockstep/frontend.h"

/* One compilation: what is compiled, how, and where its temporary files are. */
typedef struct {
    const char *path;
    const ls_frontend_options *options;
    ls_language language;
    ls_tools tools;
    ls_source_traits traits;
    const char *arch;         /* "sm_75" */
    const char *features;     /* "+ptx75"; NULL: clang does not know the architecture */
    const char *standard;     /* NULL: the compiler's default */
    char *folder;             /* temporary files */
    bool older;               /* nvcc: with what later toolkits took out of the runtime */
    const char *plain_path;   /* nvcc: the path, by a link where a shell would take it for more than a name */
    bool optimised;           /* nvcc: in source form, too */
    bool lambdas, constexprs; /* nvcc: --extended-lambda, --expt-relaxed-constexpr */
    bool separate;            /* nvcc: -rdc=true, as kernels need that launch kernels */
    bool with_cccl;           /* clang: with Thrust, CUB and libcu++ */
    bool as_nvcc;             /* clang: with the macro __NVCC__ */
    bool plain_c;             /* clang: host code in C, without CUDA */
    bool loose;               /* clang: functions of the libraries take any arguments */
    ls_args nearby;           /* folders of headers that were looked for and found */
    ls_args database;         /* options from compile_commands.json */
    ls_buf as_run;            /* the PTX as it runs, where both forms are asked for */
    const char *text;         /* of the file */
    const char *leading;      /* clang: the lines that may be precompiled (precompiled.h); NULL: none may */
    const char *precompiled;  /* clang: the file that it took; NULL: none */
    bool not_precompiled;     /* clang: it did not work */
    const char *overlay;      /* clang: NULL or a list of files that stand for others (-ivfsoverlay) */
    ls_arena *arena;
} ls_job;

/* Whether a folder has the headers of a CUDA toolkit. */
bool ls_is_toolkit_folder(const char *folder);

/* The PTX version that clang is to assume for an architecture; NULL where LLVM 19 does not know it. */
const char *ls_arch_features(const char *arch);
/* remedies.c: sm_90a is later than sm_90, and sm_100 later than both. */
bool ls_arch_is_later(const char *arch, const char *than);
/* The latest one that clang knows, for GPUs of later ones as well. */
const char *ls_arch_latest(void);

/* Each adds the whole command, program first. */
void ls_command_device(const ls_job *job, const char *output, ls_args *argv);
void ls_command_host(const ls_job *job, const char *output, ls_args *argv);
void ls_command_preprocess(const ls_job *job, const char *output, ls_args *argv);
void ls_command_object(const ls_job *job, const char *output, ls_args *argv);
void ls_command_nvcc(const ls_job *job, const char *output, ls_args *argv);

#endif
