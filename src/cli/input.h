/* Input files for subcommands: source through the front end and the parser, with the common options. */
#ifndef LS_CLI_INPUT_H
#define LS_CLI_INPUT_H

#include "cli/cli.h"
#include "cli/recorded.h"
#include "lockstep/frontend.h"
#include "lockstep/ptx.h"

/* One file as Lockstep sees it. */
typedef struct {
    ls_compiled compiled;  /* the PTX text and what the source says of each kernel */
    ls_ptx_module *module; /* the same, parsed */
    ls_ptx_module *as_run; /* with both forms: the other one; NULL where there is but one */
} ls_input;

/* The front end's options as the command line has them. */
ls_frontend_options ls_cli_frontend(const ls_common *common, ls_form form);

/* Compiles and parses; false with errors in diags. ls_input_free is needed only after true. */
bool ls_input_load(const ls_common *common, const char *path, ls_form form, ls_input *out, ls_diags *diags);
/* In source form, and as it runs, of one compilation. */
bool ls_input_load_both(const ls_common *common, const char *path, ls_input *out, ls_diags *diags);
/* The same with the caller's own options. */
bool ls_input_open(const ls_common *common, const ls_frontend_options *options, const char *path,
                   ls_input *out, ls_diags *diags);

/* Compiles all files now, so that no compiler is started later; what comes of it is taken over by whoever
 * loads the file, once. The options are borrowed. In arena, and freed with ls_prepared_free. */
typedef struct ls_prepared ls_prepared;
ls_prepared *ls_input_prepare(const ls_common *common, const ls_frontend_options *options, ls_arena *arena);
void ls_prepared_free(ls_prepared *prepared);
void ls_input_free(ls_input *input);

/* The launch sizes to use for a kernel: --block and --grid, else what the file says; all zero where not
 * known. *from (in arena) says where they come from, or is NULL. */
void ls_input_launch(const ls_common *common, const ls_compiled_kernel *kernel, ls_arena *arena,
                     uint32_t block[3], uint32_t grid[3], const char **from);

/* A launch that a kernel is looked at for: sizes (all zero where not known), where they come from (or NULL),
 * and what the host code says of it. */
typedef struct {
    uint32_t block[3], grid[3];
    const char *from;
    const char *const *facts;
    uint32_t fact_count;
    const ls_kernel_launch *launch; /* NULL: none in particular */
} ls_launch_case;

/* Every distinct launch that was recorded of the kernel (recorded may be NULL), or else that is in the host
 * code; one case for all where there is none, or where --block or --grid are given. In arena. */
const ls_launch_case *ls_input_cases(const ls_common *common, const ls_compiled_kernel *kernel,
                                     const ls_recorded *recorded, ls_arena *arena, uint32_t *count);

/* What the source calls the parameters of the PTX function, one for each (entries may be NULL); NULL where it
 * does not tell. */
const char *const *ls_input_parameters(const ls_compiled_kernel *kernel, const ls_ptx_function *function);
/* What their types leave, one for each, or NULL. */
const ls_parameter_range *ls_input_ranges(const ls_compiled_kernel *kernel, const ls_ptx_function *function);

/* Every --kernel must name one that is there: errors in diags. */
void ls_input_check_kernels(const ls_common *common, const char *path, const ls_compiled *compiled,
                            ls_diags *diags);

/* Whether the kernel is one to work on: defined, asked for by --kernel, and without --kernel not one that a
 * system header brings (Thrust's and CUB's). */
bool ls_input_wants(const ls_common *common, const ls_compiled_kernel *kernel);

/* Adds a kernel to the job's file in the report, with its position and launch sizes. */
ls_report_kernel *ls_input_report(const ls_cli_job *job, const ls_compiled_kernel *kernel);
/* The same for one launch of it. */
ls_report_kernel *ls_input_report_case(const ls_cli_job *job, const ls_compiled_kernel *kernel,
                                       const ls_launch_case *launch);

/* The kernel of an entry as it is run, for which the size of its blocks must be known; NULL: there is no
 * code, or the entry says why not. */
const ls_ptx_function *ls_input_runnable(const ls_input *input, ls_report_kernel *entry);

/* Kernels that the file has as templates, and never instantiates: there is nothing to check, which is said.
 * Where it has no other kernel, that is all there is to say of the file, and unknown. */
void ls_input_report_templates(const ls_cli_job *job, const ls_input *input);

#endif
