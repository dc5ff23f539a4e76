/* The command `lockstep`: one table of subcommands, one table of options each.
 *
 * To add a subcommand NAME:
 *   1. write src/cli/cmd_NAME.c, which defines its options struct (with `ls_common common` as its first
 *      member), its option table and `const ls_command ls_cmd_NAME` (cmd_ptx.c is a short example);
 *   2. add the line COMMAND(NAME) to src/cli/commands.def.
 * Parsing, --help, the man page, shell completion and "did you mean" follow from the tables. A run function
 * gets its parsed options and returns the exit status (LS_EXIT_…). A subcommand that reports findings is
 *
 *     static void one_file(const ls_cli_job *job) {  (on one of -j threads)
 *         const verify_options *o = (const verify_options *)job->common;
 *         ls_input input;                            (input.h)
 *         if (!ls_input_load(job->common, job->path, LS_FORM_SOURCE, &input, job->file->diags)) return;
 *         … kernel = ls_input_report(job, &input.compiled.kernels[i]); ls_report_add(kernel, …); …
 *         ls_input_free(&input);
 *     }
 *     static int run(ls_cli *cli, const void *options) {
 *         return ls_cli_report(cli, options, one_file);  (all files in parallel, printed in --format)
 *     }
 */
#ifndef LS_CLI_CLI_H
#define LS_CLI_CLI_H

#include "base/arena.h"
#include "base/buf.h"
#include "lockstep/frontend.h"
#include "lockstep/report.h"

#include <stddef.h>
#include <stdio.h>

enum { LS_EXIT_CLEAN = 0, LS_EXIT_FOUND = 1, LS_EXIT_USAGE = 2, LS_EXIT_UNKNOWN = 3 };

/* --- Options ------------------------------------------------------------------------------------------- */

typedef struct {
    const char **items;
    uint32_t count, capacity;
} ls_list;

void ls_list_push(ls_arena *arena, ls_list *list, const char *item);
/* The words as a program is given them: copies, and NULL at their end. */
char **ls_list_argv(ls_arena *arena, const ls_list *words);

/* A size in up to three dimensions: "64", "8,8", "8x8x4" or "[8,8]"; those not given are 1. */
typedef struct {
    uint32_t of[3];
    bool given;
    uint8_t dimensions; /* how many were given */
} ls_size;

typedef enum {
    LS_OPT_END,     /* the last row of a table */
    LS_OPT_HEADING, /* help only: the heading of the rows below */
    LS_OPT_FLAG,    /* bool */
    LS_OPT_TEXT,    /* const char * */
    LS_OPT_LIST,    /* ls_list: may be repeated */
    LS_OPT_NUMBER,  /* uint32_t */
    LS_OPT_SECONDS, /* double */
    LS_OPT_CHOICE,  /* int: index among the words of `value`, "a|b|c" */
    LS_OPT_SIZE,    /* ls_size */
    LS_OPT_BYTES,   /* uint64_t: 512M, 4G */
} ls_option_kind;

typedef struct {
    ls_option_kind kind;
    const char *name;    /* without dashes; "-include" for an option with one dash and a long name */
    char letter;         /* or 0 */
    size_t offset;       /* of the field in the options struct */
    const char *value;   /* what the value is called in help: "NAME"; the words of a choice */
    const char *initial; /* NULL or the default, parsed like a value given by the user */
    const char *help;
    bool own; /* for who types it: it writes files, runs programs or trusts; files cannot ask for it */
} ls_option;

/* The option of the table that an argument names, with the value that is part of it (or NULL). */
const ls_option *ls_option_match(const ls_option *table, const char *argument, const char **value);
/* Whether a file (.lockstep.toml, the header of a test) may give the option this value. */
bool ls_option_is_harmless(const ls_option *option, const char *value);

/* What every subcommand's options start with. Fields whose rows a subcommand does not list stay empty. */
typedef struct {
    ls_list operands; /* FILE… */
    ls_list extra;    /* what follows "--" */
    bool divided;     /* there is a "--", whatever follows */
    bool help;
    ls_list kernels;
    ls_size block, grid;
    bool any_size; /* they may be larger than CUDA allows */
    ls_list include_dirs, defines, includes;
    const char *standard, *arch, *compile_commands, *cccl, *text, *precompiled;
    int frontend; /* ls_frontend_kind */
    int format;   /* ls_format */
    const char *output;
    int color; /* 0 auto, 1 always, 2 never */
    bool verbose, quiet;
    int fail_on; /* ls_fail_on */
    const char *baseline, *config;
    const char *cache; /* the folder for results, "on" or "off"; NULL: on with -p */
    uint32_t jobs;
    double timeout;
    double compile_timeout; /* of one run of a compiler */
    uint64_t max_memory;    /* bytes; 0: half of the machine's */
    bool untrusted;
    struct ls_prepared *prepared; /* what was compiled beforehand (input.h), or NULL */
    struct ls_kept *kept;         /* results of earlier runs (kept.h), or NULL */
} ls_common;

