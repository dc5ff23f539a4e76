/* lockstep ptx: the PTX that Lockstep sees, printed again from its syntax tree; or the tree, the control
 * flow graph, SSA or gated SSA of its kernels; or a list of the kernels with what the source says of them. */
#include "cli/input.h"
#include "lockstep/ir.h"
#include "report/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ls_common common;
    int dump; /* index among the words of --dump; 0: none */
    bool dot, as_run, source_shaped, list;
} ptx_options;

#define FIELD(name) offsetof(ptx_options, name)

static const ls_option options[] = {
    {LS_OPT_CHOICE, "dump", 0, FIELD(dump), "none|ast|cfg|ssa|gsa", "none",
     "print the syntax tree, control flow graph, SSA or gated SSA instead"},
    {LS_OPT_FLAG, "dot", 0, FIELD(dot), NULL, NULL, "dump as a graph for Graphviz (cfg, ssa, gsa)"},
    {LS_OPT_FLAG, "list", 'l', FIELD(list), NULL, NULL,
     "list the kernels: name, launch sizes, position, status (also as JSON)"},
    {LS_OPT_FLAG, "source-shaped", 0, FIELD(source_shaped), NULL, NULL,
     "compile as for verification: loops as written, every access kept (default)"},
    {LS_OPT_FLAG, "as-run", 0, FIELD(as_run), NULL, NULL, "compile as for a GPU (-O3)"},
    LS_KERNEL_OPTIONS,
    LS_COMPILE_OPTIONS,
    LS_OUTPUT_OPTIONS("text|json"),
    {LS_OPT_END}};

enum { DUMP_NONE, DUMP_AST, DUMP_CFG, DUMP_SSA, DUMP_GSA };

/* --- Dumps --------------------------------------------------------------------------------------------- */

/* The dump of every kernel that is wanted. */
static void dump_kernels(const ptx_options *o, const ls_input *input, ls_buf *out, ls_diags *diags) {
    static const struct {
        ls_ir_stage stage;
        ls_ir_dump_kind kind;
    } stages[] = {[DUMP_CFG] = {LS_IR_CFG, LS_DUMP_CFG},
                  [DUMP_SSA] = {LS_IR_SSA, LS_DUMP_SSA},
                  [DUMP_GSA] = {LS_IR_FULL, LS_DUMP_GSA}};
    for (uint32_t i = 0; i < input->module->function_count; i++) {
        const ls_ptx_function *function = input->module->functions[i];
        char demangled[4096];
        ls_demangle(function->symbol->name, demangled, sizeof demangled);
        if (!function->is_entry || !function->body) continue;
        if (!ls_cli_wants_kernel(&o->common, function->symbol->name, demangled)) continue;
        ls_ir_options ir_options = {.stage = stages[o->dump].stage};
        ls_ir_function *ir = ls_ir_build(input->module, function, &ir_options, diags);
        if (!ir) continue;
        ls_buf_take(out, (o->dot ? ls_ir_dot : ls_ir_dump)(ir, stages[o->dump].kind));
        ls_ir_free(ir);
    }
}

static void print_one(const ptx_options *o, const ls_input *input, ls_buf *out, ls_diags *diags) {
    if (o->dump == DUMP_NONE) ls_buf_take(out, ls_ptx_print(input->module, NULL));
    if (o->dump == DUMP_AST) ls_buf_take(out, ls_ptx_dump_ast(input->module));
    if (o->dump >= DUMP_CFG) dump_kernels(o, input, out, diags);
}

/* --- The list ------------------------------------------------------------------------------------------ */

static const char *status_name(ls_kernel_status status) {
    static const char *const names[] = {[LS_KERNEL_DEFINED] = "defined",
                                        [LS_KERNEL_DECLARED] = "declared",
                                        [LS_KERNEL_NOT_INSTANTIATED] = "not instantiated"};
    return names[status];
}

