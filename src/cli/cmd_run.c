/* lockstep run: runs a kernel in the emulator with its checkers and reports what they found. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/guard.h"
#include "check/tell.h"
#include "cli/build.h"
#include "cli/input.h"
#include "cli/made.h"
#include "cli/run_program.h"
#include "device/device.h"
#include "launch/args.h"
#include "launch/compare.h"
#include "launch/npy.h"
#include "lockstep/detect.h"
#include "lockstep/jit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    ls_common common;
    bool program;
    ls_list args, print, dump, expect;
    const char *check, *schedule, *tolerance;
    uint32_t shared, warp_size, banks;
    ls_size cluster;
    uint32_t devices, sample;
    int exit_status;
    bool prove;
    const char *gpu, *record, *launches;
    int benign, jit;
    bool warp_synchronous, strict_exit, profile, source_shaped, quiet, check_proved;
} run_options;

#define FIELD(name) offsetof(run_options, name)

static const char *const checkers[] = {
#define CHECKER(id, name, rule, about) name,
#include "lockstep/checkers.def"
#undef CHECKER
    NULL};

static const ls_option options[] = {
    {LS_OPT_LIST, "arg", 'a', FIELD(args), "SPEC", NULL,
     "the next argument: 7, f32=1.5, "
     "f32[1024]=iota|zero|ones|uninit|random:SEED|file:F.npy|file:F.bin|1,2,3, "
     "bytes=00ff…, local:BYTES, tex2d:linear:f32[64,32]=iota, tensor:f16[128,64]box[64,8]=iota; NAME=SPEC "
     "for the parameter of that name or "
     "number; those not given are made "
     "up"},
    {LS_OPT_NUMBER, "shared", 0, FIELD(shared), "BYTES", "0", "dynamic shared memory"},
    {LS_OPT_SIZE, "cluster", 0, FIELD(cluster), "X[,Y[,Z]]", NULL,
     "blocks of a cluster (default: as the kernel says, else 1)"},
    {LS_OPT_LIST, "print", 0, FIELD(print), "NAME", NULL, "print this buffer after the run"},
    {LS_OPT_LIST, "dump", 0, FIELD(dump), "NAME=FILE", NULL, "write this buffer to FILE (.npy, else raw)",
     .own = true},
    {LS_OPT_LIST, "expect", 0, FIELD(expect), "NAME=FILE", NULL,
     "compare this buffer with FILE (.npy, else raw)"},
    {LS_OPT_TEXT, "tolerance", 0, FIELD(tolerance), "X", "0",
     "--expect: relative difference of floats that is accepted"},
    {LS_OPT_HEADING, .help = "The machine and its checkers"},
    {LS_OPT_TEXT, "check", 0, FIELD(check), "LIST", "all",
     "checkers: all, none, or some of these, with commas:"
#define CHECKER(id, name, rule, about) " " name
#include "lockstep/checkers.def"
#undef CHECKER
    },
    {LS_OPT_TEXT, "schedule", 0, FIELD(schedule), "ORDER", "rr",
     "order in which warps and blocks run and asynchronous copies complete: rr (round-robin), reverse, "
     "random:SEED"},
    {LS_OPT_NUMBER, "warp-size", 0, FIELD(warp_size), "N", "32", "lanes of a warp, 1 to 64"},
    {LS_OPT_NUMBER, "banks", 0, FIELD(banks), "N", "32", "banks of shared memory"},
    {LS_OPT_FLAG, "warp-synchronous", 0, FIELD(warp_synchronous), NULL, NULL,
     "assume that the lanes of a warp run in lock-step, so that different instructions of one warp do not "
     "race"},
    {LS_OPT_CHOICE, "benign", 0, FIELD(benign), "note|error", "note",
     "how to report threads that write the same value to the same place"},
    {LS_OPT_FLAG, "strict-exit", 0, FIELD(strict_exit), NULL, NULL,
     "report threads that exit before a barrier as an error (always so in OpenCL)"},
    {LS_OPT_CHOICE, "jit", 0, FIELD(jit), "off|auto|on", "auto",
     "compile kernels to machine code with LLVM: never, those that run long, or all (docs/compiled.md)"},
    {LS_OPT_FLAG, "check-proved", 0, FIELD(check_proved), NULL, NULL,
     "also check accesses for races that were proved race-free for this launch (docs/compiled.md)"},
    {LS_OPT_FLAG, "profile", 0, FIELD(profile), NULL, NULL, "count instructions and print the hot lines"},
    {LS_OPT_FLAG, "source-shaped", 0, FIELD(source_shaped), NULL, NULL,
     "compile as for verification (loops as written, every access kept) instead of as for a GPU"},
    {LS_OPT_SECONDS, "timeout", 0, LS_COMMON(timeout), "S", "0", "end the run after S seconds (0: never)"},
    {LS_OPT_HEADING, .help = "Whole CUDA and OpenCL programs (-- PROGRAM, or several CUDA files)"},
    {LS_OPT_FLAG, "program", 0, FIELD(program), NULL, NULL,
     "build the file into a program and run it; everything after -- is passed to it", .own = true},
    {LS_OPT_TEXT, "gpu", 0, FIELD(gpu), "NAME", "h200",
     "the GPU that the program sees: h200, h100, a100, l40s, l4, rtx4090, a10, t4, v100, b200"},
    {LS_OPT_NUMBER, "devices", 0, FIELD(devices), "N", "1", "how many GPUs it sees"},
    {LS_OPT_TEXT, "launch", 0, FIELD(launches), "N[-M]", NULL,
     "check only these launches, counted from 1, and run the others unchecked"},
    {LS_OPT_NUMBER, "sample", 0, FIELD(sample), "N", "0",
     "check about N blocks of each launch, and run the others unchecked (0: all)"},
    {LS_OPT_TEXT, "record", 0, FIELD(record), "FILE", NULL,
     "write every distinct launch to FILE (docs/launches.md)", .own = true},
    {LS_OPT_FLAG, "prove", 0, FIELD(prove), NULL, NULL,
     "at the end, verify every distinct launch for all contents of its memory, as verify --launches does"},
    {LS_OPT_CHOICE, "exit-status", 0, FIELD(exit_status), "program|findings", "program",
     "exit with the program's own status, or with that of the findings if there are any"},
    LS_KERNEL_OPTIONS,
    LS_COMPILE_OPTIONS,
    LS_RUN_OPTIONS,
    LS_UNTRUSTED_OPTION,
    LS_REPORT_OPTIONS,
    {LS_OPT_END}};

/* --- Options ----------------------------------------------------------------------------------------- */
static bool parse_schedule(const char *text, ls_emu_options *out) {
    if (!strcmp(text, "rr")) return true;
    if (!strcmp(text, "reverse")) return out->schedule = LS_SCHEDULE_REVERSE, true;
    if (strncmp(text, "random", 6) || (text[6] && text[6] != ':')) return false;
    out->schedule = LS_SCHEDULE_RANDOM;
    char *end = NULL;
    errno = 0;
    out->seed = text[6] ? strtoull(text + 7, &end, 0) : 1;
    return !text[6] || (text[7] >= '0' && text[7] <= '9' && !*end && !errno);
}

