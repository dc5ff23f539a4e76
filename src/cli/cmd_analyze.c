/* lockstep analyze: divergence, coalescing and bank conflicts of each kernel, as it runs (-O3); with --values
 * the abstract state of every register instead, as in 003's Figure 2. */
#include "cli/performance.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ls_common common;
    bool values, all, source_shaped;
    int degree, domain;
    ls_list maps;
} analyze_options;

#define FIELD(name) offsetof(analyze_options, name)

static const ls_option options[] = {
    {LS_OPT_FLAG, "all", 'a', FIELD(all), NULL, NULL,
     "list every access, including those that cost no more than they must"},
    {LS_OPT_FLAG, "values", 0, FIELD(values), NULL, NULL,
     "print the abstract state of every register instead; T is threadIdx.x, ⊥ an unknown uniform value"},
    {LS_OPT_LIST, "arg", 0, FIELD(maps), "NAME=SPEC", NULL,
     "a tensor map that a kernel gets as the parameter of that name or number: "
     "NAME=tensor:f16[128,64]box[64,8]"},
    {LS_OPT_CHOICE, "degree", 0, FIELD(degree), "0|1|2", "2",
     "degree of the polynomials in threadIdx; 0: uniform or divergent only"},
    {LS_OPT_CHOICE, "domain", 0, FIELD(domain), "lanes|gpudrano", "lanes",
     "abstract domain for coalescing; gpudrano: that of the GPUDrano paper, for comparison"},
    {LS_OPT_FLAG, "source-shaped", 0, FIELD(source_shaped), NULL, NULL,
     "compile as for verification (loops as written) instead of as for a GPU"},
    LS_KERNEL_OPTIONS,
    LS_COMPILE_OPTIONS,
    LS_RUN_OPTIONS,
    LS_CACHE_OPTION,
    LS_UNTRUSTED_OPTION,
    LS_REPORT_OPTIONS,
    {LS_OPT_END}};

static ls_form form_of(const analyze_options *o) {
    return o->source_shaped ? LS_FORM_SOURCE : LS_FORM_AS_RUN;
}

static ls_frontend_options compiles(const void *parsed) {
    return ls_cli_frontend(parsed, form_of(parsed));
}

static uint32_t degree_of(const analyze_options *o) {
    return o->degree ? (uint32_t)o->degree : LS_DEGREE_SIMPLE;
}

static void one_file(const ls_cli_job *job) {
    const analyze_options *o = (const analyze_options *)job->common;
    ls_performance_options how = {
        .degree = degree_of(o), .domain = (ls_analyze_domain)o->domain, .all = o->all, .maps = &o->maps};
    ls_input input;
    if (!ls_input_load(job->common, job->path, form_of(o), &input, job->file->diags)) return;
    for (uint32_t i = 0; i < input.compiled.kernel_count; i++) {
        const ls_compiled_kernel *kernel = &input.compiled.kernels[i];
        if (!ls_input_wants(job->common, kernel)) continue;
        ls_performance(job, &input, kernel, NULL, ls_input_report(job, kernel), &how, job->file->diags);
    }
    ls_input_free(&input);
}

/* --- --values
 * -------------------------------------------------------------------------------------------------- */

static const char *kind_of(const ls_analysis *a, const ls_ir_value *value) {
    const ls_shape *shape = &a->shapes[value->id];
    if (shape->kind == LS_SHAPE_UNSEEN) return "unreached";
    if (shape->kind == LS_SHAPE_DIVERGENT) return "divergent";
    if (shape->term_count) return ls_analysis_warp_uniform(a, value) ? "uniform in a warp" : "affine";
    return shape->warp_only ? "uniform in a warp" : shape->constant.modulus ? "uniform" : "constant";
}

/* Characters, of UTF-8. */
static int width(const char *text) {
    int count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count < 24 ? count : 24;
}

static uint32_t line_of(const ls_ir_value *value) {
    const ls_ir_instr *instr = value->kind == LS_VALUE_INSTR ? value->instr : NULL;
    if (value->kind == LS_VALUE_PHI && value->phi->block->instr_count) instr = value->phi->block->instrs[0];
    return instr && instr->pos ? instr->pos->line : 0;
}

