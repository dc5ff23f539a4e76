/* lockstep expect: runs every kernel file below a folder against the expectation in its first comment lines
 * (docs/expect.md). Each file is a child process of this same program with a time limit, so that a crash or
 * an endless run of one is an answer like any other. */
#include "cli/child.h"
#include "cli/expect.h"

#include "base/guard.h"
#include "base/pool.h"
#include "base/vec.h"
#include "report/print.h"

#include <fts.h>
#include <pthread.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    ls_common common;
    const char *run, *filter;
    int patterns; /* 0 own, 1 require, 2 ignore */
    bool verbose, trust;
} expect_options;

#define FIELD(name) offsetof(expect_options, name)

static const ls_option options[] = {
    {LS_OPT_TEXT, "run", 0, FIELD(run), "SUBCOMMAND", NULL,
     "the subcommand for files that name none (default: verify if it exists, otherwise ptx; model for "
     ".kernel and .simd)"},
    {LS_OPT_TEXT, "filter", 0, FIELD(filter), "REGEX", NULL, "only files whose path matches"},
    {LS_OPT_CHOICE, "patterns", 0, FIELD(patterns), "own|require|ignore", "own",
     "whether output that does not match a file's regular expressions counts as a disagreement; own: only in "
     "files with a //lockstep: line"},
    {LS_OPT_FLAG, "verbose", 'v', FIELD(verbose), NULL, NULL,
     "list every file, and show what those that disagree printed"},
    {LS_OPT_FLAG, "trust", 0, FIELD(trust), NULL, NULL,
     "let the files use any option, including compiler options that write files or run programs",
     .own = true},
    LS_RUN_OPTIONS,
    {LS_OPT_SECONDS, "timeout", 0, LS_COMMON(timeout), "SECONDS", "60",
     "stop a file's run after this time (0: never)"},
    LS_OUTPUT_OPTIONS("text|json"),
    {LS_OPT_END}};

/* One kernel file with what was expected and what came. */
typedef struct {
    const char *path;
    ls_case *of_kernel; /* of a file with a "//:" comment for each kernel; else NULL */
    bool reversed;      /* the same, with warps and blocks in the other order */
    ls_expectation expectation;
    ls_answer expected;
    const ls_command *command; /* NULL: the file asks for one that does not exist */
    ls_list ignored;           /* flags */
    ls_answer answer;
    double seconds;
    const char *missed;  /* a pattern that the output did not match, or NULL */
    const char *differs; /* how findings differ from those of the case, or NULL */
    bool ran;            /* to its end */
    bool agrees;
    ls_buf output;
    ls_arena arena;
} trial;

typedef struct {
    ls_cli *cli;
    const expect_options *options;
    LS_VEC(trial *) trials;
    uint32_t skipped; /* kernel files with no expectation */
    pthread_mutex_t lock;
    uint32_t done, disagree;
    bool progress;
} session;

/* --- Finding the files --------------------------------------------------------------------------------- */

static const struct {
    const char *extension, *subcommand;
} kinds[] = {{".cu", NULL}, {".cl", NULL}, {".ptx", NULL}, {".kernel", "model"}, {".simd", "model"}};

static int kind_of(const char *path) {
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(dot, kinds[i].extension)) return (int)i;
    return -1;
}

static const ls_command *command_for(const session *s, const trial *t) {
    if (t->expectation.subcommand) return ls_command_find(t->expectation.subcommand);
    if (s->options->run) return ls_command_find(s->options->run);
    int kind = kind_of(t->path);
    if (kind >= 0 && kinds[kind].subcommand) return ls_command_find(kinds[kind].subcommand);
    const ls_command *verify = ls_command_find("verify");
    return verify ? verify : ls_command_find("ptx");
}

static trial *new_trial(session *s, const char *path) {
    trial *t = LS_NEW(&s->cli->arena, trial);
    ls_arena_init(&t->arena);
    t->path = ls_arena_strdup(&s->cli->arena, path);
    return t;
}

static ls_answer answer_to(const char *verdict) {
    return !strcmp(verdict, "proved")    ? LS_ANSWER_PASS
           : !strcmp(verdict, "refuted") ? LS_ANSWER_FOUND
                                         : LS_ANSWER_UNKNOWN;
}