/* --- Output while it runs ------------------------------------------------------------------------------ */
static FILE *talk(const ls_common *common) {
    return common->format == LS_FORMAT_TEXT && !common->output ? stdout : stderr;
}

static void print_text(void *context, const char *text, size_t length) {
    fwrite(text, 1, length, context);
}

static void show_progress(void *context, uint64_t done, uint64_t all) {
    double *next = context;
    if (done & 63) return;
    double t = ls_clock_seconds(LS_CLOCK_WALL);
    if (*next == 0) *next = t + 2;
    if (t < *next) return;
    *next = t + 1;
    fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " blocks (%.0f %%) ", done, all,
            100.0 * (double)done / (double)all);
}

/* --- Buffers after the run ------------------------------------------------------------------------------ */
static ls_emu_arg *buffer_of(const ls_emu_args *args, const char *text, size_t length, ls_diags *diags) {
    ls_emu_arg *arg = ls_emu_args_find(args, text, length);
    if (arg && arg->is_buffer) return arg;
    ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "there is no buffer argument '%.*s'", (int)length, text);
    return NULL;
}

static void print_buffer(FILE *to, const ls_emu_arg *arg) {
    uint32_t bytes = ls_ptx_type_bits(arg->type) / 8;
    uint64_t most = arg->count > 4096 ? 64 : arg->count;
    fprintf(to, "%s: %s[%" PRIu64 "] =", arg->name, ls_ptx_type_text(arg->type), arg->count);
    for (uint64_t k = 0; k < most; k++) {
        char text[64];
        ls_emu_element(arg->type, (const char *)(uintptr_t)arg->address + k * bytes, text, sizeof text);
        fprintf(to, " %s", text);
    }
    fprintf(to, "%s\n", most < arg->count ? " …" : "");
}

