/* GPUVerify's flags in Lockstep's terms. One table: what a flag becomes, or that it has no meaning here
 * (Boogie's own switches, choices of its encodings), in which case it is left out and counted. A flag that
 * is not in the table goes to the subcommand as it is. */
#include "cli/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    IGNORE, /* means nothing here */
    VALUE,  /* --option=VALUE, with the flag's own value */
    FLAG,   /* --option, with no value */
    GLOBAL, /* --global_size: the grid times the block */
    EXTRA,  /* for the compiler, after "--" */
    DEFINE, /* … a macro with the flag's value */
    ARRAYS, /* --vcgen-opt=/checkArrays:…; other values mean nothing */
} flag_use;

typedef struct {
    const char *name;
    flag_use use;
    const char *option; /* ours; with "=word" where it takes a fixed value */
} flag_row;

static const flag_row flag_rows[] = {
    {"--local_size", VALUE, "block"},
    {"--blockDim", VALUE, "block"},
    {"--num_groups", VALUE, "grid"},
    {"--gridDim", VALUE, "grid"},
    {"--global_size", GLOBAL, "grid"},
    {"--warp-sync", VALUE, "warp-sync"},
    {"--check-array-bounds", FLAG, "bounds"},
    {"--no-benign-tolerance", FLAG, "benign=error"},
    {"--only-divergence", FLAG, "only-divergence"},
    {"--only-intra-group", FLAG, "only-intra-group"},
    {"--no-annotations", FLAG, "no-annotations"},
    {"--kernel-args", VALUE, "kernel-args"},
    {"--clang-opt", EXTRA, NULL},
    {"--adversarial-abstraction", FLAG, "loads=any"},
    {"--equality-abstraction", FLAG, "loads=shared"},
    {"--no-inline", FLAG, "uncalled=unknown"}, /* functions are kept, and verified on their own */
    {"--vcgen-opt", ARRAYS, "arrays"},
    {"--array-equalities", IGNORE, NULL},
    {"--asymmetric-asserts", IGNORE, NULL},
    {"--atomic", IGNORE, NULL},
    {"--boogie-file", IGNORE, NULL},
    {"--boogie-opt", IGNORE, NULL},
    {"--bugle-lang", IGNORE, NULL},
    {"--bugle-opt", IGNORE, NULL},
    {"--call-site-analysis", IGNORE, NULL},
    {"--cruncher-opt", IGNORE, NULL},
    {"--debug", IGNORE, NULL},
    {"--findbugs", IGNORE, NULL},
    {"--global_offset", DEFINE, "LOCKSTEP_GLOBAL_OFFSET"},
    {"--infer-info", IGNORE, NULL},
    {"--infer-timeout", IGNORE, NULL},
    {"--invariants-as-candidates", IGNORE, NULL},
    {"--k-induction-depth", IGNORE, NULL},
    {"--keep-temps", IGNORE, NULL},
    {"--loop-unwind", IGNORE, NULL},
    {"--math-int", IGNORE, NULL},
    {"--memout", IGNORE, NULL},
    {"--no-barrier-access-checks", IGNORE, NULL},
    {"--no-constant-write-checks", IGNORE, NULL},
    {"--no-infer", IGNORE, NULL},
    {"--no-loop-predicate-invariants", IGNORE, NULL},
    {"--no-refined-atomics", IGNORE, NULL},
    {"--no-smart-predication", IGNORE, NULL},
    {"--no-thread-ids-check", IGNORE, NULL},
    {"--no-uniformity-analysis", IGNORE, NULL},
    {"--only-log", IGNORE, NULL},
    {"--only-requires", IGNORE, NULL},
    {"--params", IGNORE, NULL},
    {"--race-instrumenter", IGNORE, NULL},
    {"--restrict-warp-sync", IGNORE, NULL},
    {"--silent", IGNORE, NULL},
    {"--solver", IGNORE, NULL},
    {"--staged-inference", IGNORE, NULL},
    {"--stop-at-bpl", IGNORE, NULL},
    {"--stop-at-gbpl", IGNORE, NULL},
    {"--time", IGNORE, NULL},
    {"--timeout", IGNORE, NULL},
    {"--vcgen-op", IGNORE, NULL},
    {"--vcgen-timeout", IGNORE, NULL},
    {"--verbose", IGNORE, NULL},
};

/* The row of a flag and its value (what follows "=", or ""). */
static const flag_row *find_row(const char *flag, const char **value) {
    size_t length = strcspn(flag, "=");
    *value = flag[length] ? flag + length + 1 : "";
    for (size_t i = 0; i < sizeof flag_rows / sizeof *flag_rows; i++)
        if (strlen(flag_rows[i].name) == length && !memcmp(flag_rows[i].name, flag, length))
            return &flag_rows[i];
    return NULL;
}

static bool has_option(const ls_command *command, const char *option) {
    size_t length = strcspn(option, "=");
    for (const ls_option *o = command->options; o->kind != LS_OPT_END; o++)
        if (o->name && strlen(o->name) == length && !memcmp(o->name, option, length)) return true;
    return false;
}

/* The grid that a global size and the block make, NULL where one of them is "*" (any); a text that is no size
 * where they do not fit or the grid is given as well, so that the subcommand refuses it. */
