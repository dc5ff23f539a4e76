/* lockstep verify: proofs of race freedom, barrier convergence and assertions, or a witness, or the reason
 * why neither was found. */
#include "base/vec.h"
#include "cli/verification.h"

#include "base/pool.h"
#include "cli/mend.h"
#include "cli/progress.h"
#include "cli/verify_kernel.h"
#include "cli/verify_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef ls_verification_cli verify_options;

#define FIELD(name) offsetof(verify_options, name)

const ls_option ls_verification_options[] = {
    {LS_OPT_FLAG, "bounds", 0, FIELD(bounds), NULL, NULL,
     "report every access that can leave an array of known size (default: only those that do so in every "
     "launch)"},
    {LS_OPT_LIST, "assume", 0, FIELD(assumptions), "CONDITION", NULL,
     "assume that this holds for the launch and the scalar parameters: 'blockDim.x % 32 == 0 && n > 0' "
     "(repeatable)"},
    {LS_OPT_LIST, "size", 0, FIELD(sizes), "PARAMETER=BYTES", NULL,
     "the buffer behind this pointer has so many bytes: 'a=4*n' (repeatable)"},
    {LS_OPT_FLAG, "null", 0, FIELD(null), NULL, NULL, "also check pointer parameters that may be null"},
    {LS_OPT_FLAG, "div0", 0, FIELD(div0), NULL, NULL, "also check that no integer is divided by zero"},
    {LS_OPT_CHOICE, "benign", 0, FIELD(benign), "note|error", "note",
     "how to report threads that write the same value to the same place"},
    {LS_OPT_FLAG, "strict-exit", 0, FIELD(strict_exit), NULL, NULL,
     "report barriers that some threads of the block miss because they have returned (always so in OpenCL)"},
    {LS_OPT_NUMBER, "warp-sync", 0, FIELD(warp_sync), "N", "0",
     "assume that warps of N threads run in lock-step (old warp-synchronous code)"},
    {LS_OPT_FLAG, "only-intra-group", 0, FIELD(only_intra_group), NULL, NULL,
     "do not look for races between blocks"},
    {LS_OPT_FLAG, "only-divergence", 0, FIELD(only_divergence), NULL, NULL,
     "check barriers and assertions only, no races"},
    {LS_OPT_FLAG, "no-annotations", 0, FIELD(no_annotations), NULL, NULL, "ignore annotations"},
    {LS_OPT_TEXT, "kernel-args", 0, FIELD(arguments), "KERNEL,VALUE,…", NULL,
     "values of scalar parameters, in order; * for any"},
    {LS_OPT_CHOICE, "overflow", 0, FIELD(overflow), "assume|exact", "assume",
     "assume, where a proof needs it, that index arithmetic does not overflow (the scope says so)"},
    {LS_OPT_CHOICE, "externals", 0, FIELD(externals), "unknown|pure|any", "unknown",
     "what functions without a body do: unknown; pure: they access no memory and do not synchronise; any: as "
     "pure, and a failure with some result of theirs is an error"},
    {LS_OPT_LIST, "loads", 0, FIELD(loads), "shared|any", NULL,
     "what loads of one address by several threads return; shared: the same value until someone writes (not "
     "with atomics); any: any value (default: the same value where that is certain)"},
    {LS_OPT_TEXT, "arrays", 0, FIELD(array_names), "NAME,…", NULL,
     "look for races on these parameters or variables only"},
    {LS_OPT_CHOICE, "uncalled", 0, FIELD(uncalled), "note|unknown", "note",
     "how to report functions that no kernel of the file calls"},
    {LS_OPT_TEXT, "launches", 0, FIELD(launches), "FILE", NULL,
     "verify the launches that 'lockstep run --record FILE -- ./app' recorded"},
    {LS_OPT_TEXT, "contracts", 0, FIELD(contracts), "FILE", NULL,
     "check launches against the contracts of kernels in this file, and add new contracts to it",
     .own = true},
    {LS_OPT_FLAG, "as-written", 0, FIELD(as_written), NULL, NULL,
     "verify only the code as it is written; do not try the optimised code of kernels that stay unknown"},
    {LS_OPT_FLAG, "accept-contracts", 0, FIELD(accept_contracts), NULL, NULL,
     "count a kernel as proved if it is proved for every launch that satisfies its contract"},
    {LS_OPT_FLAG, "suggest", 0, FIELD(suggest), NULL, NULL,
     "try changes that may fix what was found (added barriers, padded rows), and print those that do"},
    {LS_OPT_FLAG, "all", 'a', FIELD(all), NULL, NULL,
     "`check`: also list accesses and branches that cost no more than they must"},
    {LS_OPT_TEXT, "known", 0, FIELD(known), "FILE", NULL,
     "print a key for each kernel in JSON, and skip kernels whose keys are in FILE, one per line (for "
     "servers)"},
    {LS_OPT_FLAG, "no-replay", 0, FIELD(no_replay), NULL, NULL,
     "do not confirm findings by running them in the emulator"},
    {LS_OPT_CHOICE, "print", 0, FIELD(print), LS_VERIFY_PRINT_WORDS, "nothing",
     "print each kernel in the kernel language instead: as it is, in sort order, predicated, or in "
     "lock-step"},
    {LS_OPT_FLAG, "any-size", 0, LS_COMMON(any_size), NULL, NULL,
     "allow --block, --grid and shared memory beyond CUDA's limits (for other devices)"},
    {LS_OPT_FLAG, "stats", 0, FIELD(stats), NULL, NULL, "show how the queries were answered"},
    {LS_OPT_TEXT, "smt2", 0, FIELD(smt2), "DIR", NULL, "write the solver's queries to DIR", .own = true},
    {LS_OPT_SECONDS, "timeout", 0, LS_COMMON(timeout), "SECONDS", "10", "CPU time for each kernel"},
    LS_KERNEL_OPTIONS,
    LS_COMPILE_OPTIONS,
    LS_RUN_OPTIONS,
    LS_CACHE_OPTION,
    LS_UNTRUSTED_OPTION,
    LS_REPORT_OPTIONS,
    {LS_OPT_END}};