#define LS_COMMON(field) offsetof(ls_common, field)

/* Rows that subcommands share; each is used in the tables of those that honour them. */
#define LS_KERNEL_OPTIONS                                                                                    \
    {LS_OPT_HEADING, .help = "Kernels"},                                                                     \
        {LS_OPT_LIST,                                                                                        \
         "kernel",                                                                                           \
         'k',                                                                                                \
         LS_COMMON(kernels),                                                                                 \
         "NAME",                                                                                             \
         NULL,                                                                                               \
         "only this kernel (repeatable; default: every kernel)"},                                            \
        {LS_OPT_SIZE,                                                                                        \
         "block",                                                                                            \
         0,                                                                                                  \
         LS_COMMON(block),                                                                                   \
         "X[,Y[,Z]]",                                                                                        \
         NULL,                                                                                               \
         "threads per block (default: what the file says, else unknown)"},                                   \
        {LS_OPT_SIZE,                                                                                        \
         "grid",                                                                                             \
         0,                                                                                                  \
         LS_COMMON(grid),                                                                                    \
         "X[,Y[,Z]]",                                                                                        \
         NULL,                                                                                               \
         "blocks in the grid (default: what the file says, else unknown)"}

#define LS_COMPILE_OPTIONS                                                                                    \
    {LS_OPT_HEADING,                                                                                          \
     .help = "Compilation of .cu and .cl files (further options for the compiler: after --)"},                \
        {LS_OPT_LIST, "include-dir", 'I', LS_COMMON(include_dirs), "DIR", NULL, "look for headers in DIR"},   \
        {LS_OPT_LIST, "define", 'D', LS_COMMON(defines), "NAME[=VALUE]", NULL, "define a macro"},             \
        {LS_OPT_LIST, "-include", 0, LS_COMMON(includes), "FILE", NULL, "include FILE before the source"},    \
        {LS_OPT_TEXT, "std", 0, LS_COMMON(standard), "STANDARD", NULL, "language standard: c++17, CL2.0, …"}, \
        {LS_OPT_TEXT, "arch", 0, LS_COMMON(arch), "sm_XX", NULL, "architecture to compile for"},              \
        {LS_OPT_CHOICE, "frontend", 0, LS_COMMON(frontend), "auto|clang|nvcc", "auto", "compiler to use"},    \
        {LS_OPT_TEXT, "cccl", 0, LS_COMMON(cccl), "DIR", NULL, "where Thrust, CUB and libcu++ are (CCCL)"},   \
        {LS_OPT_TEXT,                                                                                         \
         "compile-commands",                                                                                  \
         'p',                                                                                                 \
         LS_COMMON(compile_commands),                                                                         \
         "PATH",                                                                                              \
         NULL,                                                                                                \
         "take options from this compile_commands.json (or its folder); without FILE: check all .cu and "     \
         ".cl "                                                                                               \
         "files of it"},                                                                                      \
        {LS_OPT_TEXT,                                                                                         \
         "text",                                                                                              \
         0,                                                                                                   \
         LS_COMMON(text),                                                                                     \
         "PATH",                                                                                              \
         NULL,                                                                                                \
         "read the text of FILE from PATH (for editors: text that is not saved yet)"},                        \
        {LS_OPT_SECONDS,                                                                                      \
         "compile-timeout",                                                                                   \
         0,                                                                                                   \
         LS_COMMON(compile_timeout),                                                                          \
         "SECONDS",                                                                                           \
         "900",                                                                                               \
         "end a compiler that runs for longer (--timeout does not count the compiler's time)"},               \
    {                                                                                                         \
        LS_OPT_TEXT, "precompiled", 0, LS_COMMON(precompiled), "DIR", NULL,                                   \
            "keep precompiled headers in DIR, which makes the next run faster; delete them when headers "     \
            "change",                                                                                         \
            .own = true                                                                                       \
    }

#define LS_RUN_OPTIONS                                                                                       \
    {LS_OPT_HEADING, .help = "Running"},                                                                     \
        {LS_OPT_NUMBER, "jobs", 'j', LS_COMMON(jobs), "N", "0", "work on N threads (0: one per core)"}

