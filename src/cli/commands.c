/* The table of subcommands (commands.def) and the run of one of them. */
#include "cli/cli.h"

#include "base/guard.h"
#include "base/recover.h"
#include "cli/kept.h"
#include "cli/untrusted.h"
#include "lockstep/limits.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

#define COMMAND(name) extern const ls_command ls_cmd_##name;
#include "cli/commands.def"
#undef COMMAND

const ls_command *const ls_commands[] = {
#define COMMAND(name) &ls_cmd_##name,
#include "cli/commands.def"
#undef COMMAND
    NULL};

const ls_command *ls_command_find(const char *name) {
    for (const ls_command *const *c = ls_commands; *c; c++)
        if (!strcmp((*c)->name, name)) return *c;
    return NULL;
}

/* Prints and frees the text; a full disk is no success. */
static int print(ls_buf *text) {
    bool good = fwrite(ls_buf_text(text), 1, text->length, stdout) == text->length && !fflush(stdout);
    if (!good) fprintf(stderr, "lockstep: cannot write the output: %s\n", strerror(errno));
    ls_buf_free(text);
    return good ? LS_EXIT_CLEAN : LS_EXIT_USAGE;
}

static int show(void (*write)(ls_buf *out)) {
    ls_buf text = {0};
    write(&text);
    return print(&text);
}

static int show_command_help(const ls_command *command) {
    ls_buf text = {0};
    ls_help_command(command, &text);
    return print(&text);
}

static int show_completion(const char *shell) {
    ls_buf text = {0};
    if (shell && ls_completion(shell, &text)) return print(&text);
    fprintf(stderr, "lockstep: --completion expects bash, zsh or fish\n");
    ls_buf_free(&text);
    return LS_EXIT_USAGE;
}

static int unknown_command(const char *name) {
    const char *names[64] = {0};
    for (size_t i = 0; i < 62 && ls_commands[i]; i++) names[i] = ls_commands[i]->name;
    const char *near = ls_nearest(name, names);
    fprintf(stderr, "lockstep: unknown subcommand '%s'", name);
    if (near) fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nTry 'lockstep --help'.\n");
    return LS_EXIT_USAGE;
}

/* The arguments with "--" in front of those that are another command's. */
static int pass_on(ls_arena *arena, int argc, char **argv, char ***out) {
    static char dashes[] = "--";
    int own = 0, count = 0;
    *out = LS_NEW_N(arena, char *, argc + 2);
    while (own < argc && (!strcmp(argv[own], "--show") || (argc == 1 && !strcmp(argv[own], "--help"))))
        (*out)[count++] = argv[own++];
    if (own == argc || strcmp(argv[own], dashes)) (*out)[count++] = dashes;
    while (own < argc) (*out)[count++] = argv[own++];
    return count;
}

static int last_words(void *context, const char *why, int number) {
    return ls_cli_last_words(context, why, number);
}

/* What the user waits for ends at a limit or a signal, with what is there; a command that is only a stand-in
 * leaves that to the other one. */
static int run_guarded(ls_cli *cli, void *options) {
    if (cli->command->passes_on) return cli->command->run(cli, options);
    uint64_t most = cli->common->max_memory;
    cli->roots = ls_cli_roots(&cli->arena, cli->common);
    char text[128];
    const char *wrong = ls_launch_limits(cli->common->grid.of, cli->common->block.of, text, sizeof text);
    if (wrong && !cli->common->any_size) return ls_cli_error(cli, "--block and --grid: %s", wrong);
    ls_guard_options guard = {.bytes = most ? most : ls_half_of_memory(),
                              .time_option = cli->command->time_option,
                              .last = last_words,
                              .context = cli};
    if (cli->common->untrusted) return ls_cli_run_untrusted(cli, options, &guard);
    ls_common *common = options;
    if (cli->command->keeps) common->kept = ls_kept_open(cli, common);
    ls_guard_start(&guard);
    int status = cli->command->run(cli, options);
    ls_guard_stop();
    ls_kept_free(common->kept);
    return status;
}

static int run_command(const ls_command *command, int argc, char **argv) {
    ls_cli cli = {.command = command, .words = argv, .word_count = argc};
    ls_arena_init(&cli.arena);
    if (command->passes_on) argc = pass_on(&cli.arena, argc, argv, &argv);
    void *options = ls_arena_zalloc(&cli.arena, command->options_size);
    int status = LS_EXIT_USAGE;
    if (ls_options_parse(&cli, argc, argv, options)) {
        cli.common = options;
        if (cli.common->help)
            status = show_command_help(command);
        else if (ls_cli_project(&cli, options))
            status = run_guarded(&cli, options);
    }
    ls_arena_free(&cli.arena);
    return status;
}

static int show_version(void) {
    ls_buf text = {0};
    ls_buf_printf(&text, "lockstep %s\n", ls_version());
    return print(&text);
}

/* Called as lockstep-nvcc, a compiler for build systems: `lockstep nvcc --frontend clang`. */
static bool is_compiler(const char *program) {
    const char *slash = strrchr(program, '/');
    return !strcmp(slash ? slash + 1 : program, "lockstep-nvcc");
}

static int run_compiler(int argc, char **argv) {
    LS_SCRATCH(scratch);
    static char option[] = "--frontend=clang";
    char **words = ls_arena_alloc(&scratch, ((size_t)argc + 1) * sizeof *words);
    words[0] = option;
    memcpy(words + 1, argv + 1, (size_t)argc * sizeof *words); /* with the NULL at their end */
    int status = run_command(ls_command_find("nvcc"), argc, words);
    return status;
}

/* A solver asks for tens of megabytes at each question and gives them back after it. Handing them to the
 * system each time, to be cleared and mapped again, took three quarters of the time. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

static int run_main(int argc, char **argv) {
    if (argc > 0 && is_compiler(argv[0])) return run_compiler(argc, argv);
    const char *first = argc > 1 ? argv[1] : NULL;
    if (!first) {
        ls_buf text = {0};
        ls_help_main(&text);
        fputs(ls_buf_text(&text), stderr);
        ls_buf_free(&text);
        return LS_EXIT_USAGE;
    }
    if (!strcmp(first, "--version") || !strcmp(first, "-V")) return show_version();
    if (!strcmp(first, "--completion")) return show_completion(argc > 2 ? argv[2] : NULL);
    if (!strcmp(first, "--man-commands")) return show(ls_man_commands);
    if (!strcmp(first, "--help") || !strcmp(first, "-h")) return show(ls_help_main);
    if (!strcmp(first, "help")) {
        if (argc < 3) return show(ls_help_main);
        const ls_command *command = ls_command_find(argv[2]);
        return command ? show_command_help(command) : unknown_command(argv[2]);
    }
    if (first[0] == '-') {
        fprintf(stderr, "lockstep: a subcommand is expected before '%s'\nTry 'lockstep --help'.\n", first);
        return LS_EXIT_USAGE;
    }
    const ls_command *command = ls_command_find(first);
    return command ? run_command(command, argc - 2, argv + 2) : unknown_command(first);
}

typedef struct {
    int argc, status;
    char **argv;
} invocation;

static void invoke(void *context) {
    invocation *all = context;
    all->status = run_main(all->argc, all->argv);
}

int ls_cli_main(int argc, char **argv) {
    keep_memory();
    invocation all = {.argc = argc, .argv = argv};
    if (ls_try(invoke, &all)) return all.status;
    fputs("lockstep: out of memory\n", stderr);
    return LS_EXIT_USAGE;
}
