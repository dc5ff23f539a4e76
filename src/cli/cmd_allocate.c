/* lockstep allocate: PTX with registers allocated, and a report of what was spilled, how and where. */
#include "cli/input.h"
#include "lockstep/allocate.h"
#include "report/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ls_common common;
    int allocator, degree;
    uint32_t registers, predicates, shared_budget, dynamic_shared, fit;
    bool keep_spills, ignore_occupancy;
    const char *ptxas, *html;
} allocate_options;

#define FIELD(name) offsetof(allocate_options, name)

static const ls_option options[] = {
    {LS_OPT_NUMBER, "registers", 'n', FIELD(registers), "N", "0",
     "32-bit registers that a thread may use: 4 to 255; 64-bit values take two (0: no limit)"},
    {LS_OPT_CHOICE, "allocator", 0, FIELD(allocator), "linear|div|aff", "aff",
     "where spilled values go; linear: to local memory; div: uniform values to shared memory; aff: as div, "
     "and affine values are recomputed"},
    {LS_OPT_NUMBER, "fit", 0, FIELD(fit), "N", "0",
     "instead of -n: change only as much as ptxas -maxrregcount N needs to spill nothing to local memory"},
    {LS_OPT_CHOICE, "degree", 0, FIELD(degree), "1|2", "1", "degree of the polynomials in threadIdx"},
    {LS_OPT_NUMBER, "predicates", 0, FIELD(predicates), "N", "7", "predicate registers: 2 to 255"},
    {LS_OPT_NUMBER, "shared-budget", 0, FIELD(shared_budget), "BYTES", "49152",
     "total shared memory that a block may have"},
    {LS_OPT_NUMBER, "dynamic-shared", 0, FIELD(dynamic_shared), "BYTES", "0",
     "dynamic shared memory of the launch"},
    {LS_OPT_FLAG, "ignore-occupancy", 0, FIELD(ignore_occupancy), NULL, NULL,
     "use shared memory even if fewer blocks then fit on a multiprocessor"},
    {LS_OPT_FLAG, "keep-spills", 0, FIELD(keep_spills), NULL, NULL,
     "write spills so that ptxas cannot turn them back into registers (for measurements)"},
    {LS_OPT_TEXT, "ptxas", 0, FIELD(ptxas), "PATH", NULL, "the ptxas of --fit (default: on the PATH)",
     .own = true},
    LS_KERNEL_OPTIONS,
    LS_COMPILE_OPTIONS,
    LS_OUTPUT_OPTIONS("text|json"),
    {LS_OPT_TEXT, "html", 0, FIELD(html), "FILE", NULL,
     "also write a page that shows each kernel before and after", .own = true},
    {LS_OPT_END}};

typedef struct {
    const allocate_options *options;
    const ls_input *input;
    ls_arena *arena;
} selection;

/* Which kernels, and the block sizes that are known of them. Functions go with the whole file only. */
static bool wants(void *context, const char *name, uint32_t block[3]) {
    const selection *s = context;
    const ls_common *common = &s->options->common;
    for (uint32_t i = 0; i < s->input->compiled.kernel_count; i++) {
        const ls_compiled_kernel *kernel = &s->input->compiled.kernels[i];
        if (strcmp(kernel->name, name)) continue;
        uint32_t grid[3];
        const char *from;
        ls_input_launch(common, kernel, s->arena, block, grid, &from);
        return ls_cli_wants_kernel(common, name, kernel->demangled);
    }
    return !common->kernels.count;
}

typedef struct {
    char *ptx, *report;
    char *json; /* the report for --html; NULL: nobody asks */
    size_t length;
    bool all_done; /* nothing was left as it is */
} result;

static bool allocate(const allocate_options *o, const char *path, selection *s, ls_diags *diags,
                     result *out) {
    ls_allocate_options how = {.allocator = (ls_allocator)o->allocator,
                               .registers = o->registers,
                               .predicates = o->registers ? o->predicates : 0,
                               .degree = (uint32_t)o->degree + 1,
                               .shared_budget = o->shared_budget,
                               .dynamic_shared = o->dynamic_shared,
                               .ignore_occupancy = o->ignore_occupancy,
                               .keep_spills = o->keep_spills,
                               .wants = wants,
                               .context = s};
    ls_allocation *done = ls_allocate(s->input->module, &how, diags);
    if (!done) return false;
    bool json = o->common.format == LS_FORMAT_JSON;
    *out = (result){done->ptx, json ? ls_allocation_json(done, path) : ls_allocation_text(done, path),
                    o->html ? ls_allocation_json(done, path) : NULL, done->length, true};
    for (uint32_t i = 0; i < done->kernel_count; i++) out->all_done &= done->kernels[i].rewritten;
    done->ptx = NULL;
    ls_allocation_free(done);
    return true;
}