static bool is_npy(const char *path) {
    return strlen(path) > 4 && !strcmp(path + strlen(path) - 4, ".npy");
}

static void dump_buffer(const ls_emu_arg *arg, const char *path, ls_diags *diags) {
    const void *data = (const void *)(uintptr_t)arg->address;
    bool good = is_npy(path) ? ls_npy_write(path, arg->type, data, arg->count)
                             : ls_write_file(path, data, arg->bytes);
    if (!good) ls_diags_add(diags, LS_ERROR, path, 0, 0, "cannot be written: %s", strerror(errno));
}

static void compare_buffer(ls_report_kernel *kernel, const ls_emu_arg *arg, const char *path,
                           double tolerance, ls_diags *diags) {
    ls_buf text = {0};
    if (!ls_read_file(path, &text)) {
        ls_diags_add(diags, LS_ERROR, path, 0, 0, "cannot be read: %s", strerror(errno));
        return;
    }
    ls_npy npy = {.data = ls_buf_text(&text), .bytes = text.length};
    const char *wrong = is_npy(path) ? ls_npy_parse(ls_buf_text(&text), text.length, &npy) : NULL;
    uint32_t bytes = ls_ptx_type_bits(arg->type) / 8;
    if (wrong) {
        ls_diags_add(diags, LS_ERROR, path, 0, 0, "%s", wrong);
    } else {
        uint64_t count = npy.bytes / bytes < arg->count ? npy.bytes / bytes : arg->count, differ = 0,
                 first = 0;
        const char *have = (const char *)(uintptr_t)arg->address;
        for (uint64_t k = 0; k < count; k++)
            if (!ls_emu_same(arg->type, have + k * bytes, npy.data + k * bytes, tolerance, 0) && !differ++)
                first = k;
        if (differ) {
            char got[64], want[64];
            ls_emu_element(arg->type, have + first * bytes, got, sizeof got);
            ls_emu_element(arg->type, npy.data + first * bytes, want, sizeof want);
            ls_report_add(kernel, LS_RULE_ASSERT, LS_ERROR, kernel->place,
                          "'%s' is not as expected in %s: %" PRIu64 " of %" PRIu64
                          " elements differ, the first is element %" PRIu64 ": %s, expected %s",
                          arg->name, path, differ, count, first, got, want);
            ls_report_verdict(kernel, LS_REFUTED);
        }
        if (npy.bytes / bytes != arg->count || npy.bytes % bytes)
            ls_diags_add(diags, LS_ERROR, path, 0, 0,
                         "has %zu bytes, '%s' has %" PRIu64 ": not all was compared", npy.bytes, arg->name,
                         arg->count * bytes);
    }
    ls_buf_free(&text);
}

static void after_run(const run_options *o, ls_report_kernel *kernel, const ls_emu_args *args,
                      ls_diags *diags) {
    for (uint32_t k = 0; k < o->print.count; k++) {
        const ls_emu_arg *arg = buffer_of(args, o->print.items[k], strlen(o->print.items[k]), diags);
        if (arg) print_buffer(talk(&o->common), arg);
    }
    for (uint32_t k = 0; k < o->dump.count + o->expect.count; k++) {
        bool dump = k < o->dump.count;
        const char *text = dump ? o->dump.items[k] : o->expect.items[k - o->dump.count],
                   *is = strchr(text, '=');
        if (!is) {
            ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "%s '%s': NAME=FILE was expected",
                         dump ? "--dump" : "--expect", text);
            continue;
        }
        const ls_emu_arg *arg = buffer_of(args, text, (size_t)(is - text), diags);
        if (!arg) continue;
        if (dump)
            dump_buffer(arg, is + 1, diags);
        else
            compare_buffer(kernel, arg, is + 1, strtod(o->tolerance, NULL), diags);
    }
}

