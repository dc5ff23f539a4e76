/* lockstep detect: value-based race detection (paper 002) of one kernel's launch, of a whole program on a GPU
 * (detect_program.c), or only its plan. */
#include "base/buf.h"
#include "check/tell.h"
#include "cli/detect_program.h"
#include "cli/input.h"
#include "cli/made.h"
#include "finding/store.h"
#include "launch/args.h"
#include "lockstep/detect.h"
#include "lockstep/verify.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef ls_detect_cli_options detect_options;

#define FIELD(name) offsetof(detect_options, name)

static const ls_option options[] = {
    {LS_OPT_LIST, "arg", 'a', FIELD(args), "SPEC", NULL,
     "the next argument, as for lockstep run; those not given are made up"},
    {LS_OPT_NUMBER, "shared", 0, FIELD(shared), "BYTES", "0", "dynamic shared memory"},
    {LS_OPT_CHOICE, "on", 0, FIELD(on), "auto|gpu|emulator", "auto",
     "where to run; auto: on a GPU where there is one"},
    {LS_OPT_HEADING, .help = "Detection"},
    {LS_OPT_FLAG, "all", 0, FIELD(all), NULL, NULL,
     "also check memory in which each thread clearly has a part of its own"},
#ifndef LS_NO_VERIFIER
    {LS_OPT_SECONDS, "prove", 0, FIELD(prove), "S", "2",
     "first try to prove the kernel race-free, for at most S seconds; a proved one is not run (0 or --all: "
     "do not)"},
#endif
    {LS_OPT_FLAG, "values", 0, FIELD(values), NULL, NULL,
     "only compare values, as in the paper; do not watch accesses as they happen"},
    {LS_OPT_LIST, "race-free", 0, FIELD(race_free), "NAME", NULL,
     "do not check this object: it is known to be race-free (repeatable)"},
    {LS_OPT_TEXT, "memory", 0, FIELD(memory), "BYTES[K|M|G]", NULL,
     "device memory for private copies (default: most of what is free)"},
    {LS_OPT_TEXT, "copies", 0, FIELD(copies), "N[,N…]", NULL,
     "private copies of global memory (default: chosen by cost); with --plan: a list"},
    {LS_OPT_NUMBER, "rounds", 0, FIELD(rounds), "K", "0",
     "stop after K rounds; the report says with which probability a race has been found by then (0: all "
     "rounds)"},
    {LS_OPT_CHOICE, "benign", 0, FIELD(benign), "note|error", "note",
     "how to report threads that write the same value to the same place"},
    {LS_OPT_FLAG, "deterministic", 0, FIELD(deterministic), NULL, NULL,
     "do not check; run once and merge private copies in the order of warps and blocks"},
    {LS_OPT_FLAG, "no-lines", 0, FIELD(no_lines), NULL, NULL,
     "do not run the kernel again to find source lines"},
    {LS_OPT_FLAG, "no-shared", 0, FIELD(no_shared), NULL, NULL, "leave shared memory unchecked"},
    {LS_OPT_FLAG, "no-global", 0, FIELD(no_global), NULL, NULL, "leave global memory unchecked"},
    {LS_OPT_SECONDS, "timeout", 0, LS_COMMON(timeout), "S", "60", "give up on a launch after S seconds"},
    {LS_OPT_HEADING, .help = "Plan (Table I of the paper)"},
    {LS_OPT_FLAG, "plan", 0, FIELD(plan), NULL, NULL, "print rounds, passes and probabilities; run nothing"},
    {LS_OPT_NUMBER, "warps", 0, FIELD(warps), "N", "960", "--plan: number of warps"},
    {LS_OPT_HEADING, .help = "Whole programs: lockstep detect [OPTION…] -- PROGRAM [ARGUMENT…]"},
    {LS_OPT_TEXT, "launch", 0, FIELD(launches), "N[-M]", NULL, "check only these launches, counted from 1"},
    {LS_OPT_NUMBER, "skip", 0, FIELD(skip), "N", "0", "leave the first N launches of each kernel unchecked"},
    {LS_OPT_NUMBER, "every", 0, FIELD(every), "N", "1",
     "check the first and then every N-th launch of each kernel with the same sizes"},
    {LS_OPT_NUMBER, "budget", 0, FIELD(budget), "PERCENT", "0",
     "check only as many launches as slow the program down by about PERCENT, new launch sizes first (0: "
     "check all)"},
    {LS_OPT_SECONDS, "emulate", 0, FIELD(emulate), "S", "10",
     "launches with mbarriers, bulk copies or barriers of some warps: run some blocks in the emulator after "
     "the program, on the memory that they had, for at most S seconds each (0: do not)"},
    {LS_OPT_CHOICE, "on-unsupported", 0, FIELD(on_unsupported), "run|stop", "run",
     "a launch that cannot be checked: run it as it is, or stop the program"},
    LS_KERNEL_OPTIONS,
    LS_COMPILE_OPTIONS,
    LS_REPORT_OPTIONS,
    {LS_OPT_END}};