static bool fit(const allocate_options *o, const char *path, selection *s, ls_diags *diags, result *out) {
    ls_fit_options how = {.registers = o->fit,
                          .ptxas = o->ptxas,
                          .arch = o->common.arch,
                          .degree = (uint32_t)o->degree + 1,
                          .shared_budget = o->shared_budget,
                          .dynamic_shared = o->dynamic_shared,
                          .wants = wants,
                          .context = s};
    ls_fit *done = ls_allocate_fit(s->input->module, &how, diags);
    if (!done) return false;
    bool json = o->common.format == LS_FORMAT_JSON;
    *out = (result){done->ptx, json ? ls_fit_json(done, path) : ls_fit_text(done, path),
                    o->html ? ls_fit_json(done, path) : NULL, done->length, true};
    done->ptx = NULL;
    ls_fit_free(done);
    return true;
}

/* PTX to -o and the report to the standard output; without -o PTX to the standard output and the report to
 * the standard error. */
static int show(ls_cli *cli, const ls_common *common, const result *r) {
    fprintf(common->output ? stdout : stderr, "%s%s", r->report,
            common->format == LS_FORMAT_JSON ? "\n" : "");
    int status = ls_cli_write(cli, common, r->ptx, r->length);
    return status == LS_EXIT_CLEAN && !r->all_done ? LS_EXIT_UNKNOWN : status;
}

/* The page of --html: the same report, with the PTX as it was and as it is. */
static int write_page(const ls_cli *cli, const allocate_options *o, const char *json, const char *before,
                      const char *after) {
    size_t length;
    char *page = ls_page_of_change(json, before, after, &length);
    bool good = ls_write_file(o->html, page, length);
    free(page);
    return good ? LS_EXIT_CLEAN : ls_cli_error(cli, "cannot write '%s': %s", o->html, strerror(errno));
}

static int run(ls_cli *cli, const void *parsed) {
    const allocate_options *o = parsed;
    if (o->common.operands.count != 1)
        return ls_cli_error(cli, "expected one input file; try 'lockstep allocate --help'");
    if (o->fit && o->registers) return ls_cli_error(cli, "--fit and --registers exclude each other");
    const char *path = o->common.operands.items[0];
    ls_diags *diags = ls_diags_new();
    ls_input input;
    int status = LS_EXIT_USAGE;
    if (ls_input_load(&o->common, path, LS_FORM_AS_RUN, &input, diags)) {
        selection s = {o, &input, &cli->arena};
        ls_input_check_kernels(&o->common, path, &input.compiled, diags);
        result r = {0};
        if (!ls_diags_errors(diags) &&
            (o->fit ? fit(o, path, &s, diags, &r) : allocate(o, path, &s, diags, &r))) {
            status = show(cli, &o->common, &r);
            if (o->html && status != LS_EXIT_USAGE && write_page(cli, o, r.json, input.compiled.ptx, r.ptx))
                status = LS_EXIT_USAGE;
        }
        free(r.ptx);
        free(r.report);
        free(r.json);
        ls_input_free(&input);
    }
    ls_cli_show_diags(cli, &o->common, diags);
    if (ls_diags_errors(diags)) status = LS_EXIT_USAGE;
    ls_diags_free(diags);
    return status;
}

const ls_command ls_cmd_allocate = {
    .name = "allocate",
    .operands = "FILE",
    .summary = "rewrite kernels to use fewer registers, with cheap spills (PTX to PTX)",
    .about = "Rewrites kernels to use at most N registers. What does not fit is spilled cheaply: values that "
             "all threads of a warp share are stored once, in shared memory; values that are affine in "
             "threadIdx are recomputed; only the rest goes to local memory. With --fit N, kernels are "
             "changed only where ptxas -maxrregcount N would spill. The PTX is written to -o and the report "
             "to standard output; without -o the PTX goes to standard output and the report to standard "
             "error. Exit status 3: a function was left as it is, and the report says why.",
    .examples = "-n 24 -o out.ptx scan.cu\tat most 24 registers a thread\n"
                "--fit 32 -o out.ptx scan.ptx\tchange only what ptxas would spill\n",
    .options = options,
    .options_size = sizeof(allocate_options),
    .run = run,
};