/* --- Hot lines --- */
static int hotter(const void *x, const void *y) {
    const ls_emu_line *a = x, *b = y;
    return a->warp_instructions < b->warp_instructions   ? 1
           : a->warp_instructions > b->warp_instructions ? -1
                                                         : 0;
}

static void print_profile(FILE *to, const char *kernel, const ls_emu_result *r, uint32_t warp_size) {
    if (!r->warp_instructions) return;
    qsort(r->lines, r->line_count, sizeof *r->lines, hotter);
    fprintf(to, "hot lines of '%s':\n", kernel);
    fprintf(to, "%14s %7s %9s  line\n", "instructions", "share", "lanes");
    for (uint32_t k = 0; k < r->line_count && k < 20; k++) {
        const ls_emu_line *l = &r->lines[k];
        fprintf(to, "%14" PRIu64 " %6.1f%% %8.1f%%  %s:%u\n", l->warp_instructions,
                100.0 * (double)l->warp_instructions / (double)r->warp_instructions,
                100.0 * (double)l->lane_instructions / (double)l->warp_instructions / warp_size, l->pos.file,
                l->pos.line);
    }
    fprintf(to, "%14" PRIu64 " warp instructions in all; SIMD efficiency %.1f %%\n", r->warp_instructions,
            100.0 * (double)r->lane_instructions / (double)r->warp_instructions / warp_size);
}

/* --- One kernel --- */
/* The launch is none that a GPU would take: wrong input, where it stands. */
static void refuse_launch(ls_diags *diags, const ls_compiled_kernel *kernel, const char *path,
                          const char *message) {
    const ls_kernel_launch *at = kernel->launch_count ? &kernel->launches[0] : NULL;
    const char *file = at && at->file ? at->file : kernel->file ? kernel->file : path;
    ls_diags_add(diags, LS_ERROR, file, at ? at->line : kernel->line, at ? at->column : 0, "%s", message);
}

/* How the kernel is run; `next`: when progress is to be shown again. */
static ls_emu_options how_to_run(const run_options *o, const ls_input *input, double *next) {
    ls_emu_options run = {.warp_size = o->warp_size,
                          .banks = o->banks,
                          .threads = o->common.jobs,
                          .warp_synchronous = o->warp_synchronous,
                          .benign_error = o->benign,
                          .strict_exit = o->strict_exit || input->compiled.language == LS_LANGUAGE_OPENCL,
                          .profile = o->profile,
                          .jit = (ls_emu_jit)o->jit,
                          .compiler = ls_jit_compiler(),
                          .prover = o->check_proved ? NULL : ls_detect_prover(),
                          .timeout = o->common.timeout,
                          .cancel = ls_guard_flag(),
                          .print = print_text,
                          .print_context = talk(&o->common),
                          .progress = isatty(2) ? show_progress : NULL,
                          .progress_context = next};
    ls_emu_checks_parse(o->check, &run.checks, NULL);
    parse_schedule(o->schedule, &run);
    return run;
}

static ls_emulator *open_emulator(const ls_input *input, ls_diags *diags) {
    ls_emulator *emulator = ls_emulator_new(input->module, diags);
    for (uint32_t k = 0; emulator && k < input->compiled.local_count; k++) {
        const ls_local_array *local = &input->compiled.locals[k];
        ls_emulator_local(emulator, local->function, local->offset, local->size);
    }
    return emulator;
}