/* --- The plan --------------------------------------------------------------------------------------------
 */

static void plan_row(ls_buf *out, uint64_t warps, uint64_t copies, uint32_t rounds) {
    ls_buf_printf(out, "%7" PRIu64 " %8u %12" PRIu64 "x %11.0f%%\n", warps, 2 * rounds, copies,
                  100 * ls_detect_probability(warps, copies, rounds));
}

/* Takes the next number of --copies and the comma after it; 0: there is none that makes sense. */
static uint64_t next_copies(const char **text) {
    char *end;
    uint64_t copies = isdigit((unsigned char)**text) ? strtoull(*text, &end, 10) : 0;
    if (copies < 2 || copies > UINT32_MAX || (*end && *end != ',') || (*end && !end[1])) return 0;
    *text = *end ? end + 1 : end;
    return copies;
}

/* One number, or with --plan a list of them. */
static bool are_copies(const char *text, bool several) {
    while (next_copies(&text))
        if (!*text || !several) return !*text;
    return false;
}

/* All rounds for each number of copies; then fewer rounds for the smallest of them, or --rounds. */
static int print_plan(ls_cli *cli, const detect_options *o) {
    ls_buf out = {0};
    uint64_t smallest = UINT64_MAX;
    const char *text = o->copies ? o->copies : "2,4,6,10,31,960";
    ls_buf_puts(&out, "# Warps # Passes Mem. Overhead Probability\n");
    while (*text) {
        uint64_t copies = next_copies(&text);
        if (copies < smallest) smallest = copies;
        plan_row(&out, o->warps, copies, ls_detect_rounds(o->warps, copies));
    }
    uint32_t all = ls_detect_rounds(o->warps, smallest);
    uint32_t from = o->rounds ? o->rounds : all / 2, to = o->rounds ? o->rounds : 2;
    for (uint32_t k = from; k >= to && k > 0 && k < all; k--) plan_row(&out, o->warps, smallest, k);
    int status = ls_cli_write(cli, &o->common, ls_buf_text(&out), out.length);
    ls_buf_free(&out);
    return status;
}

/* --- Results ---------------------------------------------------------------------------------------------
 */

/* What the source calls it: a parameter's own name, a variable's without mangling. */
static const char *source_name(const char *name, const ls_compiled_kernel *compiled,
                               const ls_ptx_function *function, ls_arena *arena) {
    const char *const *names = ls_input_parameters(compiled, function);
    for (uint32_t i = 0; name && names && i < function->param_count; i++)
        if (names[i] && strcmp(function->params[i]->symbol->name, name) == 0) return names[i];
    if (!name) return NULL;
    char plain[512];
    ls_variable_name(name, plain, sizeof plain);
    return ls_arena_strdup(arena, plain);
}