/* What is to be found nowhere is looked for in two orders. */
static void add_case(session *s, const char *path, ls_case *c) {
    if (c->verdict) {
        trial *t = new_trial(s, path);
        t->of_kernel = c;
        t->command = ls_command_find("verify");
        t->expected = answer_to(c->verdict);
        LS_VEC_PUSH(&s->trials, t);
        return;
    }
    for (int order = 0; order < (c->findings.count ? 1 : 2); order++) {
        trial *t = new_trial(s, path);
        t->of_kernel = c;
        t->reversed = order;
        t->command = ls_command_find("run");
        t->expected = c->findings.count ? LS_ANSWER_FOUND : LS_ANSWER_PASS;
        LS_VEC_PUSH(&s->trials, t);
    }
}

static void add_file(session *s, const char *path) {
    ls_buf text = {0};
    trial *t = new_trial(s, path);
    bool known = ls_read_file(path, &text) &&
                 ls_expectation_read(&t->arena, ls_buf_text(&text), text.length, &t->expectation);
    ls_case *cases = NULL;
    uint32_t count = known ? 0 : ls_cases_read(&s->cli->arena, ls_buf_text(&text), &cases);
    for (uint32_t i = 0; i < count; i++) add_case(s, path, &cases[i]);
    ls_buf_free(&text);
    if (!known) {
        s->skipped += !count;
        ls_arena_free(&t->arena);
        return;
    }
    t->command = command_for(s, t);
    t->expected = t->expectation.expected;
    /* A subcommand that has no verdicts can only take or refuse the file. */
    if (t->command && t->command->never_finds && t->expected != LS_ANSWER_ERROR) t->expected = LS_ANSWER_PASS;
    LS_VEC_PUSH(&s->trials, t);
}