static const char *grid_of(ls_arena *arena, const char *global, const ls_list *flags) {
    ls_size all, block = {{1, 1, 1}, true};
    const char *value, *block_text = "1";
    bool fits = true;
    for (uint32_t i = 0; i < flags->count; i++) {
        const flag_row *row = find_row(flags->items[i], &value);
        if (!row || row->use != VALUE || !row->option) continue;
        if (!strcmp(row->option, "block")) block_text = value;
        if (!strcmp(row->option, "grid")) fits = false;
    }
    if (fits && (!strcmp(global, "*") || !strcmp(block_text, "*"))) return NULL;
    fits = fits && ls_size_parse(global, &all) && ls_size_parse(block_text, &block);
    for (int i = 0; fits && i < 3; i++) fits = all.of[i] % block.of[i] == 0;
    if (!fits) return ls_arena_printf(arena, "--grid=%s/%s", global, block_text);
    return ls_arena_printf(arena, "--grid=%u,%u,%u", all.of[0] / block.of[0], all.of[1] / block.of[1],
                           all.of[2] / block.of[2]);
}

/* What one flag of the table becomes, or NULL where it says nothing ("*": any size). */
static const char *translate(ls_arena *arena, const flag_row *row, const char *value, const ls_list *flags) {
    if (row->use == FLAG) return ls_arena_printf(arena, "--%s", row->option);
    if (row->use == GLOBAL) return grid_of(arena, value, flags);
    return strcmp(value, "*") ? ls_arena_printf(arena, "--%s=%s", row->option, value) : NULL;
}

/* Options that write files, run programs or read whatever they are told to; and of the compiler's all but
 * those that are known to do none of that. */
static bool is_harmless_option(const ls_option *option, const char *value) {
    if (option->offset == LS_COMMON(compile_commands)) return false;
    bool reads = !strcmp(option->name, "arg") || !strcmp(option->name, "expect");
    if (reads && value && (strstr(value, ":/") || strstr(value, "=/") || strstr(value, ".."))) return false;
    return ls_option_is_harmless(option, value);
}

static bool is_harmless_for_compiler(const char *argument) {
    static const char *const known[] = {"-D", "-U", "-I",          "-O",    "-std=",    "-cl-",  "-W",
                                        "-w", "-x", "-ffast-math", "-fno-", "-funroll", "-ffp-", "-include"};
    if (!strncmp(argument, "-Wl,", 4) || !strncmp(argument, "-Wa,", 4) || !strncmp(argument, "-Wp,", 4))
        return false;
    if (argument[0] != '-') return strchr(argument, '@') == NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(argument, known[i], strlen(known[i]))) return true;
    return false;
}

/* Subcommands that look at kernels have a limit of memory; others start programs, or wait for input. What
 * stands behind "--" is for the compiler, or a program and its arguments; further files may make a program.
 */
static const char *harm_in(const ls_list *arguments, uint32_t first, const ls_command *command) {
    bool runs = has_option(command, "program") || has_option(command, "rounds"), compiler = false;
    if (!has_option(command, "max-memory")) return command->name;
    for (uint32_t i = first; i < arguments->count; i++) {
        const char *argument = arguments->items[i], *value = NULL;
        bool harmless = false;
        if (!compiler && !strcmp(argument, "--")) {
            compiler = true;
            harmless = !runs;
        } else if (compiler) {
            harmless = !runs && is_harmless_for_compiler(argument);
        } else if (argument[0] == '-' && argument[1]) {
            const ls_option *option = ls_option_match(command->options, argument, &value);
            bool next = option && option->kind != LS_OPT_FLAG && !value && i + 1 < arguments->count;
            if (next) value = arguments->items[++i];
            harmless = !option || is_harmless_option(option, value); /* what does not exist is refused */
        }
        if (!harmless) return argument;
    }
    return NULL;
}

/* A list may stand in brackets. */
static const char *definition(ls_arena *arena, const char *macro, const char *value) {
    value += *value == '[';
    return ls_arena_printf(arena, "-D%s=%.*s", macro, (int)strcspn(value, "]"), value);
}

void ls_expectation_flags(ls_arena *arena, ls_expectation *expectation, const ls_command *command,
                          ls_list *arguments, ls_list *ignored) {
    const ls_list *flags = &expectation->flags;
    ls_list extra = {0};
    uint32_t first = arguments->count;
    if (!expectation->own && has_option(command, "any-size")) ls_list_push(arena, arguments, "--any-size");
    for (uint32_t i = 0; i < flags->count; i++) {
        const char *flag = flags->items[i], *value;
        const flag_row *row = find_row(flag, &value);
        bool arrays = row && row->use == ARRAYS && !strncmp(value, "/checkArrays:", 13);
        if (arrays) value += 13;
        bool ignore = row && (row->use == IGNORE || (row->use == ARRAYS && !arrays));
        if (ignore && expectation->own) row = NULL; /* it may be an option of ours */
        if (row && row->use == EXTRA) {
            ls_list_push(arena, &extra, value);
        } else if (row && row->use == DEFINE) {
            ls_list_push(arena, &extra, definition(arena, row->option, value));
        } else if (row && (ignore || !has_option(command, row->option))) {
            ls_list_push(arena, ignored, row->name);
        } else {
            const char *argument = row ? translate(arena, row, value, flags) : flag;
            if (argument) ls_list_push(arena, arguments, argument);
        }
    }
    if (extra.count) ls_list_push(arena, arguments, "--");
    for (uint32_t i = 0; i < extra.count; i++) ls_list_push(arena, arguments, extra.items[i]);
    expectation->untrusted = harm_in(arguments, first, command);
}