typedef struct {
    const ls_compiled_kernel *kernel;
    ls_report_kernel *entry;
    ls_diags *diags;
    bool promises_only; /* of a function that is no kernel */
    ls_launch_case launch;
    bool costs; /* are looked at here */
} kernel_job;

typedef struct {
    const ls_cli_job *job;
    const ls_input *input;
    LS_VEC(kernel_job) kernels; /* each as often as it is launched differently */
    ls_arena *arena;
    uint32_t workers, threads; /* on the kernels, and on one of them */
    bool costs;
    ls_buf source; /* its text, where keys are asked for */
} file_job;

/* --kernel-args with the kernel's name in the PTX, where it is meant: by that or as people write it. */
static const char *arguments_for(const verify_options *o, const ls_compiled_kernel *kernel, ls_arena *arena) {
    if (!o->arguments) return NULL;
    size_t length = strcspn(o->arguments, ",");
    const char *name = ls_arena_strndup(arena, o->arguments, length);
    ls_common named = {.kernels = {&name, 1, 1}};
    if (!ls_cli_wants_kernel(&named, kernel->name, kernel->demangled)) return NULL;
    o->assumed[o->assumptions.count] = true; /* the place behind the assumptions: it concerns a kernel */
    return ls_arena_printf(arena, "%s%s", kernel->name, o->arguments + length);
}

static void one_kernel(void *context, uint32_t index) {
    const file_job *file = context;
    const ls_cli_job *job = file->job;
    const ls_input *input = file->input;
    const ls_compiled_kernel *kernel = file->kernels.items[index].kernel;
    const verify_options *o = (const verify_options *)job->common;
    const ls_launch_case *launch = &file->kernels.items[index].launch;
    if (file->kernels.items[index].entry->is_known) return;
    ls_arena arena;
    ls_arena_init(&arena);
    ls_verify_options v = {.opencl = input->compiled.language == LS_LANGUAGE_OPENCL,
                           .strict_exit = o->strict_exit,
                           .only_intra_group = o->only_intra_group,
                           .only_divergence = o->only_divergence,
                           .no_annotations = o->no_annotations,
                           .dimensions = o->common.block.dimensions,
                           .promises_only = file->kernels.items[index].promises_only,
                           .bounds = o->bounds,
                           .benign_error =
                               o->benign == 1 || (o->loads.count && !strcmp(o->loads.items[0], "any")),
                           .pure_externals = o->externals >= 1,
                           .any_externals = o->externals == 2,
                           .exact_overflow = o->overflow == 1,
                           .parameters = kernel->parameters,
                           .parameter_count = kernel->parameter_count,
                           .ranges = kernel->ranges,
                           .warp_sync = o->warp_sync,
                           .timeout = o->common.timeout,
                           .smt2_dir = o->smt2,
                           .assumptions = o->assumptions.items,
                           .assumption_count = o->assumptions.count,
                           .sizes = o->sizes.items,
                           .size_count = o->sizes.count,
                           .arrays = o->arrays.items,
                           .array_count = o->arrays.count,
                           .any_loads = o->loads.count && !strcmp(o->loads.items[0], "any"),
                           .shared_loads = o->loads.count && !strcmp(o->loads.items[0], "shared"),
                           .null = o->null,
                           .div0 = o->div0,
                           .arguments = arguments_for(o, kernel, &arena),
                           .facts = launch->facts,
                           .fact_count = launch->fact_count,
                           .allocations = launch->launch ? launch->launch->allocations : NULL,
                           .allocation_count = launch->launch ? launch->launch->allocation_count : 0,
                           .of_program = launch->launch != NULL,
                           .free_launch = !launch->launch && !o->common.block.given && !o->common.grid.given,
                           .threads = file->threads};
    memcpy(v.block, launch->block, sizeof v.block);
    memcpy(v.grid, launch->grid, sizeof v.grid);
    ls_progress_kernel(job->cli->progress, kernel->demangled);
    ls_verify_kernel(input, kernel, file->kernels.items[index].entry, &v,
                     (ls_verification_extras){o->no_replay, o->stats, o->assumed, o->sized, o->named,
                                              launch->launch, o->accept_contracts, o->as_written,
                                              o->contracted, file->kernels.items[index].costs ? job : NULL},
                     file->kernels.items[index].diags);
    ls_progress_kernel(job->cli->progress, NULL);
    ls_arena_free(&arena);
}