#define LS_CACHE_OPTION                                                                                      \
    {LS_OPT_TEXT,                                                                                            \
     "cache",                                                                                                \
     0,                                                                                                      \
     LS_COMMON(cache),                                                                                       \
     "DIR|on|off",                                                                                           \
     NULL,                                                                                                   \
     "reuse a file's last result if none of its inputs has changed (default: on with -p; on: in "            \
     "~/.cache/lockstep)",                                                                                   \
     .own = true}

#define LS_UNTRUSTED_OPTION                                                                                  \
    {LS_OPT_FLAG,                                                                                            \
     "untrusted",                                                                                            \
     0,                                                                                                      \
     LS_COMMON(untrusted),                                                                                   \
     NULL,                                                                                                   \
     NULL,                                                                                                   \
     "do not trust FILE: work on it in a process that cannot open files, start programs or reach the "       \
     "network (Linux)"}

#define LS_OUTPUT_OPTIONS(formats)                                                                           \
    {LS_OPT_HEADING, .help = "Limits"},                                                                      \
        {LS_OPT_BYTES,                                                                                       \
         "max-memory",                                                                                       \
         0,                                                                                                  \
         LS_COMMON(max_memory),                                                                              \
         "BYTES[K|M|G]",                                                                                     \
         NULL,                                                                                               \
         "limit of memory: a run that needs more is ended and reports what it found (default: half of the "  \
         "machine's memory)"},                                                                               \
        {LS_OPT_HEADING, .help = "Output"},                                                                  \
        {LS_OPT_CHOICE, "format", 0, LS_COMMON(format), formats, "text", "how to print"},                    \
        {LS_OPT_TEXT,                                                                                        \
         "output",                                                                                           \
         'o',                                                                                                \
         LS_COMMON(output),                                                                                  \
         "FILE",                                                                                             \
         NULL,                                                                                               \
         "write to FILE instead of the standard output",                                                     \
         .own = true},                                                                                       \
        {LS_OPT_CHOICE,                                                                                      \
         "color",                                                                                            \
         0,                                                                                                  \
         LS_COMMON(color),                                                                                   \
         "auto|always|never",                                                                                \
         "auto",                                                                                             \
         "colours; auto: on a terminal, unless NO_COLOR is set"}

/* For subcommands whose text is a report. */
#define LS_REPORT_OPTIONS                                                                                    \
    LS_OUTPUT_OPTIONS(LS_FORMATS),                                                                           \
        {LS_OPT_FLAG,                                                                                        \
         "verbose",                                                                                          \
         'v',                                                                                                \
         LS_COMMON(verbose),                                                                                 \
         NULL,                                                                                               \
         NULL,                                                                                               \
         "also print everything that a verdict covers and assumes"},                                         \
        {LS_OPT_CHOICE,                                                                                      \
         "fail-on",                                                                                          \
         0,                                                                                                  \
         LS_COMMON(fail_on),                                                                                 \
         "unknown|warning|error|never",                                                                      \
         "unknown",                                                                                          \
         "the least severe result for which the exit status is not 0"},                                      \
        {LS_OPT_TEXT,                                                                                        \
         "baseline",                                                                                         \
         0,                                                                                                  \
         LS_COMMON(baseline),                                                                                \
         "FILE",                                                                                             \
         NULL,                                                                                               \
         "ignore findings that are already in this earlier --format json report"},                           \
        {LS_OPT_TEXT,                                                                                        \
         "config",                                                                                           \
         0,                                                                                                  \
         LS_COMMON(config),                                                                                  \
         "FILE",                                                                                             \
         NULL,                                                                                               \
         "read this file instead of the nearest .lockstep.toml; none: read no file"},                        \
        {LS_OPT_FLAG,                                                                                        \
         "quiet",                                                                                            \
         'q',                                                                                                \
         LS_COMMON(quiet),                                                                                   \
         NULL,                                                                                               \
         NULL,                                                                                               \
         "print findings only: no clean kernels, no summary, no progress"}

#define LS_FORMATS "text|json|sarif|html"

/* --- Subcommands --------------------------------------------------------------------------------------- */

typedef struct ls_cli ls_cli;

