/* lockstep detect -- PROGRAM: starts the program with the detector preloaded (src/detect/preload), waits for
 * it, and makes a report of what it wrote down, kernel by kernel. */
#include "cli/detect_program.h"

#include "base/guard.h"
#include "base/recover.h"
#include "base/scratch.h"
#include "check/tell.h"
#include "cli/preload.h"
#include "cli/progress.h"
#include "detect/report.h"
#include "finding/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CAPTURES = 8 };

/* --- Starting --------------------------------------------------------------------------------------------
 */

static void set_flag(const char *name, bool value) {
    if (value)
        setenv(name, "1", 1);
    else
        unsetenv(name);
}

static void set_text(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void set_number(const char *name, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.0f", value);
    setenv(name, text, 1);
}

static uint64_t bytes_of(const char *text) {
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    return value << (*end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

static void set_environment(const ls_detect_cli_options *o, const ls_preload *preload, const char *report) {
    ls_buf names = {0};
    ls_preload_prepend("LD_PRELOAD", preload, "liblockstep-detect.so");
    setenv("LOCKSTEP_REPORT", report, 1);
    setenv("CUPY_CACHE_IN_MEMORY", "1", 0); /* else it loads machine code whose PTX is gone */
    for (uint32_t i = 0; i < o->common.kernels.count; i++)
        ls_buf_printf(&names, "%s%s", i ? "\n" : "", o->common.kernels.items[i]);
    set_text("LOCKSTEP_KERNELS", names.length ? names.text : NULL);
    if (o->launches) {
        const char *to = strpbrk(o->launches, "-:");
        set_number("LOCKSTEP_FIRST", strtod(o->launches, NULL));
        set_number("LOCKSTEP_LAST", strtod(to ? to + 1 : o->launches, NULL));
    }
    set_number("LOCKSTEP_SKIP", o->skip);
    set_number("LOCKSTEP_CAPTURES", o->emulate > 0 ? MOST_CAPTURES : 0);
    set_number("LOCKSTEP_EVERY", o->every);
    set_number("LOCKSTEP_BUDGET", o->budget);
    set_number("LOCKSTEP_ROUNDS", o->rounds);
    set_number("LOCKSTEP_TIMEOUT", o->common.timeout);
    if (o->memory) set_number("LOCKSTEP_MEMORY", (double)bytes_of(o->memory));
    set_text("LOCKSTEP_COPIES", o->copies);
    set_flag("LOCKSTEP_ALL", o->all);
    set_flag("LOCKSTEP_VALUES", o->values);
    set_flag("LOCKSTEP_DETERMINISTIC", o->deterministic);
    set_flag("LOCKSTEP_NO_LINES", o->no_lines);
    set_flag("LOCKSTEP_NO_SHARED", o->no_shared);
    set_flag("LOCKSTEP_NO_GLOBAL", o->no_global);
    set_flag("LOCKSTEP_STOP", o->on_unsupported == 1);
    ls_buf_free(&names);
}

/* The program's exit status; negative where it could not be started. */
static int start(const ls_detect_cli_options *o, const ls_preload *preload, const char *report) {
    const ls_list *words = &o->common.extra;
    LS_SCRATCH(scratch);
    char **argv = ls_list_argv(&scratch, words);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        set_environment(o, preload, report);
        execvp(argv[0], argv);
        fprintf(stderr, "lockstep detect: %s cannot be started: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return child < 0 ? -1 : status;
}

/* --- Reading what it found -------------------------------------------------------------------------------
 */

static ls_report_kernel *kernel_named(ls_report_file *file, const char *name) {
    for (ls_report_kernel *k = file->kernels; k; k = k->next)
        if (strcmp(k->name, name) == 0) return k;
    return ls_report_add_kernel(file, name, NULL);
}

/* Each reason is reported once for each kernel. */
static bool is_new_reason(const ls_report_kernel *kernel, const char *reason) {
    for (const ls_reason *r = kernel->reasons; r; r = r->next)
        if (strstr(r->message, reason)) return false;
    return true;
}

/* What is read: findings come in several lines, and are told when the next one begins. */
typedef struct {
    ls_report_file *file;
    ls_report_kernel *kernel;
    ls_store store;
    ls_finding *finding;
    uint32_t launch;  /* its number in the program */
    uint32_t settled; /* the launch of which all blocks ran in the emulator */
    double emulate;   /* seconds for each */
    ls_progress *progress;
} reader;

static uint64_t stat_of(ls_report_kernel *kernel, const char *key) {
    for (const ls_field *s = ls_report_stats(kernel)->first; s; s = s->next)
        if (strcmp(s->key, key) == 0) return s->value.natural;
    return 0;
}

static void add_to_stat(ls_report_kernel *kernel, const char *key, uint64_t more) {
    if (more) ls_fields_uint(ls_report_stats(kernel), key, stat_of(kernel, key) + more);
}

static void tell(reader *r) {
    if (!r->finding || !r->kernel) return;
    ls_fields_uint(ls_finding_detail(r->finding), "launch", r->launch);
    ls_tell_finding(r->kernel, r->finding, false);
    ls_report_verdict(r->kernel, LS_REFUTED);
    r->finding = NULL;
}

static void tell_emulated(reader *r, const ls_detect_emulated *e) {
    for (ls_finding *f = e->findings; f; f = f->next) {
        ls_fields_uint(ls_finding_detail(f), "launch", r->launch);
        ls_tell_finding(r->kernel, f, false);
        if (f->level == LS_ERROR) ls_report_verdict(r->kernel, LS_REFUTED);
    }
    if (e->why)
        ls_report_unknown(r->kernel, (ls_place){0}, NULL, "not run in the emulator: %s", e->why);
    else
        ls_report_scope(r->kernel, NULL,
                        "%" PRIu64 " of %" PRIu64
                        " blocks of launch %u were run in the emulator, on the memory that they had",
                        e->run, e->blocks, r->launch);
    if (e->limit) ls_report_unknown(r->kernel, (ls_place){0}, NULL, "in the emulator: %s", e->limit);
    if (!e->why && !e->limit && e->run >= e->blocks) r->settled = r->launch;
}

/* What the GPU cannot be watched doing is looked at in the emulator. */
static void emulate(reader *r, const char *path) {
    ls_diags *diags = ls_diags_new();
    ls_progress_kernel(r->progress, r->kernel->name);
    ls_detect_emulated *e = ls_detect_emulate(path, r->emulate, diags);
    ls_progress_kernel(r->progress, NULL);
    tell_emulated(r, e);
    ls_detect_emulated_free(e);
    ls_diags_free(diags);
    unlink(path);
}

static void read_launch(reader *r, const dt_report_launch *l) {
    r->kernel = kernel_named(r->file, l->kernel);
    if (!r->kernel->block[0]) ls_report_launch(r->kernel, l->block, l->grid, "the program's launch");
    r->launch = l->number;
    if (l->status != LS_DETECT_UNSUPPORTED) add_to_stat(r->kernel, "checked_launches", 1);
}

static void read_counts(reader *r, const char *kernel, const dt_report_counted *counts) {
    ls_report_kernel *of = kernel_named(r->file, kernel);
    add_to_stat(of, "checked_launches", counts->queued);
    add_to_stat(of, "launches_left_out", counts->skipped);
    add_to_stat(of, "launches_known_racy", counts->known);
}

static void read_unchecked(reader *r, const ls_detect_unchecked *u) {
    if (r->settled == r->launch || !u->reason || !is_new_reason(r->kernel, u->reason)) return;
    ls_place place = u->file ? (ls_place){u->file, u->line, 0} : (ls_place){0};
    ls_report_unknown(r->kernel, place, NULL, "not checked: %s%s%s", u->object ? u->object : "",
                      u->object ? ": " : "", u->reason);
}

static void read_line(reader *r, char *text) {
    if (*text == 'F' || *text == 'L') tell(r);
    if (ls_finding_read(&r->store, text, &r->finding)) return;
    dt_report_line line;
    dt_report_read(text, &line);
    if (line.kind == DT_REPORT_LAUNCH && line.launch.kernel) read_launch(r, &line.launch);
    if (line.kind == DT_REPORT_COUNTS && line.kernel) read_counts(r, line.kernel, &line.counts);
    if (!r->kernel) return;
    if (line.kind == DT_REPORT_CAPTURED && line.path) emulate(r, line.path);
    if (line.kind == DT_REPORT_UNCHECKED) read_unchecked(r, &line.unchecked);
    if (line.kind == DT_REPORT_SCOPE && stat_of(r->kernel, "checked_launches") == 1)
        ls_detect_tell_scope(r->kernel, &line.result); /* of the first launch of each kernel */
}

static void tell_counts(ls_report_kernel *kernel) {
    unsigned long long left_out = stat_of(kernel, "launches_left_out"),
                       racy = stat_of(kernel, "launches_known_racy");
    if (left_out)
        ls_report_scope(kernel, "not every launch", "%llu launches were not checked (--every, --budget)",
                        left_out);
    if (racy)
        ls_report_scope(kernel, NULL, "%llu launches like one with a race were not checked again", racy);
}

static void read_report(ls_report_file *file, const char *path, const ls_detect_cli_options *o) {
    ls_buf text = {0};
    if (!ls_read_file(path, &text) || !text.length) {
        ls_diags_add(file->diags, LS_WARNING, NULL, 0, 0,
                     "the program launched no kernel that could be seen");
        ls_buf_free(&text);
        return;
    }
    reader r = {
        .file = file, .emulate = o->emulate, .progress = ls_progress_start("detect", 1, !o->common.quiet)};
    ls_store_init(&r.store);
    char *at = text.text;
    for (char *line; (line = ls_wire_line(&at));) read_line(&r, line);
    tell(&r);
    ls_progress_end(r.progress);
    for (ls_report_kernel *k = file->kernels; k; k = k->next) tell_counts(k);
    ls_store_free(&r.store);
    ls_buf_free(&text);
}

int ls_detect_program(ls_cli *cli, const ls_detect_cli_options *o) {
    if (o->on == LS_ON_EMULATOR)
        return ls_cli_error(cli,
                            "--on emulator is for a FILE; the launches of a program are checked on its GPU");
    ls_preload preload;
    ls_guard_stop(); /* signals are the program's own */
    char *folder = ls_scratch_make();
    if (!folder) return ls_cli_error(cli, "no temporary folder: %s", strerror(errno));
    const char *report = ls_arena_printf(&cli->arena, "%s/report", folder);
    if (!ls_preload_find("liblockstep-detect.so", &preload)) {
        int reason = errno;
        ls_scratch_remove(folder);
        return ls_cli_error(cli, "liblockstep-detect.so is not beside the command or in ../lib: %s",
                            strerror(reason));
    }
    int status = start(o, &preload, report);
    ls_preload_end(&preload);
    ls_report *found = ls_report_new("detect");
    ls_report_file *file = ls_report_add_file(found, o->common.extra.items[0]);
    if (WIFSIGNALED(status))
        ls_diags_add(file->diags, LS_WARNING, NULL, 0, 0, "the program ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        ls_diags_add(file->diags, WEXITSTATUS(status) == 127 ? LS_ERROR : LS_WARNING, NULL, 0, 0,
                     "the program ended with status %d", WEXITSTATUS(status));
    const uint64_t most = o->common.max_memory ? o->common.max_memory : ls_half_of_memory();
    ls_guard_start(&(ls_guard_options){.bytes = most}); /* signals are ours again */
    read_report(file, report, o);
    ls_scratch_remove(folder);
    int judged = ls_cli_finish(cli, &o->common, found);
    ls_print_options how = {.format = (ls_format)o->common.format,
                            .verbose = o->common.verbose,
                            .quiet = o->common.quiet,
                            .color = ls_cli_colors(&o->common, stdout)};
    size_t length;
    char *text = ls_report_print(found, &how, &length);
    int written = judged ? judged : ls_cli_write(cli, &o->common, text, length);
    int result = written         ? written
                 : file->kernels ? ls_report_status(found, (ls_fail_on)o->common.fail_on)
                                 : LS_EXIT_UNKNOWN;
    free(text);
    ls_report_free(found);
    return result;
}