/* What came up kernel by kernel, in their order. */
static void collect_diags(file_job *file) {
    for (uint32_t i = 0; i < file->kernels.length; i++) {
        ls_diags_append(file->job->file->diags, file->kernels.items[i].diags);
        ls_diags_free(file->kernels.items[i].diags);
    }
}

/* Functions that the kernels do not cover: their promises are checked; those that nothing calls are named. */
static void one_function(file_job *file, const ls_ptx_function *function) {
    const ls_cli_job *job = file->job;
    const ls_input *input = file->input;
    const verify_options *o = (const verify_options *)job->common;
    ls_function_role role = ls_verify_role(input->module, function);
    if (role == LS_FUNCTION_COVERED || (o->no_annotations && role == LS_FUNCTION_PROMISES)) return;
    char name[500];
    ls_demangle(function->symbol->name, name, sizeof name);
    const ls_ptx_loc *loc = function->first_loc;
    ls_place place = {loc ? ls_ptx_file_path(input->module, loc->file) : NULL, loc ? loc->line : 0, 0};
    if (role == LS_FUNCTION_UNCALLED && !o->uncalled && file->kernels.length) {
        ls_diags_add(job->file->diags, LS_NOTE, place.file ? place.file : job->path, place.line, 0,
                     "no kernel of the file calls '%s': it was not checked", name);
        return;
    }
    ls_compiled_kernel *kernel = LS_NEW(file->arena, ls_compiled_kernel);
    *kernel = (ls_compiled_kernel){.name = function->symbol->name, .demangled = name};
    ls_report_kernel *entry = ls_input_report(job, kernel);
    kernel->demangled = kernel->name;
    if (role == LS_FUNCTION_PROMISES) {
        kernel_job one = {kernel, entry, ls_diags_new(), true, {{0}}, false};
        LS_VEC_PUSH(&file->kernels, one);
        return;
    }
    ls_report_verdict(entry, LS_UNKNOWN);
    ls_report_unknown(entry, place, NULL, "no kernel of the file calls this function: it was not checked");
}

/* -j threads work on several files, on several kernels of the only file, and on the obligations of a kernel
 * where there are more threads than kernels. */
static void share_threads(file_job *file) {
    uint32_t files = file->job->common->operands.count, jobs = file->job->common->jobs;
    if (!jobs) jobs = ls_core_count();
    file->workers = files == 1 && jobs > file->kernels.length ? file->kernels.length : files == 1 ? jobs : 1;
    uint32_t busy = files == 1 ? file->workers : files;
    file->threads = busy && jobs > busy ? jobs / busy : 1;
}

static void give_key(const file_job *file, const ls_compiled_kernel *kernel, const ls_launch_case *launch,
                     ls_report_kernel *entry) {
    const verify_options *o = (const verify_options *)file->job->common;
    char key[LS_KEY_SIZE];
    ls_kernel_key(file->job, file->input, kernel, launch, &file->source, key);
    ls_report_key(entry, key, ls_known_has(o->known_keys, key));
}