/* What the launch has in memory, for the report's map of it. */
static void tell_memory(ls_report_kernel *kernel, const ls_emu_args *args) {
    ls_fields *list = ls_fields_list(ls_report_stats(kernel), "memory");
    for (uint32_t i = 0; i < args->count; i++) {
        const ls_emu_arg *arg = &args->args[i];
        if (!arg->is_buffer) continue;
        ls_fields *item = ls_fields_object(list, NULL);
        ls_fields_text(item, "name", "%s", arg->name ? arg->name : arg->ptx_name);
        ls_fields_text(item, "space", "%s", arg->is_local ? "shared" : "global");
        ls_fields_text(item, "type", "%s", ls_ptx_type_text(arg->type));
        ls_fields_uint(item, "count", arg->count);
        ls_fields_uint(item, "bytes", arg->bytes);
    }
    if (!args->shared_bytes) return;
    ls_fields *item = ls_fields_object(list, NULL);
    ls_fields_text(item, "name", "dynamic shared memory");
    ls_fields_text(item, "space", "shared");
    ls_fields_uint(item, "bytes", args->shared_bytes);
}

static void tell_result(const ls_cli_job *job, const ls_compiled_kernel *compiled, ls_report_kernel *kernel,
                        const ls_emu_args *args, const ls_emu_result *r) {
    const run_options *o = (const run_options *)job->common;
    ls_diags *diags = job->file->diags;
    ls_tell_run(kernel, r);
    tell_memory(kernel, args);
    if (r->status == LS_EMU_INVALID) {
        refuse_launch(diags, compiled, job->path, r->message);
        ls_report_unknown(kernel, (ls_place){0}, NULL, "it was not run, because its launch is not possible");
    } else {
        after_run(o, kernel, args, diags);
    }
    for (uint32_t k = r->line_count; k-- > 0 && r->warp_instructions;)
        ls_report_line(kernel, r->lines[k].pos, r->lines[k].warp_instructions, r->lines[k].lane_instructions);
    if (o->profile && o->common.format == LS_FORMAT_TEXT) /* in the other forms it is in the report */
        print_profile(talk(&o->common), kernel->demangled, r, o->warp_size ? o->warp_size : 32);
}

static void run_kernel(const ls_cli_job *job, const ls_input *input, const ls_compiled_kernel *compiled) {
    const run_options *o = (const run_options *)job->common;
    ls_diags *diags = job->file->diags;
    ls_report_kernel *kernel = ls_input_report(job, compiled);
    const ls_ptx_function *function = ls_input_runnable(input, kernel);
    if (!function) return;
    double next = 0;
    ls_emu_options run = how_to_run(o, input, &next);
    ls_emu_launch launch = {.kernel = compiled->name};
    for (int k = 0; k < 3; k++) {
        launch.block[k] = kernel->block[k];
        launch.grid[k] = kernel->grid[0] ? kernel->grid[k] : 1;
    }
    uint32_t cluster[3];
    ls_ptx_cluster_of(function, cluster);
    for (int k = 0; k < 3; k++) {
        if (o->cluster.given) launch.cluster[k] = cluster[k] = o->cluster.of[k];
        if (!kernel->grid[0]) launch.grid[k] = cluster[k];
    }
    if (!kernel->grid[0] && launch.grid[0] * launch.grid[1] * launch.grid[2] > 1)
        ls_report_scope(kernel, "one cluster only", "one cluster, as the size of the grid is not known");
    else if (!kernel->grid[0])
        ls_report_scope(kernel, "one block only", "one block, as the size of the grid is not known");
    uint32_t shared = o->shared                ? o->shared
                      : compiled->shared_known ? compiled->shared_bytes
                                               : LS_EMU_SHARED_UNKNOWN;
    ls_arena arena;
    ls_arena_init(&arena);
    ls_guard_begin(0, o->common.timeout);
    ls_emulator *emulator = open_emulator(input, diags);
    ls_emu_args args;
    if (emulator &&
        ls_emu_args_make(emulator, function, launch.grid, launch.block, shared, o->args.items, o->args.count,
                         ls_input_parameters(compiled, function), &arena, &args, diags)) {
        ls_emu_args_within(&args, function, ls_input_ranges(compiled, function), &arena);
        launch.params = args.params;
        launch.params_size = args.params_size;
        launch.shared_bytes = args.shared_bytes;
        ls_emu_result *r = ls_emulator_run(emulator, &launch, &run);
        if (next > 0) fprintf(stderr, "\r%60s\r", "");
        ls_cli_say_made(kernel, emulator, &args, &arena);
        if (r) tell_result(job, compiled, kernel, &args, r);
        ls_emu_result_free(r);
    } else {
        ls_report_unknown(kernel, (ls_place){0}, NULL,
                          "it was not run, because of an error in its arguments or its module");
    }
    ls_guard_end();
    ls_emulator_free(emulator);
    ls_arena_free(&arena);
}