static void use_source_names(ls_detect_result *r, const ls_compiled_kernel *compiled,
                             const ls_ptx_function *function, ls_arena *arena) {
    for (ls_finding *f = r->findings; f; f = f->next)
        ls_finding_rename(f, source_name(f->story->object, compiled, function, arena));
    for (uint32_t i = 0; i < r->unchecked_count; i++)
        r->unchecked[i].object = source_name(r->unchecked[i].object, compiled, function, arena);
    for (uint32_t i = 0; i < r->pruned_count; i++)
        r->pruned[i] = source_name(r->pruned[i], compiled, function, arena);
}

static void add_result(ls_report_kernel *kernel, const ls_detect_result *r) {
    for (const ls_finding *f = r->findings; f; f = f->next) ls_tell_finding(kernel, f, false);
    if (r->status == LS_DETECT_RACY) ls_report_verdict(kernel, LS_REFUTED);
    for (uint32_t i = 0; i < r->unchecked_count; i++) {
        const ls_detect_unchecked *u = &r->unchecked[i];
        ls_place place = u->file ? (ls_place){u->file, u->line, 0} : (ls_place){0};
        ls_report_unknown(kernel, place, NULL, "not checked: %s%s%s", u->object ? u->object : "",
                          u->object ? ": " : "", u->reason);
    }
    if (r->status == LS_DETECT_FAILED || r->status == LS_DETECT_UNSUPPORTED)
        ls_report_unknown(kernel, (ls_place){0}, NULL, "%s", r->message ? r->message : "the check failed");
    ls_detect_tell_scope(kernel, r);
    ls_report_scope(kernel, "for this launch only",
                    r->watched ? "this launch only"
                               : "this launch only; a race that changes no value is not found");
    ls_fields *stats = ls_report_stats(kernel);
    ls_fields_uint(stats, "launches", r->launches);
    ls_fields_uint(stats, "memory", r->memory);
    ls_fields_uint(stats, "racy_bytes", r->racy_bytes);
    ls_fields_uint(stats, "racy_warps", r->racy_warps);
    ls_fields_uint(stats, "shared_bytes", r->shared_bytes);
    ls_fields_real(stats, "instrument_ms", r->instrument_ms);
    ls_fields_real(stats, "load_ms", r->load_ms);
    ls_fields_real(stats, "alloc_ms", r->alloc_ms);
    ls_report_time(kernel, r->run_ms);
}

/* --- One kernel ------------------------------------------------------------------------------------------
 */

static bool parse_bytes(const char *text, uint64_t *out) {
    char *end;
    static const char units[] = "KMG";
    *out = 0;
    if (!text) return true;
    *out = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (unit) *out <<= 10 * (unit - units + 1), end++;
    return end != text && !*end;
}

static ls_detect_device *open_device(int on, ls_diags *diags) {
    if (on == LS_ON_EMULATOR) return ls_detect_emulator(diags);
    ls_diags *tried = on == LS_ON_AUTO ? ls_diags_new() : diags;
    ls_detect_device *device = ls_detect_cuda(tried);
    if (on == LS_ON_AUTO) ls_diags_free(tried);
    return device || on == LS_ON_GPU ? device : ls_detect_emulator(diags);
}

/* Buffers of the arguments as the device sees them; on a GPU they are copied there. */
static void place_buffers(ls_detect_device *device, bool on_gpu, const ls_emu_args *args,
                          const uint32_t *offsets, ls_detect_launch *launch, ls_detect_buffer *buffers) {
    for (uint32_t i = 0; i < args->count; i++) {
        const ls_emu_arg *arg = &args->args[i];
        if (!arg->is_buffer) continue;
        uint64_t address = arg->address;
        if (on_gpu) {
            address = ls_detect_alloc(device, arg->bytes);
            ls_detect_write(device, address, (const void *)(uintptr_t)arg->address, arg->bytes);
            memcpy(args->params + offsets[i], &address, sizeof address);
        }
        buffers[launch->buffer_count++] = (ls_detect_buffer){address, arg->bytes, arg->name};
    }
    launch->buffers = buffers;
}

