/* What subcommands share: messages, colours, writing the result, choosing kernels, and the parallel loop
 * over input files that fills one report. */
#include "cli/cli.h"

#include "base/guard.h"
#include "base/pool.h"
#include "cli/config.h"
#include "cli/fleet.h"
#include "cli/kept.h"
#include "cli/progress.h"
#include "cli/suppress.h"
#include "lockstep/frontend.h"
#include "report/model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ls_cli_error(const ls_cli *cli, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "lockstep %s: ", cli->command->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return LS_EXIT_USAGE;
}

bool ls_cli_colors(const ls_common *common, FILE *stream) {
    if (common->color) return common->color == 1;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if ((no && *no) || (term && !strcmp(term, "dumb"))) return false;
    return isatty(fileno(stream));
}

int ls_cli_write(const ls_cli *cli, const ls_common *common, const char *text, size_t length) {
    ls_guard_finish();
    if (common->output && strcmp(common->output, "-")) {
        if (ls_write_file(common->output, text, length)) return LS_EXIT_CLEAN;
        return ls_cli_error(cli, "cannot write '%s': %s", common->output, strerror(errno));
    }
    if (fwrite(text, 1, length, stdout) == length && !fflush(stdout)) return LS_EXIT_CLEAN;
    return ls_cli_error(cli, "cannot write the output: %s", strerror(errno));
}

ls_source_roots ls_cli_roots(ls_arena *arena, const ls_common *common) {
    ls_list list = {0};
    for (uint32_t i = 0; i < common->operands.count; i++) {
        const char *path = common->operands.items[i], *slash = strrchr(path, '/');
        ls_list_push(arena, &list, slash ? ls_arena_strndup(arena, path, (size_t)(slash - path) + 1) : ".");
    }
    for (uint32_t i = 0; i < common->include_dirs.count; i++)
        ls_list_push(arena, &list, common->include_dirs.items[i]);
    const char *share = ls_frontend_share_dir();
    if (*share) ls_list_push(arena, &list, share);
    return (ls_source_roots){list.items, list.count};
}

void ls_cli_show_diags(const ls_cli *cli, const ls_common *common, const ls_diags *diags) {
    if (!ls_diags_count(diags)) return;
    char *text = ls_diags_print(diags, ls_cli_colors(common, stderr), cli->roots.count ? &cli->roots : NULL);
    fputs(text, stderr);
    free(text);
}

bool ls_cli_wants_kernel(const ls_common *common, const char *name, const char *demangled) {
    if (!common->kernels.count) return true;
    for (uint32_t i = 0; i < common->kernels.count; i++) {
        if (ls_kernel_is_named(name, demangled, common->kernels.items[i])) return true;
    }
    return false;
}

typedef struct {
    ls_cli_job *jobs;
    void (*work)(const ls_cli_job *job);
} job_list;

static void run_job(void *context, uint32_t index) {
    job_list *list = context;
    const ls_cli_job *job = &list->jobs[index];
    ls_report_file *file = job->file;
    if (!ls_kept_find(job->common->kept, job)) {
        list->work(job);
        if (!file->kernels && !ls_diags_errors(file->diags) && !job->common->kernels.count)
            ls_diags_add(file->diags, LS_ERROR, file->path, 0, 0, "there is no kernel in it");
        file->done = true;
        ls_kept_put(job->common->kept, job);
    }
    ls_progress_file(job->cli->progress);
}

/* No input could be read at all. */
static bool summarized_nothing(const ls_report *report) {
    for (const ls_report_file *file = ls_report_files(report); file; file = file->next)
        if (file->kernels || !ls_diags_errors(file->diags)) return false;
    return true;
}

static int print_report(const ls_cli *cli, const ls_common *common, const ls_report *report) {
    bool text = common->format == LS_FORMAT_TEXT;
    if (text)
        for (const ls_report_file *file = ls_report_files(report); file; file = file->next)
            ls_cli_show_diags(cli, common, file->diags);
    if (text && common->output && summarized_nothing(report)) return LS_EXIT_CLEAN; /* -o stays as it is */
    ls_print_options print = {.format = (ls_format)common->format, .no_diags = true, .roots = &cli->roots};
    print.verbose = common->verbose, print.quiet = common->quiet;
    print.color = text && !common->output && ls_cli_colors(common, stdout);
    size_t length;
    char *printed = ls_report_print(report, &print, &length);
    int status = ls_cli_write(cli, common, printed, length);
    free(printed);
    return status;
}

/* Each --kernel must have been found in some file. */
static void check_kernels(const ls_common *common, ls_report *report, ls_report_file *last) {
    for (uint32_t i = 0; i < common->kernels.count; i++) {
        ls_common one = {.kernels = {&common->kernels.items[i], 1, 1}};
        bool found = false;
        for (const ls_report_file *f = ls_report_files(report); f && !found; f = f->next) {
            if (ls_diags_errors(f->diags)) found = true; /* its kernels are not known */
            for (const ls_report_kernel *k = f->kernels; k && !found; k = k->next)
                found = ls_cli_wants_kernel(&one, k->name, k->demangled);
        }
        if (!found)
            ls_diags_add(last->diags, LS_ERROR, NULL, 0, 0, "no kernel '%s' in the input",
                         common->kernels.items[i]);
    }
}