static ls_frontend_options compiles(const void *parsed) {
    const run_options *o = parsed;
    uint32_t checks = 0;
    ls_emu_checks_parse(o->check, &checks, NULL);
    ls_frontend_options how = ls_cli_frontend(&o->common, o->source_shaped ? LS_FORM_SOURCE : LS_FORM_AS_RUN);
    how.checked = true;
    how.separate_locals = checks & LS_CHECK_BOUNDS;
    return how;
}

static void one_file(const ls_cli_job *job) {
    const run_options *o = (const run_options *)job->common;
    ls_input input;
    ls_frontend_options how = compiles(o);
    if (!ls_input_open(job->common, &how, job->path, &input, job->file->diags)) return;
    uint32_t wanted = 0;
    for (uint32_t k = 0; k < input.compiled.kernel_count; k++) {
        const ls_compiled_kernel *kernel = &input.compiled.kernels[k];
        if (!ls_input_wants(job->common, kernel)) continue;
        wanted++;
        run_kernel(job, &input, kernel);
    }
    ls_input_report_templates(job, &input);
    if (!wanted && !job->file->kernels)
        ls_diags_add(job->file->diags, LS_ERROR, job->path, 0, 0, "there is no such kernel in it");
    ls_input_free(&input);
}

/* Reads --check; false: an error message says what is wrong with it. */
static bool parse_checks(ls_cli *cli, const char *list, uint32_t *checks) {
    const char *word;
    size_t length = ls_emu_checks_parse(list, checks, &word);
    if (!length) return true;
    const char *given = ls_arena_printf(&cli->arena, "%.*s", (int)length, word);
    const char *near = ls_nearest(given, checkers);
    if (!*word || *word == ',')
        ls_cli_error(cli,
                     "--check: a name is missing in '%s'; expected all, none, or names with commas between "
                     "them, such as race,bounds",
                     list);
    else if (!strcmp(given, "all") || !strcmp(given, "none"))
        ls_cli_error(cli, "--check: '%s' cannot be combined with other names ('%s')", given, list);
    else if (near)
        ls_cli_error(cli, "--check: there is no checker '%s'; did you mean '%s'?", given, near);
    else
        ls_cli_error(cli, "--check: there is no checker '%s'; 'lockstep run --help' lists them", given);
    return false;
}

static int whole_program(ls_cli *cli, const run_options *o, const ls_list *words, const char *title) {
    ls_program_options p = {.common = &o->common,
                            .title = title,
                            .jit = o->jit,
                            .check_proved = o->check_proved,
                            .devices = o->devices,
                            .sample = o->sample,
                            .gpu = o->gpu,
                            .record = o->record,
                            .prove = o->prove,
                            .launches = o->launches,
                            .status_of_findings = o->exit_status == 1};
    if (!parse_checks(cli, o->check, &p.checks)) return LS_EXIT_USAGE;
    if (!ls_gpu_model_find(o->gpu))
        return ls_cli_error(cli, "--gpu: there is no GPU '%s'; 'lockstep run --help' lists them", o->gpu);
    return ls_run_program(cli, &p, words);
}

/* What stands behind "--", of a source: "--" alone, or a word without a dash, begins the program's arguments,
 * and so does everything with --program or of several files. A word with a dash begins options of the
 * compiler; a second "--" behind these begins the program's arguments. */
typedef struct {
    ls_list compiler, program;
    bool runs; /* the source as a program */
} divided;

static ls_list part_of(const ls_list *list, uint32_t from, uint32_t to) {
    return from < to ? (ls_list){.items = list->items + from, .count = to - from} : (ls_list){0};
}

static divided divide(const run_options *o) {
    const ls_list *words = &o->common.extra;
    if (o->program || o->common.operands.count > 1 || !words->count || words->items[0][0] != '-')
        return (divided){.program = *words,
                         .runs = o->program || o->common.operands.count > 1 || o->common.divided};
    uint32_t second = 0;
    while (second < words->count && strcmp(words->items[second], "--")) second++;
    return (divided){.compiler = part_of(words, 0, second),
                     .program = part_of(words, second + 1, words->count),
                     .runs = second < words->count};
}