static ls_detect_options how_to_check(const detect_options *o) {
    ls_detect_options how = {.all = o->all,
                             .by_values = o->values,
                             .deterministic = o->deterministic,
                             .equal_values = o->benign,
                             .no_lines = o->no_lines,
                             .no_shared = o->no_shared,
                             .no_global = o->no_global,
                             .rounds = o->rounds,
                             .timeout = o->common.timeout,
                             .race_free = o->race_free.items,
                             .race_free_count = o->race_free.count};
    parse_bytes(o->memory, &how.memory);
    how.copies = o->copies ? (uint32_t)strtoul(o->copies, NULL, 10) : 0;
    return how;
}

static void check_kernel(const detect_options *o, const ls_input *input, ls_report_kernel *kernel,
                         const ls_compiled_kernel *compiled, const ls_ptx_function *function,
                         ls_detect_device *device, ls_diags *diags) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_emulator *emulator = ls_emulator_new(input->module, diags);
    ls_detect_launch launch = {.kernel = compiled->name};
    for (int i = 0; i < 3; i++) {
        launch.block[i] = kernel->block[i];
        launch.grid[i] = kernel->grid[0] ? kernel->grid[i] : 1;
    }
    uint32_t shared = o->shared                ? o->shared
                      : compiled->shared_known ? compiled->shared_bytes
                                               : LS_EMU_SHARED_UNKNOWN;
    ls_emu_args args;
    if (emulator &&
        ls_emu_args_make(emulator, function, launch.grid, launch.block, shared, o->args.items, o->args.count,
                         ls_input_parameters(compiled, function), &arena, &args, diags)) {
        ls_emu_args_within(&args, function, ls_input_ranges(compiled, function), &arena);
        const ls_detect_options how = how_to_check(o);
        uint32_t *offsets = LS_NEW_N(&arena, uint32_t, function->param_count + 1);
        ls_emu_param_offsets(function, offsets);
        bool on_gpu = strcmp(ls_detect_device_name(device), "emulator") != 0;
        place_buffers(device, on_gpu, &args, offsets, &launch,
                      LS_NEW_N(&arena, ls_detect_buffer, args.count + 1));
        launch.params = args.params, launch.params_size = args.params_size;
        launch.shared_bytes = args.shared_bytes;
        ls_cli_say_made(kernel, emulator, &args, &arena);
        if (!how.equal_values)
            ls_report_scope(kernel, NULL,
                            "threads that write the same value to the same place are not reported as a race "
                            "(--benign error reports them)");
        ls_report_scope(kernel, ls_arena_printf(&arena, "run on %s", ls_detect_device_name(device)),
                        "run on: %s", ls_detect_device_name(device));
        ls_diags *said = ls_diags_new();
        ls_detect_result *r = ls_detect_check(device, input->compiled.ptx, strlen(input->compiled.ptx),
                                              input->module->filename, &launch, &how, said);
        bool told = r->status == LS_DETECT_FAILED && r->message; /* a kernel that fails is no wrong input */
        if (!told) ls_diags_append(diags, said);
        ls_diags_free(said);
        use_source_names(r, compiled, function, &arena);
        add_result(kernel, r);
        ls_detect_result_free(r);
        for (uint32_t i = 0; i < launch.buffer_count && on_gpu; i++)
            ls_detect_free(device, launch.buffers[i].address);
    }
    ls_emulator_free(emulator);
    ls_arena_free(&arena);
}

/* What the verifier finds out about the launch first, with the function that it mentions; empty where it is
 * not asked, or not there. */
typedef struct {
    ls_ir_function *ir;
    ls_verify_result *result;
} first_look;