static int compare_names(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int find_files(session *s, const char *root) {
    regex_t filter;
    const char *pattern = s->options->filter;
    if (pattern && regcomp(&filter, pattern, REG_EXTENDED | REG_NOSUB))
        return ls_cli_error(s->cli, "--filter: '%s' is not a regular expression", pattern);
    char *path = ls_arena_strdup(&s->cli->arena, root), *roots[] = {path, NULL};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, compare_names);
    int status = walk ? LS_EXIT_CLEAN : ls_cli_error(s->cli, "cannot read '%s'", root);
    for (const FTSENT *entry; walk && (entry = fts_read(walk));) {
        if (entry->fts_info == FTS_NS || entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
            status =
                ls_cli_error(s->cli, "cannot read '%s': %s", entry->fts_path, strerror(entry->fts_errno));
        bool wanted = entry->fts_info == FTS_F && kind_of(entry->fts_path) >= 0;
        if (wanted && pattern) wanted = !regexec(&filter, entry->fts_path, 0, NULL, 0);
        if (wanted) add_file(s, entry->fts_path);
    }
    if (walk) fts_close(walk);
    if (pattern) regfree(&filter);
    return status;
}

/* --- Running one --------------------------------------------------------------------------------------- */

static void check_patterns(const session *s, trial *t) {
    int mode = s->options->patterns;
    if (mode == 2 || (mode == 0 && !t->expectation.own)) return;
    for (uint32_t i = 0; i < t->expectation.patterns.count && !t->missed; i++) {
        bool error;
        const char *pattern = t->expectation.patterns.items[i];
        if (!ls_pattern_matches(pattern, ls_buf_text(&t->output), &error)) t->missed = pattern;
    }
}

static ls_answer answer_of(const ls_child_result *result) {
    if (result->end == LS_CHILD_TIMEOUT) return LS_ANSWER_TIMEOUT;
    if (result->end == LS_CHILD_EXITED && result->code <= LS_EXIT_UNKNOWN) return (ls_answer)result->code;
    return LS_ANSWER_CRASH;
}

/* lockstep run FILE --kernel KERNEL OPTION…, with the checkers of which no correct kernel is a finding */
static void add_case_arguments(trial *t, ls_list *arguments) {
    static const char *const usual[] = {"-j1", "--color", "never", "--check",
                                        "race,barrier,bounds,align,uninit"};
    const ls_case *c = t->of_kernel;
    for (size_t i = 0; i < (c->verdict ? 3 : sizeof usual / sizeof *usual); i++)
        ls_list_push(&t->arena, arguments, usual[i]);
    for (uint32_t i = 0; i < (c->verdict ? c->kernels.count : 1); i++) {
        ls_list_push(&t->arena, arguments, "--kernel");
        ls_list_push(&t->arena, arguments, c->verdict ? c->kernels.items[i] : c->kernel);
    }
    for (uint32_t i = 0; i < t->of_kernel->options.count; i++)
        ls_list_push(&t->arena, arguments, t->of_kernel->options.items[i]);
    if (t->reversed) ls_list_push(&t->arena, arguments, "--schedule=reverse");
}

/* lockstep SUBCOMMAND FILE FLAG… [-j 1] [what follows "--" on our own command line] */
static char **arguments_of(session *s, trial *t, const char *file) {
    ls_list arguments = {0};
    ls_list_push(&t->arena, &arguments, "/proc/self/exe");
    ls_list_push(&t->arena, &arguments, t->command->name);
    ls_list_push(&t->arena, &arguments, file[0] == '-' ? ls_arena_printf(&t->arena, "./%s", file) : file);
    if (t->of_kernel) add_case_arguments(t, &arguments);
    for (const ls_option *o = t->of_kernel ? NULL : t->command->options; o && o->kind != LS_OPT_END; o++)
        if (o->name && !strcmp(o->name, "jobs"))
            ls_list_push(&t->arena, &arguments, "-j1");
        else if (o->name && !strcmp(o->name, "verbose")) /* patterns may be about the scope */
            ls_list_push(&t->arena, &arguments, "-v");
    const ls_list *more = &s->options->common.extra;
    for (uint32_t i = 0; i < more->count; i++) ls_list_push(&t->arena, &arguments, more->items[i]);
    ls_expectation_flags(&t->arena, &t->expectation, t->command, &arguments, &t->ignored);
    char **argv = LS_NEW_N(&t->arena, char *, arguments.count + 1);
    for (uint32_t i = 0; i < arguments.count; i++) argv[i] = ls_arena_strdup(&t->arena, arguments.items[i]);
    return argv;
}

/* In the file's own folder, so that relative -I work and positions in the output are short. */
static void run_trial(session *s, trial *t) {
    const char *slash = strrchr(t->path, '/');
    const char *folder = slash ? ls_arena_strndup(&t->arena, t->path, (size_t)(slash - t->path) + 1) : NULL;
    if (!t->command) {
        t->answer = LS_ANSWER_NONE;
        ls_buf_printf(&t->output, "there is no subcommand '%s'\n",
                      t->expectation.subcommand ? t->expectation.subcommand : "model");
        return;
    }
    ls_child_result result;
    char **argv = arguments_of(s, t, slash ? slash + 1 : t->path);
    if (t->expectation.untrusted && !s->options->trust) {
        t->answer = LS_ANSWER_NONE;
        ls_buf_printf(&t->output, "the file uses '%s', which is only allowed for trusted files (--trust)\n",
                      t->expectation.untrusted);
        return;
    }
    ls_child_run(argv, folder, s->options->common.timeout, &result);
    t->output = result.output;
    t->seconds = result.seconds;
    t->answer = answer_of(&result);
    if (result.end == LS_CHILD_SIGNALLED)
        ls_buf_printf(&t->output, "(ended by signal %d: %s)\n", result.code, strsignal(result.code));
    check_patterns(s, t);
    if (t->of_kernel)
        t->differs =
            ls_case_differs(&t->arena, t->of_kernel, ls_buf_text(&t->output), slash ? slash + 1 : t->path);
    t->agrees = t->answer == t->expected && !t->missed && !t->differs;
}

static void one_trial(void *context, uint32_t index) {
    session *s = context;
    trial *t = s->trials.items[index];
    if (*ls_guard_flag()) return;
    run_trial(s, t);
    t->ran = !*ls_guard_flag();
    if (t->agrees || !t->ran || !s->options->verbose) ls_buf_free(&t->output);
    if (!t->ran) return;
    pthread_mutex_lock(&s->lock);
    s->done++;
    s->disagree += !t->agrees;
    if (s->progress) fprintf(stderr, "\r[%u/%u] %u disagree ", s->done, s->trials.length, s->disagree);
    pthread_mutex_unlock(&s->lock);
}

/* --- The summary --------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t of[4][LS_ANSWER_COUNT]; /* expected × answered */
    double seconds;
    LS_VEC(struct ignored_flag {
        const char *name;
        uint32_t count;
    })
    ignored;
} tally;