static void list_text(const ls_common *common, const char *path, const ls_compiled_kernel *kernel,
                      ls_buf *out) {
    ls_arena arena;
    ls_arena_init(&arena);
    uint32_t block[3], grid[3];
    const char *from;
    ls_input_launch(common, kernel, &arena, block, grid, &from);
    ls_buf_puts(out, kernel->file ? kernel->file : path);
    if (kernel->line) ls_buf_printf(out, ":%" PRIu32, kernel->line);
    ls_buf_printf(out, ": %s", kernel->demangled);
    if (strcmp(kernel->demangled, kernel->name)) ls_buf_printf(out, " [%s]", kernel->name);
    if (kernel->status != LS_KERNEL_DEFINED) ls_buf_printf(out, " (%s)", status_name(kernel->status));
    ls_buf_puts(out, "\n    block ");
    ls_print_size(out, block);
    ls_buf_puts(out, ", grid ");
    ls_print_size(out, grid);
    if (from) ls_buf_printf(out, " (%s)", from);
    if (kernel->max_threads) ls_buf_printf(out, ", at most %" PRIu32 " threads", kernel->max_threads);
    if (kernel->shared_known)
        ls_buf_printf(out, ", %" PRIu32 " bytes of dynamic shared memory", kernel->shared_bytes);
    if (kernel->launch_count > 1) ls_buf_printf(out, ", %" PRIu32 " launches", kernel->launch_count);
    ls_buf_putc(out, '\n');
    ls_arena_free(&arena);
}

static json_t *size_json(const ls_launch_size *size) {
    return ls_json_size((uint32_t[3]){size->known ? size->x : 0, size->y, size->z});
}