static void print_values(const analyze_options *o, const ls_analysis *a, ls_buf *out) {
    const ls_ir_function *f = a->function;
    ls_buf_printf(out, "%s\n  %-16s %6s  %-20s %-24s %s\n", f->name, "value", "line", "source", "state", "");
    for (uint32_t i = 0; i < f->value_count; i++) {
        const ls_ir_value *value = f->values[i];
        if (value->kind == LS_VALUE_IMM || value->kind == LS_VALUE_OBJECT) continue;
        char name[128], source[128], state[256];
        ls_ir_value_name(f, value, name, sizeof name);
        ls_ir_source_name(f, value, source, sizeof source);
        ls_shape_print(&a->shapes[i], (uint32_t)o->degree, state, sizeof state);
        const char *shown = o->domain == LS_DOMAIN_GPUDRANO ? ls_analysis_gpudrano(a, value) : state;
        ls_buf_printf(out, "  %-16s %6" PRIu32 "  %-20s %s%*s %s\n", name, line_of(value),
                      strcmp(source, name) ? source : "", shown, 24 - width(shown), "", kind_of(a, value));
    }
}

static void values_of_file(const analyze_options *o, const char *path, ls_buf *out, ls_diags *diags) {
    ls_input input;
    if (!ls_input_load(&o->common, path, form_of(o), &input, diags)) return;
    ls_arena arena;
    ls_arena_init(&arena);
    for (uint32_t i = 0; i < input.compiled.kernel_count; i++) {
        const ls_compiled_kernel *kernel = &input.compiled.kernels[i];
        const ls_ptx_function *function = ls_ptx_find_function(input.module, kernel->name);
        if (!function || !function->body || kernel->status != LS_KERNEL_DEFINED) continue;
        if (!ls_cli_wants_kernel(&o->common, kernel->name, kernel->demangled)) continue;
        ls_ir_function *ir = ls_ir_build(input.module, function, &(ls_ir_options){.quiet = true}, diags);
        if (!ir) continue;
        ls_analyze_options how = {
            .degree = degree_of(o), .domain = (ls_analyze_domain)o->domain, .shapes_only = true};
        const char *from;
        ls_input_launch(&o->common, kernel, &arena, how.block, how.grid, &from);
        ls_analysis *a = ls_analyze(ir, &how);
        print_values(o, a, out);
        ls_analysis_free(a);
        ls_ir_free(ir);
    }
    ls_arena_free(&arena);
    ls_input_free(&input);
}

static int run_values(ls_cli *cli, const analyze_options *o) {
    if (!o->common.operands.count) return ls_cli_error(cli, "no input file; try 'lockstep analyze --help'");
    if (o->common.format != LS_FORMAT_TEXT) return ls_cli_error(cli, "--values prints text only");
    ls_buf out = {0};
    ls_diags *diags = ls_diags_new();
    for (uint32_t i = 0; i < o->common.operands.count; i++)
        values_of_file(o, o->common.operands.items[i], &out, diags);
    ls_cli_show_diags(cli, &o->common, diags);
    bool good = !ls_diags_errors(diags);
    int status = ls_cli_write(cli, &o->common, ls_buf_text(&out), out.length);
    ls_buf_free(&out);
    ls_diags_free(diags);
    return good ? status : LS_EXIT_USAGE;
}

static int run(ls_cli *cli, const void *parsed) {
    const analyze_options *o = parsed;
    return o->values ? run_values(cli, o) : ls_cli_report(cli, &o->common, one_file);
}

const ls_command ls_cmd_analyze = {
    .name = "analyze",
    .operands = "FILE…",
    .summary = "find divergent branches, uncoalesced accesses and bank conflicts, and count transactions",
    .about =
        "Finds accesses to global memory that take more 32-byte sectors than they need, bank conflicts in "
        "shared memory, and branches that can diverge within a warp, in the code that a GPU runs (-O3). The "
        "kernel itself is not run; the scope says what was assumed. Exit status: 0 nothing costs more than "
        "it "
        "must, 1 something does, 2 wrong usage or unreadable input, 3 nothing found but something is "
        "unknown.",
    .examples = "transpose.cu\taccesses and branches that cost more than they must\n"
                "--all --block 32,8 transpose.cu\tevery access, with its sectors or banks\n"
                "--format html -o report.html transpose.cu\twith pictures of each access of a warp\n",
    .options = options,
    .options_size = sizeof(analyze_options),
    .compiles = compiles,
    .keeps = true,
    .run = run};