static void count_ignored(tally *sums, const char *name) {
    for (uint32_t i = 0; i < sums->ignored.length; i++)
        if (!strcmp(sums->ignored.items[i].name, name)) {
            sums->ignored.items[i].count++;
            return;
        }
    LS_VEC_PUSH(&sums->ignored, ((struct ignored_flag){name, 1}));
}

static void count_all(const session *s, tally *sums) {
    for (uint32_t i = 0; i < s->trials.length; i++) {
        const trial *t = s->trials.items[i];
        if (!t->ran) continue;
        sums->of[t->expected][t->answer]++;
        sums->seconds += t->seconds;
        for (uint32_t k = 0; k < t->ignored.count; k++) count_ignored(sums, t->ignored.items[k]);
    }
}

static void put_trial(ls_buf *out, const trial *t, bool verbose) {
    ls_buf_printf(out, "%s", t->path);
    if (t->of_kernel) ls_buf_printf(out, " (%s%s)", t->of_kernel->kernel, t->reversed ? ", reversed" : "");
    ls_buf_printf(out, ": expected %s, answered %s", ls_answer_name(t->expected), ls_answer_name(t->answer));
    if (t->differs) ls_buf_printf(out, ", %s", t->differs);
    if (t->missed) ls_buf_printf(out, ", output does not match '%s'", t->missed);
    if (verbose) ls_buf_printf(out, " (%s, %.2f s)", t->agrees ? "agrees" : "disagrees", t->seconds);
    ls_buf_putc(out, '\n');
    for (const char *line = ls_buf_text(&t->output); !t->agrees && *line;) {
        size_t length = strcspn(line, "\n");
        ls_buf_printf(out, "    %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static void put_table(ls_buf *out, const tally *sums) {
    ls_buf_puts(out, "\nexpected   answered:");
    for (int a = 0; a < LS_ANSWER_COUNT; a++) ls_buf_printf(out, "%9s", ls_answer_name((ls_answer)a));
    ls_buf_putc(out, '\n');
    for (int e = 0; e < 4; e++) {
        uint32_t any = 0;
        for (int a = 0; a < LS_ANSWER_COUNT; a++) any += sums->of[e][a];
        if (!any) continue;
        ls_buf_printf(out, "%-20s", ls_answer_name((ls_answer)e));
        for (int a = 0; a < LS_ANSWER_COUNT; a++) ls_buf_printf(out, "%9u", sums->of[e][a]);
        ls_buf_putc(out, '\n');
    }
}

static void print_text(const session *s, const tally *sums, ls_buf *out) {
    bool verbose = s->options->verbose;
    for (uint32_t i = 0; i < s->trials.length; i++) {
        const trial *t = s->trials.items[i];
        if (t->ran && (verbose || !t->agrees)) put_trial(out, t, verbose);
    }
    put_table(out, sums);
    if (sums->ignored.length) ls_buf_puts(out, "\nflags that have no meaning for the subcommand:");
    for (uint32_t i = 0; i < sums->ignored.length; i++)
        ls_buf_printf(out, "%s %s %u", i ? "," : "", sums->ignored.items[i].name,
                      sums->ignored.items[i].count);
    if (sums->ignored.length) ls_buf_putc(out, '\n');
    ls_buf_printf(out, "\n%u of %u agree", s->done - s->disagree, s->trials.length);
    if (s->done < s->trials.length)
        ls_buf_printf(out, "; %u were not run to their end, because the run was stopped",
                      s->trials.length - s->done);
    if (s->skipped) ls_buf_printf(out, "; %u without an expectation skipped", s->skipped);
    ls_buf_putc(out, '\n');
}

static json_t *trial_json(const trial *t) {
    json_t *object = json_object(), *ignored = json_array();
    json_object_set_new(object, "path", ls_json_text(t->path));
    json_object_set_new(object, "subcommand", ls_json_text(t->command ? t->command->name : NULL));
    json_object_set_new(object, "expected", json_string(ls_answer_name(t->expected)));
    json_object_set_new(object, "answered", json_string(ls_answer_name(t->answer)));
    json_object_set_new(object, "agrees", json_boolean(t->agrees));
    if (t->of_kernel) json_object_set_new(object, "kernel", ls_json_text(t->of_kernel->kernel));
    if (t->missed) json_object_set_new(object, "missed_pattern", ls_json_text(t->missed));
    if (t->differs) json_object_set_new(object, "difference", ls_json_text(t->differs));
    for (uint32_t i = 0; i < t->ignored.count; i++)
        json_array_append_new(ignored, ls_json_text(t->ignored.items[i]));
    json_object_set_new(object, "ignored_flags", ignored);
    json_object_set_new(object, "time_ms", json_real((double)(long)(t->seconds * 1e6) / 1e3));
    if (t->output.length) json_object_set_new(object, "output", ls_json_text(ls_buf_text(&t->output)));
    return object;
}

static void print_json(const session *s, const tally *sums, ls_buf *out) {
    json_t *root = json_object(), *tests = json_array(), *table = json_object();
    for (uint32_t i = 0; i < s->trials.length; i++)
        if (s->trials.items[i]->ran) json_array_append_new(tests, trial_json(s->trials.items[i]));
    for (int e = 0; e < 4; e++) {
        json_t *row = json_object();
        for (int a = 0; a < LS_ANSWER_COUNT; a++)
            json_object_set_new(row, ls_answer_name((ls_answer)a), json_integer(sums->of[e][a]));
        json_object_set_new(table, ls_answer_name((ls_answer)e), row);
    }
    json_object_set_new(root, "lockstep", json_string(ls_version()));
    json_object_set_new(root, "command", json_string("expect"));
    json_object_set_new(root, "tests", tests);
    json_object_set_new(root, "table", table);
    json_object_set_new(root, "agree", json_integer(s->done - s->disagree));
    json_object_set_new(root, "disagree", json_integer(s->disagree));
    json_object_set_new(root, "skipped", json_integer(s->skipped));
    json_object_set_new(root, "not_run", json_integer(s->trials.length - s->done));
    ls_json_dump(out, root);
}

static int summarize(session *s) {
    tally sums = {0};
    ls_buf out = {0};
    count_all(s, &sums);
    (s->options->common.format == LS_FORMAT_JSON ? print_json : print_text)(s, &sums, &out);
    int status = ls_cli_write(s->cli, &s->options->common, ls_buf_text(&out), out.length);
    ls_buf_free(&out);
    LS_VEC_FREE(&sums.ignored);
    if (status) return status;
    return s->disagree ? LS_EXIT_FOUND : s->done < s->trials.length ? LS_EXIT_UNKNOWN : LS_EXIT_CLEAN;
}

static int run(ls_cli *cli, const void *parsed) {
    const expect_options *o = parsed;
    session s = {.cli = cli, .options = o};
    if (!o->common.operands.count) return ls_cli_error(cli, "no folder given; try 'lockstep expect --help'");
    if (o->run && !ls_command_find(o->run))
        return ls_cli_error(cli, "--run: there is no subcommand '%s'", o->run);
    int status = LS_EXIT_CLEAN;
    for (uint32_t i = 0; i < o->common.operands.count && !status; i++)
        status = find_files(&s, o->common.operands.items[i]);
    if (!status && !s.trials.length)
        status = ls_cli_error(cli, "no kernel file with an expectation was found");
    if (!status) {
        pthread_mutex_init(&s.lock, NULL);
        s.progress = isatty(2) && !o->common.output;
        ls_parallel_for(o->common.jobs, s.trials.length, one_trial, &s);
        if (s.progress) fputs("\r\033[K", stderr);
        pthread_mutex_destroy(&s.lock);
        status = summarize(&s);
    }
    for (uint32_t i = 0; i < s.trials.length; i++) {
        ls_buf_free(&s.trials.items[i]->output);
        ls_arena_free(&s.trials.items[i]->arena);
    }
    LS_VEC_FREE(&s.trials);
    return status;
}

const ls_command ls_cmd_expect = {
    .name = "expect",
    .operands = "DIR…",
    .summary = "run kernels against the expectations in their first comment lines",
    .about = "Runs every .cu, .cl, .ptx, .kernel and .simd file below DIR that starts with //pass, "
             "//xfail:CODE or "
             "//unknown, with the flags of the lines that follow (Lockstep's or GPUVerify's), and compares "
             "the exit "
             "status with what is expected: pass 0, xfail:NOT_ALL_VERIFIED 1, any other xfail 2, unknown 3. "
             "Options after -- are given to every run. Exit status: 0 all agree, 1 some do not, 3 not all "
             "were run.",
    .examples = "tests/verify/kernels\tall files below a folder that say what is expected\n",
    .options = options,
    .options_size = sizeof(expect_options),
    .run = run};