#ifdef LS_NO_VERIFIER
static bool load_shaped(const ls_cli_job *job, const ls_input *input, ls_input *shaped) {
    (void)job, (void)input, (void)shaped;
    return false;
}

static first_look look_first(const detect_options *o, const ls_input *input, const ls_report_kernel *kernel,
                             const ls_compiled_kernel *compiled) {
    (void)o, (void)input, (void)kernel, (void)compiled;
    return (first_look){0};
}

static bool is_proved(const first_look *look, ls_report_kernel *kernel) {
    (void)look, (void)kernel;
    return false;
}

static void tell_rest(const first_look *look, ls_report_kernel *kernel) {
    (void)look, (void)kernel;
}

static void end_look(first_look *look) {
    (void)look;
}
#else
static bool looks_first(const detect_options *o) {
    return o->prove > 0 && !o->all && !o->deterministic;
}

/* The file in the form that the verifier looks at. What the compiler says was told of the other form. */
static bool load_shaped(const ls_cli_job *job, const ls_input *input, ls_input *shaped) {
    if (input->compiled.language == LS_LANGUAGE_PTX || !looks_first((const detect_options *)job->common))
        return false;
    ls_diags *ignored = ls_diags_new();
    bool loaded = ls_input_load(job->common, job->path, LS_FORM_SOURCE, shaped, ignored);
    ls_diags_free(ignored);
    return loaded;
}

static first_look look_first(const detect_options *o, const ls_input *input, const ls_report_kernel *kernel,
                             const ls_compiled_kernel *compiled) {
    const ls_ptx_function *function = input ? ls_ptx_find_function(input->module, compiled->name) : NULL;
    if (!looks_first(o) || !function) return (first_look){0};
    ls_diags *diags = ls_diags_new();
    first_look look = {ls_ir_build(input->module, function, &(ls_ir_options){.quiet = true}, diags), NULL};
    ls_verify_options how = {.timeout = o->prove,
                             .no_annotations = true,
                             .opencl = kernel->opencl,
                             .parameters = compiled->parameters,
                             .parameter_count = compiled->parameter_count,
                             .ranges = compiled->ranges};
    for (int i = 0; i < 3; i++) {
        how.block[i] = kernel->block[i];
        how.grid[i] = kernel->grid[0] ? kernel->grid[i] : 1;
    }
    if (look.ir) look.result = ls_verify(look.ir, &how);
    ls_diags_free(diags);
    return look;
}

/* There is nothing to look for then. */
static bool is_proved(const first_look *look, ls_report_kernel *kernel) {
    const ls_verify_result *r = look->result;
    if (!r || r->verdict != LS_PROVED) return false;
    ls_report_verdict(kernel, LS_PROVED);
    ls_report_scope(kernel, "proved race-free, so it was not run",
                    "the verifier proved it race-free, so it was not run");
    for (const ls_verify_note *n = r->scope; n; n = n->next) ls_report_scope(kernel, n->brief, "%s", n->text);
    ls_report_time(kernel, r->seconds * 1e3);
    return true;
}

/* What the verifier has an example of, and values do not show: all but races, and races where none was seen.
 * The example may be of other arguments than this launch has. */
static void tell_rest(const first_look *look, ls_report_kernel *kernel) {
    bool seen = kernel->verdict == LS_REFUTED;
    for (const ls_finding *f = look->result ? look->result->findings : NULL; f; f = f->next)
        if (f->level == LS_ERROR && !(seen && ls_rule_is_race(f->rule)))
            ls_report_unknown(kernel, f->place, "see 'lockstep verify'",
                              "not found by comparing values: %s [%s]", f->message,
                              ls_rule_get(f->rule)->name);
}

static void end_look(first_look *look) {
    if (look->result) ls_verify_free(look->result);
    if (look->ir) ls_ir_free(look->ir);
}
#endif

/* `shaped` is what the verifier looks at: the form of the source, in which OpenCL's barriers have their
 * flags, those of a cooperative group are for all its threads, and ways meet where they were written to. */