int ls_cli_finish(const ls_cli *cli, const ls_common *common, ls_report *report) {
    ls_report_finish(report);
    if (!cli->config) return LS_EXIT_CLEAN;
    ls_diags *diags = ls_diags_new();
    bool good = ls_suppress(report, cli->config, common->baseline, diags);
    ls_cli_show_diags(cli, common, diags);
    ls_diags_free(diags);
    return good ? LS_EXIT_CLEAN : LS_EXIT_USAGE;
}

typedef struct {
    ls_arena *arena;
    ls_list *files;
} project;

static void add_project_file(void *context, const char *file) {
    const project *p = context;
    char folder[4096];
    size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    if (length && !strncmp(file, folder, length) && file[length] == '/') file += length + 1;
    for (uint32_t i = 0; i < p->files->count; i++)
        if (!strcmp(p->files->items[i], file)) return;
    ls_list_push(p->arena, p->files, ls_arena_strdup(p->arena, file));
}

bool ls_cli_project(ls_cli *cli, ls_common *common) {
    if (common->operands.count || common->extra.count || !common->compile_commands) return true;
    ls_diags *diags = ls_diags_new();
    project p = {&cli->arena, &common->operands};
    bool good = ls_compile_commands_files(common->compile_commands, add_project_file, &p, diags);
    if (good && !common->operands.count) {
        ls_diags_add(diags, LS_ERROR, common->compile_commands, 0, 0, "it names no .cu or .cl file");
        good = false;
    }
    ls_cli_show_diags(cli, common, diags);
    ls_diags_free(diags);
    return good;
}

int ls_cli_report(ls_cli *cli, const ls_common *common, void (*work)(const ls_cli_job *job)) {
    uint32_t count = common->operands.count;
    if (!count) return ls_cli_error(cli, "no input file; try 'lockstep %s --help'", cli->command->name);
    if (common->text && count > 1) return ls_cli_error(cli, "--text: it is the text of one file");
    bool good = true;
    if (cli->command->keeps) cli->fleet = ls_fleet_join(cli, &good);
    if (!good) return LS_EXIT_USAGE;
    const bool helps = ls_fleet_is_helper(cli->fleet); /* another process prints the report */
    ls_report *report = ls_report_new(cli->command->name);
    job_list list = {LS_NEW_N(&cli->arena, ls_cli_job, count), work};
    uint32_t given = count;
    count = 0;
    for (uint32_t i = 0; i < given; i++) {
        const char *path = common->operands.items[i];
        if (ls_config_excludes(cli->config, path)) continue;
        list.jobs[count++] = (ls_cli_job){cli, common, path, ls_report_add_file(report, path)};
    }
    if (common->text) ls_report_text(report, common->operands.items[0], common->text);
    cli->report = report;
    cli->progress = ls_progress_start(cli->command->name, count, !common->quiet && !helps);
    if (cli->fleet)
        ls_fleet_work(cli->fleet, list.jobs, count, common->jobs, run_job, &list);
    else
        ls_parallel_for(common->jobs, count, run_job, &list);
    ls_progress_end(cli->progress);
    cli->progress = NULL;
    ls_guard_finish();
    if (count && !helps) check_kernels(common, report, list.jobs[count - 1].file);
    int status = helps ? LS_EXIT_CLEAN : ls_cli_finish(cli, common, report);
    if (status == LS_EXIT_CLEAN && !helps) status = print_report(cli, common, report);
    if (status == LS_EXIT_CLEAN && !helps) status = ls_report_status(report, (ls_fail_on)common->fail_on);
    cli->report = NULL;
    ls_report_free(report);
    ls_fleet_leave(cli->fleet, status);
    return status;
}

int ls_cli_last_words(ls_cli *cli, const char *why, int signal) {
    int status = signal ? 128 + signal : LS_EXIT_UNKNOWN;
    if (ls_fleet_is_helper(cli->fleet)) return status;
    if (!cli->report) {
        fprintf(stderr, "lockstep %s: %s\n", cli->command->name, why);
        return status;
    }
    ls_report_freeze(cli->report, why);
    if (ls_cli_finish(cli, cli->common, cli->report) != LS_EXIT_CLEAN) return LS_EXIT_USAGE;
    if (print_report(cli, cli->common, cli->report) != LS_EXIT_CLEAN) return LS_EXIT_USAGE;
    status = ls_report_status(cli->report, (ls_fail_on)cli->common->fail_on);
    return status == LS_EXIT_CLEAN ? LS_EXIT_UNKNOWN : status;
}