static void add_kernel(file_job *file, const ls_compiled_kernel *kernel) {
    const verify_options *o = (const verify_options *)file->job->common;
    uint32_t count;
    const ls_launch_case *cases =
        ls_input_cases(file->job->common, kernel, &o->recorded, file->arena, &count);
    for (uint32_t i = 0; i < count; i++) {
        ls_report_kernel *entry = ls_input_report_case(file->job, kernel, &cases[i]);
        if (o->known_keys) give_key(file, kernel, &cases[i], entry);
        kernel_job one = {kernel, entry, ls_diags_new(), false, cases[i], file->costs && !i};
        LS_VEC_PUSH(&file->kernels, one);
    }
}

void ls_verification_file(const ls_cli_job *job, bool costs) {
    ls_input input;
    if (!ls_input_load_both(job->common, job->path, &input, job->file->diags)) return;
    ls_arena arena;
    ls_arena_init(&arena);
    file_job file = {.job = job, .input = &input, .arena = &arena, .costs = costs};
    if (((const verify_options *)job->common)->known_keys)
        ls_read_file(job->common->text ? job->common->text : job->path, &file.source);
    for (uint32_t i = 0; i < input.compiled.kernel_count; i++) {
        const ls_compiled_kernel *kernel = &input.compiled.kernels[i];
        if (ls_input_wants(job->common, kernel)) add_kernel(&file, kernel);
    }
    for (uint32_t i = 0; i < input.module->function_count && !job->common->kernels.count; i++)
        one_function(&file, input.module->functions[i]);
    share_threads(&file);
    ls_parallel_for(file.workers, file.kernels.length, one_kernel, &file);
    collect_diags(&file);
    ls_input_report_templates(job, &input);
    LS_VEC_FREE(&file.kernels);
    ls_buf_free(&file.source);
    ls_arena_free(&arena);
    ls_input_free(&input);
}

/* Each condition must be one; LS_EXIT_USAGE after a message. */
static int check_conditions(const ls_cli *cli, const char *option, const ls_list *list, bool size) {
    int status = LS_EXIT_CLEAN;
    for (uint32_t i = 0; i < list->count && !status; i++) {
        ls_diags *diags = ls_diags_new();
        if (!ls_verify_condition(list->items[i], size, diags)) {
            const ls_diag *d = ls_diags_at(diags, 0);
            status =
                ls_cli_error(cli, "--%s '%s': column %u: %s", option, list->items[i], d->column, d->message);
        }
        ls_diags_free(diags);
    }
    return status;
}

/* A condition that concerns no kernel is a mistake. */
static int check_used(const ls_cli *cli, const char *option, const ls_list *list, const _Atomic bool *used,
                      const char *what) {
    for (uint32_t i = 0; i < list->count; i++)
        if (!used[i]) return ls_cli_error(cli, "--%s '%s': no kernel has %s", option, list->items[i], what);
    return LS_EXIT_CLEAN;
}

/* The words of --loads agree; the names of --arrays are told apart. */
static int check_words(ls_cli *cli, verify_options *o) {
    for (uint32_t i = 0; i < o->loads.count; i++) {
        if (strcmp(o->loads.items[i], "shared") != 0 && strcmp(o->loads.items[i], "any") != 0)
            return ls_cli_error(cli, "--loads takes shared or any, not '%s'", o->loads.items[i]);
        if (strcmp(o->loads.items[i], o->loads.items[0]) != 0)
            return ls_cli_error(cli, "--loads shared and --loads any exclude each other");
    }
    char *names = ls_arena_strdup(&cli->arena, o->array_names ? o->array_names : ""), *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        ls_list_push(&cli->arena, &o->arrays, name);
    o->named = LS_NEW_N(&cli->arena, _Atomic bool, o->arrays.count + 1);
    return LS_EXIT_CLEAN;
}

static int read_recorded(ls_cli *cli, verify_options *o) {
    if (!o->launches) return LS_EXIT_CLEAN;
    ls_diags *diags = ls_diags_new();
    bool good = ls_recorded_read(o->launches, &cli->arena, &o->recorded, diags);
    ls_cli_show_diags(cli, &o->common, diags);
    ls_diags_free(diags);
    return good ? LS_EXIT_CLEAN : LS_EXIT_USAGE;
}

static int read_contracts(ls_cli *cli, verify_options *o) {
    if (!o->contracts) return LS_EXIT_CLEAN;
    ls_diags *diags = ls_diags_new();
    o->contracted = ls_contracts_read(o->contracts, diags);
    ls_cli_show_diags(cli, &o->common, diags);
    ls_diags_free(diags);
    return o->contracted ? LS_EXIT_CLEAN : LS_EXIT_USAGE;
}