static void one_kernel(const ls_cli_job *job, const ls_input *input, const ls_input *shaped,
                       const ls_compiled_kernel *compiled, ls_detect_device *device) {
    const detect_options *o = (const detect_options *)job->common;
    ls_report_kernel *kernel = ls_input_report(job, compiled);
    const ls_ptx_function *function = ls_input_runnable(input, kernel);
    if (!function) return;
    if (!kernel->grid[0])
        ls_report_scope(kernel, "one block only", "one block, as the size of the grid is not known");
    first_look look = look_first(o, shaped, kernel, compiled);
    if (!is_proved(&look, kernel)) {
        check_kernel(o, input, kernel, compiled, function, device, job->file->diags);
        tell_rest(&look, kernel);
    }
    end_look(&look);
}

static void one_file(const ls_cli_job *job) {
    const detect_options *o = (const detect_options *)job->common;
    ls_input input;
    ls_detect_device *device = open_device(o->on, job->file->diags);
    if (!device) return;
    if (ls_input_load(job->common, job->path, LS_FORM_AS_RUN, &input, job->file->diags)) {
        uint32_t wanted = 0;
        ls_input shaped = {0};
        bool both = load_shaped(job, &input, &shaped);
        const ls_input *as_run = input.compiled.language == LS_LANGUAGE_PTX ? &input : NULL;
        for (uint32_t k = 0; k < input.compiled.kernel_count; k++) {
            const ls_compiled_kernel *kernel = &input.compiled.kernels[k];
            if (!ls_input_wants(job->common, kernel)) continue;
            wanted++;
            one_kernel(job, &input, both ? &shaped : as_run, kernel, device);
        }
        if (both) ls_input_free(&shaped);
        ls_input_report_templates(job, &input);
        if (!wanted && !job->file->kernels)
            ls_diags_add(job->file->diags, LS_ERROR, job->path, 0, 0, "there is no such kernel in it");
        ls_input_free(&input);
    }
    ls_detect_device_free(device);
}

static int run(ls_cli *cli, const void *parsed) {
    const detect_options *o = parsed;
    uint64_t memory;
    if (!parse_bytes(o->memory, &memory))
        return ls_cli_error(cli, "--memory: '%s' is not a number of bytes", o->memory);
    if (o->copies && !are_copies(o->copies, o->plan))
        return ls_cli_error(cli, o->plan ? "--copies expects numbers of at least 2, separated by commas"
                                         : "--copies expects a number of at least 2");
    if (o->plan) return print_plan(cli, o);
    if (!o->common.operands.count && o->common.extra.count) return ls_detect_program(cli, o);
    if (!o->common.operands.count)
        return ls_cli_error(cli, "no input file and no program; try 'lockstep detect --help'");
    if (o->common.operands.count > 1)
        return ls_cli_error(cli, "expected one input file; -- comes before a program and its arguments");
    return ls_cli_report(cli, &o->common, one_file);
}

const ls_command ls_cmd_detect = {
    .name = "detect",
    .operands = "FILE | -- PROGRAM…",
    .summary = "find data races while a kernel runs, on a GPU or in the emulator",
    .about =
        "Runs the kernel and watches its accesses. Where the addresses of a launch prove that threads never "
        "touch the same memory, nothing is watched. Where threads access the same memory and one of them "
        "writes, the accesses are examined; if that does not decide whether they race, the kernel runs twice "
        "on private copies of the memory that it writes, and the copies are compared. Every race that is "
        "reported is a real one. With -- PROGRAM, every launch of the program is checked on the GPU.",
    .examples = "scan.cu\tone launch, on a GPU or in the emulator\n"
                "--on emulator --block 256 scan.cu\tin the emulator\n"
                "-- ./program arguments\tevery launch of a program, on the GPU\n",
    .options = options,
    .options_size = sizeof(detect_options),
    .run = run};
