/* lockstep run -- PROGRAM: starts the program so that it finds the emulated device instead of a GPU
 * (src/cuda, src/opencl), reads what that tells while the program runs (device/record.h), shows new findings
 * at once, and makes a report of all of them, kernel by kernel. */
#include "cli/run_program.h"
#include "cli/figures.h"

#include "base/guard.h"
#include "base/map.h"
#include "base/recover.h"
#include "base/scratch.h"
#include "base/signals.h"
#include "base/wire.h"
#include "check/element.h"
#include "check/tell.h"
#include "cli/host_stack.h"
#include "cli/input.h"
#include "cli/preload.h"
#include "cli/prove.h"
#include "device/record.h"
#include "finding/wire.h"
#include "frontend/kernels.h"
#include "lockstep/frontend.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_FIELDS = 40, REPORT_FD = 198, MOST_NOTES = 4 };

/* --- Starting --------------------------------------------------------------------------------------------
 */
static void set_number(const char *name, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    if (value > 0)
        setenv(name, text, 1);
    else
        unsetenv(name);
}

static void set_text(const char *name, const char *value) {
    if (value && *value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* A path that stays right where the program changes its folder. */
static void set_path(const char *name, const char *value) {
    char path[PATH_MAX];
    if (!value || *value == '/' || !getcwd(path, sizeof path)) {
        set_text(name, value);
        return;
    }
    ls_buf whole = {0};
    ls_buf_printf(&whole, "%s/%s", path, value);
    setenv(name, whole.text, 1);
    ls_buf_free(&whole);
}

/* OpenCL's library and, for programs that bring a loader of their own, the one platform that it is to find;
 * what programs are compiled with, and a folder for their sources. */
static void set_opencl(const ls_preload *preload, const char *sources) {
    ls_preload_prepend("LD_LIBRARY_PATH", preload, "opencl");
    ls_buf path = {0};
    ls_buf_printf(&path, "%s/opencl/vendors", preload->folder);
    if (access(path.text, R_OK) == 0) setenv("OCL_ICD_VENDORS", path.text, 1);
    ls_buf_free(&path);
    set_text("LOCKSTEP_SHARE", ls_frontend_share_dir());
    set_text("LOCKSTEP_SOURCES", sources);
}

/* A library that is built with a sanitizer needs its runtime before everything else that the program loads;
 * what the program itself leaks is no fault of the library. */
static void set_sanitizer(void) {
#ifdef LOCKSTEP_ASAN_RUNTIME
    ls_buf libraries = {0}, options = {0};
    const char *given = getenv("ASAN_OPTIONS");
    ls_buf_printf(&libraries, "%s:%s", LOCKSTEP_ASAN_RUNTIME, getenv("LD_PRELOAD"));
    ls_buf_printf(&options, "%s%sdetect_leaks=0:handle_segv=0:handle_sigbus=0", given ? given : "",
                  given ? ":" : "");
    setenv("LD_PRELOAD", libraries.text, 1);
    setenv("ASAN_OPTIONS", options.text, 1);
    ls_buf_free(&libraries);
    ls_buf_free(&options);
#endif
}

static void set_environment(const ls_program_options *o, const ls_preload *preload, const char *sources) {
    ls_preload_prepend("LD_PRELOAD", preload, "liblockstep-cuda.so");
    set_sanitizer();
    ls_preload_prepend("LD_LIBRARY_PATH", preload, "cuda");
    set_opencl(preload, sources);
    set_number("LOCKSTEP_REPORT_FD", REPORT_FD);
    set_number("LOCKSTEP_CHECKS", o->checks);
    if (!o->checks) setenv("LOCKSTEP_CHECKS", "0", 1);
    set_number("LOCKSTEP_JIT", o->jit);
    set_number("LOCKSTEP_CHECK_PROVED", o->check_proved);
    set_number("LOCKSTEP_DEVICES", o->devices);
    set_number("LOCKSTEP_THREADS", o->common->jobs);
    set_number("LOCKSTEP_SAMPLE", o->sample);
    set_number("LOCKSTEP_TIMEOUT", o->common->timeout);
    setenv("LOCKSTEP_PROFILE", "1", 1);
    set_text("LOCKSTEP_GPU", o->gpu);
    ls_buf names = {0};
    for (uint32_t i = 0; i < o->common->kernels.count; i++)
        ls_buf_printf(&names, "%s%s", i ? "\n" : "", o->common->kernels.items[i]);
    set_text("LOCKSTEP_KERNELS", names.text);
    ls_buf_free(&names);
    const char *to = o->launches ? strchr(o->launches, '-') : NULL;
    set_number("LOCKSTEP_FIRST", o->launches ? strtod(o->launches, NULL) : 0);
    set_number("LOCKSTEP_LAST", o->launches ? strtod(to ? to + 1 : o->launches, NULL) : 0);
    set_path("LOCKSTEP_RECORD", o->record);
    set_text("LOCKSTEP_MODULES", o->modules);
}

static pid_t start(const ls_program_options *o, const ls_list *words, const ls_preload *preload,
                   const char *sources, int report) {
    LS_SCRATCH(scratch);
    char **argv = ls_list_argv(&scratch, words);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(report, REPORT_FD);
        if (report != REPORT_FD) close(report);
        ls_default_signals();
        set_environment(o, preload, sources);
        execvp(argv[0], argv);
        fprintf(stderr, "lockstep run: %s cannot be started: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    return child;
}

/* --- Reading ----------------------------------------------------------------------------------------------
 */
typedef struct {
    int pid;
    const char *packet;
} unended;

typedef struct {
    const ls_program_options *options;
    ls_report_file *file;
    ls_report_kernel *host;
    ls_host_frames frames;
    ls_intmap kernels;      /* process and number → ls_report_kernel * */
    ls_intmap findings;     /* the same → ls_finding * */
    ls_map shown;           /* findings that were shown while the program ran */
    LS_VEC(unended) so_far; /* errors of launches that still run */
    ls_figures figures;     /* of the kernels, by process */
    ls_arena arena;
    char sources[PATH_MAX]; /* the folder for sources that are in no file, with '/' */
    bool color, used;
    bool terminal, line_open; /* standard error is one, and a line of progress stands on it */
    pid_t child;
} reader;

static uint64_t *kernel_slot(reader *r, int pid, uint32_t number) {
    bool is_new;
    return ls_intmap_at(&r->kernels, (uint64_t)pid << 32 | number, &is_new);
}

static uint64_t *finding_slot(reader *r, int pid, uint32_t number) {
    bool is_new;
    return ls_intmap_at(&r->findings, (uint64_t)pid << 32 | number, &is_new);
}

static ls_report_kernel *host_kernel(reader *r) {
    if (!r->host) r->host = ls_report_add_host(r->file);
    return r->host;
}

static ls_report_kernel *kernel_of(reader *r, int pid, uint32_t number) {
    ls_report_kernel *k = number ? (ls_report_kernel *)(uintptr_t)*kernel_slot(r, pid, number) : NULL;
    return k ? k : host_kernel(r);
}

static void read_kernel(reader *r, int pid, char **f, bool opencl) {
    char name[2048];
    ls_report_kernel *k = r->file->kernels;
    while (k && strcmp(k->name, f[2])) k = k->next;
    ls_demangle(f[2], name, sizeof name);
    if (!k) k = ls_report_add_kernel(r->file, f[2], name);
    k->opencl = opencl;
    *kernel_slot(r, pid, ls_wire_number(f[1])) = (uint64_t)(uintptr_t)k;
    r->used = true;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The host's function that stands for a kernel has its name. */
static bool is_kernel(const reader *r, const char *function) {
    for (const ls_report_kernel *k = r->file->kernels; function && k; k = k->next)
        if (!strcmp(k->demangled, function)) return true;
    return false;
}

/* Between the program and its call, or before its main(). */
static bool is_told(const reader *r, const ls_host_frame *f) {
    if (f->inner || (!f->file && !f->function) || is_kernel(r, f->function)) return false;
    return !f->function || (strncmp(f->function, "__libc_start", 12) && strcmp(f->function, "_start"));
}

static void add_frame(ls_finding *finding, const char *label, const ls_host_frame *f) {
    ls_place at = {f->file, f->line, 0};
    const char *function = f->function ? f->function : "?", *text = label ? label : "called from",
               *in = label ? ", in" : "";
    bool same = at.file && finding->place.file && !strcmp(at.file, finding->place.file) &&
                at.line == finding->place.line; /* the finding itself says it */
    if (f->file && !same)
        ls_finding_relate(finding, at, "%s%s %s", text, in, function);
    else if (!same)
        ls_finding_relate(finding, at, "%s%s %s of %s", text, in, function, base_name(f->object));
}

/* A stack as notes: the call of the program first, then its callers. */
static ls_place add_stack(reader *r, ls_finding *finding, const char *label, char **frames, uint32_t count) {
    const ls_host_frame *resolved[MAX_FIELDS];
    ls_place first = {0};
    uint32_t notes = 0;
    ls_host_resolve(&r->frames, frames, count, resolved);
    for (uint32_t k = 0; k < count; k++)
        for (const ls_host_frame *f = resolved[k]; f && notes < MOST_NOTES; f = f->outer) {
            if (!is_told(r, f)) continue;
            add_frame(finding, notes ? NULL : label, f);
            if (!notes++) first = (ls_place){f->file, f->line, 0};
            if (f->function && (!strcmp(f->function, "main") || !strncmp(f->function, "main(", 5)))
                return first;
        }
    return first;
}

static void show(reader *r, const ls_report_kernel *k, const char *message, ls_severity level,
                 const char *rule, ls_place place) {
    char key[1024];
    int n =
        snprintf(key, sizeof key, "%s|%s|%u|%s", k->name, place.file ? place.file : "", place.line, message);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof key ? (size_t)n : sizeof key - 1;
    if (level == LS_NOTE || !strcmp(rule, "coalescing") || !strcmp(rule, "bank-conflict")) return;
    if (r->options->common->format != LS_FORMAT_TEXT || ls_map_get(&r->shown, key, length)) return;
    *ls_map_at(&r->shown, ls_arena_strdup(&r->arena, key), length) = r;
    fprintf(stderr, "lockstep: ");
    if (place.file) fprintf(stderr, "%s:%u: ", ls_path_below(place.file, r->sources), place.line);
    fprintf(stderr, "%s: %s [%s] (%s)\n", level == LS_ERROR ? "error" : "warning", message, rule,
            k->demangled);
}

/* Memory that one parameter points into is called by the parameter's name instead of its number. */
static void name_memory(ls_finding *f, uint32_t parameter, uint64_t at) {
    ls_story *story = f->story;
    if (!story || !story->object || (story->has_byte && story->byte < at)) return;
    ls_arena arena;
    ls_arena_init(&arena);
    const char *name = ls_source_parameter(f->kernel->name, f->place.file, parameter, &arena);
    for (const ls_related *r = f->related; r && !name; r = r->next)
        name = ls_source_parameter(f->kernel->name, r->place.file, parameter, &arena);
    const char *quoted = name ? ls_arena_printf(&arena, "'%s'", story->object) : NULL;
    const char *in = name ? strstr(f->message, quoted) : NULL;
    if (in)
        f->message = ls_store_text(f->store, ls_arena_printf(&arena, "%.*s'%s'%s", (int)(in - f->message),
                                                             f->message, name, in + strlen(quoted)));
    if (name) story->object = ls_store_text(f->store, name), story->byte -= at;
    ls_arena_free(&arena);
}

static void read_finding(reader *r, int pid, ls_report_kernel *k, char **f, char *rest) {
    ls_rule rule = ls_rule_find(f[1]);
    ls_severity level = (ls_severity)ls_wire_number(f[2]);
    if (rule == LS_RULE_COUNT) return;
    char *lines[64], *more[MAX_FIELDS], *at = rest;
    uint32_t count = 0;
    ls_place place = {0};
    while (count < 64 && (lines[count] = ls_wire_line(&at))) count++;
    if (count && *lines[0] == 'P') {
        ls_wire_split(lines[0], more, MAX_FIELDS);
        place = (ls_place){ls_wire_text(more[1]), ls_wire_number(more[2]), ls_wire_number(more[3])};
    }
    ls_finding *found = NULL;
    ls_arena arena;
    ls_arena_init(&arena);
    const char *message = ls_plain_text(f[5], &arena);
    for (uint32_t n = 0; n < count; n++) {
        char kind = *lines[n];
        if (kind == 'P') continue;
        if (kind == 'A' || kind == 'O') {
            if (!found) found = ls_report_add(k, rule, level, place, "%s", message);
            ls_finding_read(found->store, lines[n], &found);
            continue;
        }
        uint32_t fields = ls_wire_split(lines[n], more, MAX_FIELDS);
        if (!found && kind == 'S' && !place.file) { /* of the host: it is where the first stack says */
            ls_report *spare = ls_report_new("run");
            ls_report_kernel *dummy = ls_report_add_kernel(ls_report_add_file(spare, "-"), "-", NULL);
            ls_finding *probe = ls_report_add(dummy, rule, level, place, "%s", "-");
            place = add_stack(r, probe, more[1], more + 2, fields - 2);
            if (place.file) place.file = ls_arena_strdup(&r->arena, place.file);
            ls_report_free(spare);
        }
        if (!found) found = ls_report_add(k, rule, level, place, "%s", message);
        if (kind == 'R' && fields >= 5)
            ls_finding_relate(
                found, (ls_place){ls_wire_text(more[1]), ls_wire_number(more[2]), ls_wire_number(more[3])},
                "%s", more[4]);
        else if (kind == 'S' && fields >= 2)
            add_stack(r, found, more[1], more + 2, fields - 2);
        else if (kind == 'W' && fields >= 3)
            ls_fields_text(ls_finding_witness(found), more[1], "%s", more[2]);
        else if (kind == 'M' && fields >= 3)
            name_memory(found, ls_wire_number(more[1]), strtoull(more[2], NULL, 10));
        else if (kind == 'I' && fields >= 2)
            *finding_slot(r, pid, ls_wire_number(more[1])) = (uint64_t)(uintptr_t)found;
    }
    if (!found) found = ls_report_add(k, rule, level, place, "%s", message);
    ls_tell_in_source(found);
    uint64_t times = strtoull(f[4], NULL, 10);
    ls_finding_count(found, times ? times : 1);
    if (level == LS_ERROR) ls_report_verdict(k, LS_REFUTED);
    show(r, k, found->message, level, f[1], place);
    ls_arena_free(&arena);
}

/* "3 launches of the program, 2 of them checked" */
static void tell_runs(ls_report_kernel *k, uint64_t launches, uint64_t checked) {
    ls_buf text = {0};
    ls_buf_printf(&text, "%" PRIu64 " launch%s of the program", launches, launches == 1 ? "" : "es");
    if (checked != launches) ls_buf_printf(&text, ", %" PRIu64 " of them checked", checked);
    ls_report_runs(k, ls_buf_text(&text));
    ls_buf_free(&text);
}

static void read_stats(ls_report_kernel *k, const ls_record_stats *read) {
    ls_fields *s = ls_report_stats(k);
    ls_fields_uint(s, "launches", read->launches);
    if (read->checked != read->launches) ls_fields_uint(s, "checked_launches", read->checked);
    tell_runs(k, read->launches, read->checked);
    ls_fields_uint(s, "blocks", read->blocks);
    if (read->instructions) {
        if (read->counted != read->launches) ls_fields_uint(s, "counted_launches", read->counted);
        ls_fields_uint(s, "warp_instructions", read->instructions);
        ls_fields_real(s, "simd_efficiency",
                       (double)read->lane_instructions / (double)read->instructions / 32);
    }
    ls_fields_uint(s, "divergent_branches", read->divergent_branches);
    if (read->sectors) ls_fields_uint(s, "global_memory_bytes", 32 * read->sectors);
    ls_report_time(k, read->seconds * 1e3);
}

/* A line that is written over, on a terminal alone. */
static void show_progress(reader *r, const ls_report_kernel *k, uint64_t done, uint64_t all) {
    if (!r->terminal || !all) return;
    fprintf(stderr, "\r\033[Klockstep: %s: %" PRIu64 " of %" PRIu64 " blocks (%.0f %%)", k->demangled, done,
            all, 100 * (double)done / (double)all);
    fflush(stderr);
    r->line_open = true;
}

static void end_progress(reader *r) {
    if (r->line_open) fprintf(stderr, "\r\033[K");
    r->line_open = false;
}

/* --- Launches that still run --- */

/* Shown at once. It comes into the report when the program ends before the launch does. */
static void show_so_far(reader *r, int pid, char **f, char *rest) {
    const ls_report_kernel *k = kernel_of(r, pid, ls_wire_number(f[3]));
    ls_report *spare = ls_report_new("run");
    read_finding(r, pid, ls_report_add_kernel(ls_report_add_file(spare, "-"), k->name, k->demangled), f,
                 rest);
    ls_report_free(spare);
}

static void keep_so_far(reader *r, const char *packet) {
    const char *letter = strchr(packet, '\t');
    if (letter && letter[1] == 'T')
        LS_VEC_PUSH(&r->so_far, ((unended){atoi(packet), ls_arena_strdup(&r->arena, packet)}));
}

static void forget_so_far(reader *r, int pid) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < r->so_far.length; k++)
        if (r->so_far.items[k].pid != pid) r->so_far.items[kept++] = r->so_far.items[k];
    r->so_far.length = kept;
}

static void read_so_far(reader *r) {
    for (uint32_t k = 0; k < r->so_far.length; k++) {
        char *f[MAX_FIELDS], *rest = ls_arena_strdup(&r->arena, r->so_far.items[k].packet);
        if (ls_wire_split(ls_wire_line(&rest), f, MAX_FIELDS) >= 7)
            read_finding(r, r->so_far.items[k].pid,
                         kernel_of(r, r->so_far.items[k].pid, ls_wire_number(f[4])), f + 1, rest);
    }
}

static void read_packet(reader *r, char *text) {
    keep_so_far(r, text);
    char *f[MAX_FIELDS], *rest = text, *line = ls_wire_line(&rest);
    uint32_t count = line ? ls_wire_split(line, f, MAX_FIELDS) : 0;
    if (count < 2) return;
    int pid = atoi(f[0]);
    char **g = f + 1; /* g[0] is the letter */
    count--;
    if (*g[0] != 'G') end_progress(r);
    switch (*g[0]) {
    case 'A': r->used = true; break;
    case 'K':
        if (count >= 3) read_kernel(r, pid, g, count >= 4);
        break;
    case 'F':
        if (count >= 6) read_finding(r, pid, kernel_of(r, pid, ls_wire_number(g[3])), g, rest);
        break;
    case 'T':
        if (count >= 6) show_so_far(r, pid, g, rest);
        break;
    case 'D': forget_so_far(r, pid); break;
    case 'C': {
        ls_finding *known =
            (ls_finding *)(uintptr_t)(count >= 3 ? *finding_slot(r, pid, ls_wire_number(g[1])) : 0);
        if (known) ls_finding_count(known, known->count + strtoull(g[2], NULL, 10));
        break;
    }
    case 'L': {
        ls_record_stats stats = {0};
        if (!ls_wire_read(&ls_record_stats_row, g, count, &stats)) break;
        ls_report_kernel *k = kernel_of(r, pid, stats.kernel);
        stats = ls_figures_put(&r->figures, pid, k, &stats);
        read_stats(k, &stats);
        break;
    }
    case 'G':
        if (count >= 4)
            show_progress(r, kernel_of(r, pid, ls_wire_number(g[1])), strtoull(g[2], NULL, 10),
                          strtoull(g[3], NULL, 10));
        break;
    case 'U':
        if (count >= 2)
            ls_report_unknown(host_kernel(r), (ls_place){0}, NULL,
                              "%s was called, but Lockstep does not have it", g[1]);
        break;
    case 'X':
        if (count >= 3)
            ls_report_unknown(kernel_of(r, pid, ls_wire_number(g[1])), (ls_place){0}, NULL, "%s", g[2]);
        if (count >= 3) fprintf(stderr, "lockstep: %s\n", g[2]);
        break;
    default: break;
    }
}

/* A signal that is to end the command ends the program, and the report follows. A second one ends both. */
static bool pass_end_on(const reader *r) {
    if (!*ls_guard_flag()) return false;
    ls_guard_finish();
    kill(r->child, SIGTERM);
    return true;
}

/* Reads until the program has ended and there is nothing left; its status. */
static int follow(reader *r, int report) {
    LS_SCRATCH(scratch);
    char *packet = ls_arena_alloc(&scratch, LS_RECORD_MOST + 64);
    int status = -1;
    bool ended = false, passed = false;
    for (;;) {
        if (!passed) passed = pass_end_on(r);
        struct pollfd wait = {report, POLLIN, 0};
        poll(&wait, 1, ended ? 0 : 20);
        ssize_t n = recv(report, packet, LS_RECORD_MOST + 63, MSG_DONTWAIT);
        if (n > 0) {
            packet[n] = 0;
            read_packet(r, packet);
            continue;
        }
        if (ended) break;
        if (n == 0) usleep(2000); /* all ends are closed, and the program still runs */
        pid_t done = waitpid(r->child, &status, WNOHANG);
        ended = done == r->child || (done < 0 && errno != EINTR);
    }
    return status;
}

/* --- Kernels by time --- */
static const ls_field *stat_of(const ls_report_kernel *k, const char *key) {
    const ls_field *f = k->stats ? k->stats->first : NULL;
    while (f && (!f->key || strcmp(f->key, key))) f = f->next;
    return f;
}
static uint64_t count_of(const ls_report_kernel *k, const char *key) {
    const ls_field *f = stat_of(k, key);
    return f ? f->value.natural : 0;
}

static int by_time(const void *x, const void *y) {
    const ls_report_kernel *a = *(const ls_report_kernel *const *)x, *b = *(const ls_report_kernel *const *)y;
    return a->time_ms < b->time_ms ? 1 : a->time_ms > b->time_ms ? -1 : 0;
}

static void print_kernel(FILE *to, const ls_report_kernel *k) {
    uint64_t launches = count_of(k, "launches"), bytes = count_of(k, "global_memory_bytes");
    const ls_field *efficiency = stat_of(k, "simd_efficiency"), *checked = stat_of(k, "checked_launches"),
                   *counted = stat_of(k, "counted_launches");
    fprintf(to, "  %s: %" PRIu64 " launch%s, %.1f ms", k->demangled, launches, launches == 1 ? "" : "es",
            k->time_ms);
    if (checked) fprintf(to, " (%" PRIu64 " checked)", checked->value.natural);
    if (efficiency)
        fprintf(to, ", %" PRIu64 " warp instructions%s, SIMD efficiency %.0f %%",
                count_of(k, "warp_instructions"), counted ? " in the launches that were counted" : "",
                100 * efficiency->value.real);
    if (bytes) fprintf(to, ", %.1f KB of global memory", (double)bytes / 1024);
    fputc('\n', to);
}

static void print_kernels(FILE *to, const ls_report_file *file) {
    const ls_report_kernel *all[1024];
    size_t count = 0;
    for (const ls_report_kernel *k = file->kernels; k && count < 1024; k = k->next)
        if (count_of(k, "launches")) all[count++] = k;
    if (!count) return;
    qsort(all, count, sizeof *all, by_time);
    fprintf(to, "kernels by time in the emulator:\n");
    for (size_t k = 0; k < count; k++) print_kernel(to, all[k]);
}

/* A kernel that the program launched and that never reached its end: nothing is reported about it. */
static void tell_unended(const reader *r) {
    for (ls_report_kernel *k = r->file->kernels; k; k = k->next)
        if (k != r->host && !count_of(k, "launches"))
            ls_report_unknown(k, (ls_place){0}, NULL,
                              "no launch of it is known to have finished before the program ended");
}

/* --- The command
 * -------------------------------------------------------------------------------------------- */
static void say_end(const reader *r, const char *program, int status) {
    if (WIFSIGNALED(status))
        ls_diags_add(r->file->diags, LS_WARNING, NULL, 0, 0, "the program ended by signal %d (%s)",
                     WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (!r->used)
        ls_diags_add(r->file->diags, LS_NOTE, NULL, 0, 0, "%s launched no kernel that could be seen",
                     program);
}

static int run_program(ls_cli *cli, const ls_program_options *o, const ls_list *words) {
    ls_preload preload;
    int ends[2];
    if (!ls_preload_find("liblockstep-cuda.so", &preload))
        return ls_cli_error(cli, "liblockstep-cuda.so is not beside the command or in ../lib: %s",
                            strerror(errno));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
        ls_preload_end(&preload);
        return ls_cli_error(cli, "no socket: %s", strerror(errno));
    }
    ls_report *report = ls_report_new("run");
    reader r = {.options = o, .file = ls_report_add_file(report, o->title ? o->title : words->items[0])};
    r.terminal = isatty(STDERR_FILENO) && o->common->format == LS_FORMAT_TEXT;
    ls_arena_init(&r.arena);
    ls_arena_init(&r.frames.arena);
    signal(SIGINT, SIG_IGN); /* the program gets it too */
    char *sources = ls_scratch_make();
    if (sources) ls_path_folder(r.sources, sizeof r.sources, sources);
    r.child = start(o, words, &preload, sources, ends[1]);
    close(ends[1]);
    int status = r.child < 0 ? -1 : follow(&r, ends[0]);
    close(ends[0]);
    ls_preload_end(&preload);
    end_progress(&r);
    signal(SIGINT, SIG_DFL);
    say_end(&r, words->items[0], status);
    read_so_far(&r);
    tell_unended(&r);
    if (sources) ls_report_text_folder(report, sources);
    ls_report_finish(report);
    ls_print_options how = {.format = (ls_format)o->common->format,
                            .color = ls_cli_colors(o->common, stderr)};
    size_t length;
    char *text = ls_report_print(report, &how, &length);
    bool apart =
        o->common->format == LS_FORMAT_TEXT && !o->common->output; /* the program's output is its own */
    fflush(stdout);
    int written = apart ? (fwrite(text, 1, length, stderr) == length ? 0 : LS_EXIT_USAGE)
                        : ls_cli_write(cli, o->common, text, length);
    if (apart) print_kernels(stderr, r.file);
    int found = ls_report_status(report, (ls_fail_on)o->common->fail_on);
    int result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (r.child < 0) result = LS_EXIT_USAGE;
    if (o->status_of_findings && found) result = found;
    free(text);
    ls_scratch_remove(sources);
    ls_report_free(report);
    ls_map_free(&r.shown);
    LS_VEC_FREE(&r.so_far);
    LS_VEC_FREE(&r.figures);
    ls_intmap_free(&r.kernels);
    ls_intmap_free(&r.findings);
    ls_host_frames_free(&r.frames);
    ls_arena_free(&r.arena);
    return written ? written : result;
}

/* What is to be proved is recorded in a folder of its own. */
int ls_run_program(ls_cli *cli, const ls_program_options *o, const ls_list *words) {
    char record[PATH_MAX + 32];
    if (!o->prove) return run_program(cli, o, words);
    if (o->common->format != LS_FORMAT_TEXT) return ls_cli_error(cli, "--prove prints text only");
    char *folder = ls_scratch_make();
    if (!folder) return ls_cli_error(cli, "no folder for --prove: %s", strerror(errno));
    ls_program_options more = *o;
    ls_prove_record(folder, record, sizeof record);
    more.modules = folder;
    if (!o->record) more.record = record;
    int status = run_program(cli, &more, words), proved = ls_prove(o->common, folder, o->record, stderr);
    ls_scratch_remove(folder);
    return o->status_of_findings && !status ? proved : status;
}