static int write_contracts(ls_cli *cli, verify_options *o) {
    if (o->contracts && cli->fleet) {
        ls_contracts_free(o->contracted);
        return ls_cli_error(cli, "--contracts FILE cannot be written by several processes, as each knows "
                                 "only some of the contracts: use -j 1");
    }
    ls_diags *diags = ls_diags_new();
    bool good = ls_contracts_write(o->contracted, diags);
    ls_cli_show_diags(cli, &o->common, diags);
    ls_diags_free(diags);
    ls_contracts_free(o->contracted);
    o->contracted = NULL;
    return good ? LS_EXIT_CLEAN : LS_EXIT_USAGE;
}

int ls_verification_ready(ls_cli *cli, verify_options *o) {
    int wrong = check_conditions(cli, "assume", &o->assumptions, false);
    if (!wrong) wrong = check_conditions(cli, "size", &o->sizes, true);
    if (!wrong) wrong = check_words(cli, o);
    if (!wrong) wrong = read_recorded(cli, o);
    if (!wrong) wrong = read_contracts(cli, o);
    o->assumed = LS_NEW_N(&cli->arena, _Atomic bool, o->assumptions.count + 1);
    o->sized = LS_NEW_N(&cli->arena, _Atomic bool, o->sizes.count + 1);
    if (o->known) o->known_keys = ls_known_read(o->known, &cli->arena);
    return wrong;
}

int ls_verification_run(ls_cli *cli, const void *parsed, void (*one_file)(const ls_cli_job *job)) {
    verify_options o = *(const verify_options *)parsed;
    if (o.print) return ls_verify_print(cli, &o.common, o.print);
    int wrong = ls_verification_ready(cli, &o);
    if (wrong) return wrong;
    if (o.assumptions.count || o.sizes.count || o.arrays.count || o.arguments || o.known || o.smt2 ||
        o.contracts)
        o.common.kept = NULL; /* what they say of all kernels is known only by looking at each */
    int status = ls_cli_report(cli, &o.common, one_file);
    wrong = write_contracts(cli, &o);
    if (wrong) return wrong;
    if (status == LS_EXIT_USAGE || cli->fleet) return status; /* other processes know, too */
    wrong = check_used(cli, "assume", &o.assumptions, o.assumed, "these parameters");
    if (!wrong) wrong = check_used(cli, "size", &o.sizes, o.sized, "these parameters");
    if (!wrong) wrong = check_used(cli, "arrays", &o.arrays, o.named, "such an array");
    if (!wrong && o.arguments && !o.assumed[o.assumptions.count])
        wrong = ls_cli_error(cli, "--kernel-args '%s': there is no such kernel", o.arguments);
    return wrong ? wrong : status;
}

static void look(const ls_cli_job *job) {
    ls_verification_file(job, false);
}

static void one_file(const ls_cli_job *job) {
    look(job);
    ls_mend(job, look);
}

static ls_frontend_options compiles(const void *options) {
    ls_frontend_options how = ls_cli_frontend(options, LS_FORM_SOURCE);
    how.both_forms = true;
    return how;
}

static void before_seal(ls_cli *cli, void *options, uint64_t bytes) {
    ls_mend_before_seal(cli, options, bytes, look);
}

static int run(ls_cli *cli, const void *parsed) {
    return ls_verification_run(cli, parsed, one_file);
}

const ls_command ls_cmd_verify = {
    .name = "verify",
    .operands = "FILE…",
    .summary = "prove kernels free of races and barrier divergence, or show how they fail",
    .about = "For each kernel in FILE (.cu, .cl or .ptx), gives a proof that no execution has a data race, a "
             "barrier that only some threads of a block reach, or a failing assertion; or a witness of such "
             "an error; or the reason why neither was found. Exit status: 0 all proved, 1 something found, 3 "
             "something unknown.",
    .examples = "scan.cu\tall kernels of one file, with the launch sizes that it has\n"
                "--block 256 scan.cu\tfor blocks of 256 threads and any grid\n"
                "--assume 'n % 32 == 0' scan.cu\tfor such n only\n"
                "--bounds --size 'a=4*n' scan.cu\talso check that accesses stay inside arrays\n"
                "--suggest scan.cu\talso look for a change that fixes it\n"
                "-v scan.cu\twith everything that the proof covers and assumes\n",
    .options = ls_verification_options,
    .options_size = sizeof(verify_options),
    .compiles = compiles,
    .keeps = true,
    .before_seal = before_seal,
    .run = run};