static json_t *launches_json(const ls_compiled_kernel *kernel) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < kernel->launch_count; i++) {
        const ls_kernel_launch *launch = &kernel->launches[i];
        json_t *item = json_object();
        json_object_set_new(item, "block", size_json(&launch->block));
        json_object_set_new(item, "grid", size_json(&launch->grid));
        json_object_set_new(item, "shared_bytes",
                            launch->shared_known ? json_integer(launch->shared_bytes) : json_null());
        json_object_set_new(item, "file", ls_json_text(launch->file));
        json_object_set_new(item, "line", json_integer(launch->line));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *kernel_json(const ls_common *common, const char *path, const ls_compiled_kernel *kernel) {
    ls_arena arena;
    ls_arena_init(&arena);
    uint32_t block[3], grid[3];
    const char *from;
    ls_input_launch(common, kernel, &arena, block, grid, &from);
    json_t *object = json_object(), *launch = json_object();
    json_object_set_new(object, "name", ls_json_text(kernel->name));
    json_object_set_new(object, "demangled", ls_json_text(kernel->demangled));
    json_object_set_new(object, "file", ls_json_text(kernel->file ? kernel->file : path));
    json_object_set_new(object, "line", json_integer(kernel->line));
    json_object_set_new(object, "status", json_string(status_name(kernel->status)));
    json_object_set_new(launch, "block", ls_json_size(block));
    json_object_set_new(launch, "grid", ls_json_size(grid));
    if (from) json_object_set_new(launch, "from", ls_json_text(from));
    json_object_set_new(object, "launch", launch);
    json_object_set_new(object, "required_block", size_json(&kernel->required_block));
    json_object_set_new(object, "max_threads",
                        kernel->max_threads ? json_integer(kernel->max_threads) : json_null());
    json_object_set_new(object, "launches", launches_json(kernel));
    ls_arena_free(&arena);
    return object;
}

static json_t *file_json(const ls_common *common, const char *path, const ls_compiled *compiled) {
    static const char *const languages[] = {"unknown", "cuda", "opencl", "ptx"};
    json_t *object = json_object(), *kernels = json_array();
    json_object_set_new(object, "path", ls_json_text(path));
    json_object_set_new(object, "language", json_string(languages[compiled->language]));
    json_object_set_new(object, "compiler", ls_json_text(compiled->compiler));
    for (uint32_t i = 0; i < compiled->kernel_count; i++) {
        const ls_compiled_kernel *kernel = &compiled->kernels[i];
        if (ls_cli_wants_kernel(common, kernel->name, kernel->demangled))
            json_array_append_new(kernels, kernel_json(common, path, kernel));
    }
    json_object_set_new(object, "kernels", kernels);
    return object;
}

static void list_one(const ls_common *common, const char *path, const ls_compiled *compiled, ls_buf *out,
                     json_t *files) {
    if (common->format == LS_FORMAT_JSON) {
        json_array_append_new(files, file_json(common, path, compiled));
        return;
    }
    for (uint32_t i = 0; i < compiled->kernel_count; i++)
        if (ls_cli_wants_kernel(common, compiled->kernels[i].name, compiled->kernels[i].demangled))
            list_text(common, path, &compiled->kernels[i], out);
}

/* --- The command --------------------------------------------------------------------------------------- */

static bool one_file(const ls_cli *cli, const ptx_options *o, const char *path, ls_buf *out, json_t *files) {
    ls_diags *diags = ls_diags_new();
    ls_input input;
    bool loaded = ls_input_load(&o->common, path, o->as_run ? LS_FORM_AS_RUN : LS_FORM_SOURCE, &input, diags);
    if (loaded) {
        ls_input_check_kernels(&o->common, path, &input.compiled, diags);
        if (o->list)
            list_one(&o->common, path, &input.compiled, out, files);
        else
            print_one(o, &input, out, diags);
        ls_input_free(&input);
    }
    bool good = loaded && !ls_diags_errors(diags);
    ls_cli_show_diags(cli, &o->common, diags);
    ls_diags_free(diags);
    return good;
}

static const char *misuse(const ptx_options *o) {
    if (!o->common.operands.count) return "no input file; try 'lockstep ptx --help'";
    if (o->common.operands.count > 1 && !o->list) return "one input file at a time, except with --list";
    if (o->as_run && o->source_shaped) return "--as-run and --source-shaped exclude each other";
    if (o->dot && o->dump < DUMP_CFG) return "--dot needs --dump cfg, ssa or gsa";
    if (o->common.format == LS_FORMAT_JSON && !o->list) return "--format json needs --list";
    return NULL;
}

static int run(ls_cli *cli, const void *parsed) {
    const ptx_options *o = parsed;
    const char *wrong = misuse(o);
    if (wrong) return ls_cli_error(cli, "%s", wrong);
    ls_buf out = {0};
    json_t *files = json_array();
    bool good = true;
    for (uint32_t i = 0; i < o->common.operands.count; i++)
        good &= one_file(cli, o, o->common.operands.items[i], &out, files);
    if (o->common.format == LS_FORMAT_JSON) {
        json_t *root = json_object();
        json_object_set_new(root, "lockstep", json_string(ls_version()));
        json_object_set_new(root, "command", json_string("ptx"));
        json_object_set(root, "files", files);
        ls_json_dump(&out, root);
    }
    json_decref(files);
    int status =
        good || out.length ? ls_cli_write(cli, &o->common, ls_buf_text(&out), out.length) : LS_EXIT_USAGE;
    ls_buf_free(&out);
    return good ? status : LS_EXIT_USAGE;
}

const ls_command ls_cmd_ptx = {
    .name = "ptx",
    .operands = "FILE",
    .summary = "show the PTX that Lockstep works on, its control flow, SSA form and kernels",
    .about = "Compiles FILE (.cu or .cl; a .ptx file is used as it is, - is standard input), parses the PTX "
             "and prints it again from the syntax tree. Exit status: 0, or 2 if the file cannot be compiled "
             "or parsed.",
    .examples = "scan.cu\tthe PTX that the checks see\n"
                "--list scan.cu\tkernels with their launch sizes\n"
                "--dump cfg --dot scan.cu\tcontrol flow as a graph for Graphviz\n",
    .options = options,
    .options_size = sizeof(ptx_options),
    .run = run,
    .never_finds = true};