typedef struct {
    const char *name;
    const char *operands; /* "FILE…" */
    const char *summary;  /* one line, for lockstep --help */
    const char *about;    /* a few sentences, for lockstep NAME --help */
    const char *examples; /* "ARGUMENTS\twhat that does\n" each, for lockstep NAME --help */
    const ls_option *options;
    size_t options_size;     /* of the options struct */
    const char *time_option; /* the option that limits the time of a run or proof; NULL: --timeout */
    int (*run)(ls_cli *cli, const void *options);
    bool never_finds; /* exit status 0 or 2 only: it has no findings and no verdicts */
    /* How files are compiled with these options: for those with --untrusted, which compile all files before
     * they look at any. */
    ls_frontend_options (*compiles)(const void *options);
    /* With --untrusted, before files are compiled: what else is to be there before the seal. Processes that
     * it starts may take so many bytes each. NULL: nothing. */
    void (*before_seal)(ls_cli *cli, void *options, uint64_t bytes);
    bool keeps; /* what it tells of a file follows from the options and the files: it may be kept (kept.h) */
    bool seals; /* with --untrusted, `run` compiles and seals the process itself */
    bool passes_on; /* a stand-in for another command: its arguments are kept as if they stood behind "--" */
} ls_command;

/* One run of the command. */
struct ls_cli {
    const ls_command *command;
    struct ls_progress *progress; /* NULL: none is shown */
    struct ls_config *config;     /* NULL where the subcommand takes none (config.h) */
    ls_arena arena;               /* freed when the run ends */
    const ls_common *common;      /* the parsed options */
    ls_report *report;            /* what is being filled, or NULL */
    struct ls_fleet *fleet;       /* the other processes that work on it (fleet.h), or NULL */
    ls_source_roots roots;        /* of which files lines are shown */
    char **words;                 /* of the command line … */
    int word_count;
};

extern const ls_command *const ls_commands[]; /* ends with NULL */
const ls_command *ls_command_find(const char *name);

/* The whole command: parses, runs, returns the exit status. */
int ls_cli_main(int argc, char **argv);

/* --- Parsing and help (options.c, help.c) -------------------------------------------------------------- */

/* Fills options (of command->options_size bytes); false after a message on the standard error. */
bool ls_options_parse(ls_cli *cli, int argc, char **argv, void *options);
/* Parses one "8,8"-like size. */
bool ls_size_parse(const char *text, ls_size *size);
/* The number of words in a choice's "a|b|c", and each of them. */
bool ls_choice_word(const char *words, uint32_t index, const char **word, size_t *length);
/* Among names (ending with NULL) the one nearest to a mistyped one, or NULL where none is near. */
const char *ls_nearest(const char *given, const char *const *names);

/* A paragraph broken into lines of at most 100 columns. */
void ls_help_wrapped(ls_buf *out, const char *text);
void ls_help_main(ls_buf *out);
void ls_help_command(const ls_command *command, ls_buf *out);
/* Shell completion for "bash", "zsh" or "fish"; false for another shell. */
bool ls_completion(const char *shell, ls_buf *out);
/* The man page's sections on the subcommands, in roff. */
void ls_man_commands(ls_buf *out);

/* --- What subcommands share (session.c) ---------------------------------------------------------------- */

/* "lockstep NAME: message" on the standard error; returns LS_EXIT_USAGE. */
int ls_cli_error(const ls_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ls_cli_colors(const ls_common *common, FILE *stream);
/* Writes to -o or the standard output; LS_EXIT_CLEAN, or LS_EXIT_USAGE after a message. */
int ls_cli_write(const ls_cli *cli, const ls_common *common, const char *text, size_t length);
/* Diagnostics on the standard error, as a compiler prints them. */
void ls_cli_show_diags(const ls_cli *cli, const ls_common *common, const ls_diags *diags);
/* Lines are shown of files below the folders of the input, the include paths and the bundled headers: what a
 * file of somebody else's names (.file, #line) may be anything. */
ls_source_roots ls_cli_roots(ls_arena *arena, const ls_common *common);
/* Whether --kernel asks for the kernel (everything, where it was not given): by its PTX name, its demangled
 * name, or that without arguments and template arguments. */
bool ls_cli_wants_kernel(const ls_common *common, const char *name, const char *demangled);

/* One input file of a reporting subcommand, worked on by one thread. */
typedef struct {
    ls_cli *cli;
    const ls_common *common; /* the first member of the subcommand's options */
    const char *path;
    ls_report_file *file; /* for kernels and findings; its diags for what is wrong with the file */
} ls_cli_job;

/* Shows what is in the report, where the run is ended by a limit or a signal; the exit status. */
int ls_cli_last_words(ls_cli *cli, const char *why, int signal);
/* Sorts the findings, and takes out those that do not count (suppress.h); LS_EXIT_USAGE after a message. */
int ls_cli_finish(const ls_cli *cli, const ls_common *common, ls_report *report);

/* With -p and no file: the files of the project; false after a message. */
bool ls_cli_project(ls_cli *cli, ls_common *common);

/* Calls each operand's job on -j threads, prints the report as --format and -o ask, returns the status. */
int ls_cli_report(ls_cli *cli, const ls_common *common, void (*work)(const ls_cli_job *job));

#endif