static int source_program(ls_cli *cli, const run_options *o, const divided *d) {
    ls_list words = {0};
    ls_common common = o->common;
    common.extra = d->compiler;
    const char *program = ls_build_program(cli, &common, &common.operands);
    if (!program) return LS_EXIT_USAGE;
    ls_list_push(&cli->arena, &words, program);
    for (uint32_t i = 0; i < d->program.count; i++) ls_list_push(&cli->arena, &words, d->program.items[i]);
    return whole_program(cli, o, &words, common.operands.items[0]);
}

/* Kernels of a file. Where that does not compile and the compiler was given words, these may have been meant
 * for a program. */
static int kernels(ls_cli *cli, const run_options *o) {
    const int status = ls_cli_report(cli, &o->common, one_file);
    if (status == LS_EXIT_USAGE && o->common.extra.count)
        fprintf(stderr,
                "lockstep: note: '%s' after -- was taken as an option for the compiler, because it begins "
                "with a dash; '%s -- -- %s' passes it to the program\n",
                o->common.extra.items[0], o->common.operands.items[0], o->common.extra.items[0]);
    return status;
}

static int run(ls_cli *cli, const void *parsed) {
    const run_options *o = parsed;
    uint32_t checks;
    ls_emu_options probe = {0};
    bool program = !o->common.operands.count && o->common.extra.count;
    if (program) return whole_program(cli, o, &o->common.extra, NULL);
    if (!o->common.operands.count) return ls_cli_error(cli, "no input file; try 'lockstep run --help'");
    const divided d = divide(o);
    if (d.runs) return source_program(cli, o, &d);
    if (o->record)
        return ls_cli_error(
            cli, "--record needs a whole program: give -- PROGRAM, or '%s --' to build and run the file",
            o->common.operands.items[0]);
    if (!parse_checks(cli, o->check, &checks)) return LS_EXIT_USAGE;
    if (!parse_schedule(o->schedule, &probe))
        return ls_cli_error(cli, "--schedule: rr, reverse or random:SEED was expected, not '%s'",
                            o->schedule);
    char *end;
    double tolerance = strtod(o->tolerance, &end);
    if (end == o->tolerance || *end || !(tolerance >= 0))
        return ls_cli_error(cli, "--tolerance expects a number that is not negative, not '%s'", o->tolerance);
    if (o->warp_size < 1 || o->warp_size > 64 || o->banks < 1 || o->banks > 64)
        return ls_cli_error(cli, "--warp-size and --banks expect numbers from 1 to 64");
    return kernels(cli, o);
}

const ls_command ls_cmd_run = {
    .name = "run",
    .operands = "FILE | FILE… [-- ARGUMENTS…] | -- PROGRAM…",
    .summary = "run a kernel, or a whole program, in the emulator, with checkers",
    .about =
        "Runs the kernel on the CPU, warp by warp, and reports data races, barrier divergence, bad "
        "addresses, "
        "bank conflicts, uncoalesced accesses and divergent branches, by source line. Arguments that are not "
        "given are made up, and the report says how. With -- PROGRAM a whole CUDA or OpenCL program runs "
        "without a GPU: its kernels with these checkers, its copies, streams and allocations with others.",
    .examples =
        "scan.cu\twith the launch of the file and made-up arguments\n"
        "--block 256 --grid 4 -a 'f32[1024]=iota' -a n=1024 --print 0 saxpy.cu\t"
        "with these arguments, and print the first one afterwards\n"
        "--profile scan.cu\tcount instructions by line\n"
        "-- ./app 1000\ta whole program, on an emulated GPU\n"
        "app.cu -- 1000\tthe same from its sources, without a CUDA toolkit\n"
        "app.cu -- -DSIZE=8 -- -n 1000\twith an option of the compiler, and arguments after a second --\n"
        "-a x=file:x.npy --expect y=y.npy saxpy.cu\tinput and expected output from files\n",
    .options = options,
    .options_size = sizeof(run_options),
    .compiles = compiles,
    .run = run};
