/* The command line of nvcc, taken apart. */
#ifndef LS_CLI_NVCC_OPTIONS_H
#define LS_CLI_NVCC_OPTIONS_H

#include "cli/cli.h"

typedef enum {
    LS_NVCC_LINK,
    LS_NVCC_OBJECTS,
    LS_NVCC_PTX,
    LS_NVCC_FATBIN, /* PTX in the form that modules are loaded from */
    LS_NVCC_DEVICE_LINK,
    LS_NVCC_VERSION
} ls_nvcc_step;

typedef struct {
    ls_nvcc_step step;    /* the last one */
    const char *output;   /* NULL: the usual name */
    const char *language; /* of -x: NULL: by the file's name */
    const char *arch;     /* "sm_75"; NULL: not given, or not one */
    const char *standard;
    const char *cccl;
    ls_list inputs; /* sources, objects and libraries, in their order */
    ls_list include_dirs, defines, includes;
    ls_list both; /* other options for host and device code */
    ls_list host; /* for host code alone */
    ls_list link; /* for the linker */
    bool verbose, dry_run, shared, no_runtime;
    bool relocatable;   /* -rdc=true, -dc: device code is linked with that of other files */
    bool *needs_others; /* NULL, or set to true if device code of other files is used; no message is printed
                           then */
    bool own_libraries; /* link with those of Lockstep's that the program calls */
} ls_nvcc_options;

/* False with a message where the command line is wrong. */
bool ls_nvcc_parse(ls_cli *cli, const ls_list *words, ls_nvcc_options *out);
/* The options of nvcc among those of clang: what is none of nvcc's is for host and device code, and there are
 * no files among the words. */
bool ls_nvcc_parse_mixed(ls_cli *cli, const ls_list *words, ls_nvcc_options *out);

#endif
