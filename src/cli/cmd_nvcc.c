/* lockstep nvcc: nvcc, with PTX and line information in what it makes, so that `lockstep detect -- PROGRAM`
 * can instrument the program's kernels and name source lines. Where there is no nvcc, or with --frontend
 * clang, the program is built without it (build.h). */
#include "base/process.h"
#include "base/vec.h"
#include "cli/build.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    ls_common common;
    bool show;
} nvcc_options;

static const ls_option options[] = {
    {LS_OPT_FLAG, "show", 0, offsetof(nvcc_options, show), NULL, NULL, "print the command, do not run it"},
    {LS_OPT_END}};

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* The architecture's number in sm_90a, compute_80, …: "90a"; NULL where there is none. */
static const char *number_in(const char *text) {
    const char *at = strstr(text, "sm_");
    if (at) return at + 3;
    at = strstr(text, "compute_");
    return at ? at + 8 : NULL;
}

/* What the arguments say: is PTX embedded already, with which architecture, are lines in. */
typedef struct {
    bool gencode, ptx, lines, compiles;
    const char *arch;
} given;

static given look_at(const ls_list *words) {
    given g = {.compiles = true};
    for (uint32_t i = 0; i < words->count; i++) {
        const char *word = words->items[i], *next = i + 1 < words->count ? words->items[i + 1] : "";
        bool separate = strcmp(word, "-gencode") == 0 || strcmp(word, "--generate-code") == 0;
        if (separate || starts(word, "-gencode=") || starts(word, "--generate-code=")) {
            const char *value = separate ? next : strchr(word, '=') + 1, *code = strstr(value, "code=");
            g.gencode = true;
            g.ptx |= code && strstr(code, "compute_");
            if (number_in(value)) g.arch = number_in(value);
        }
        bool arch = strcmp(word, "-arch") == 0 || strcmp(word, "--gpu-architecture") == 0;
        if (arch) g.arch = number_in(next);
        if (starts(word, "-arch=") || starts(word, "--gpu-architecture=")) g.arch = number_in(word);
        g.lines |= strcmp(word, "-lineinfo") == 0 || strcmp(word, "--generate-line-info") == 0 ||
                   strcmp(word, "-G") == 0 || strcmp(word, "--device-debug") == 0;
        if (strcmp(word, "--version") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
            strcmp(word, "-V") == 0 || strcmp(word, "-E") == 0 || strcmp(word, "-M") == 0)
            g.compiles = false;
    }
    return g;
}

typedef LS_VEC(char *) word_list;

static void add(ls_arena *arena, word_list *to, const char *word) {
    LS_VEC_PUSH_IN(arena, to, ls_arena_strdup(arena, word));
}

/* -arch=sm_XX embeds PTX as well (it stands for compute_XX and sm_XX), but -gencode only what it names. */
static void add_missing(ls_arena *arena, word_list *to, const given *g) {
    if (!g->compiles) return;
    if (!g->lines) add(arena, to, "-lineinfo");
    if (!g->gencode || g->ptx || !g->arch) return;
    int length = (int)strcspn(g->arch, ",]\"' ");
    add(arena, to,
        ls_arena_printf(arena, "-gencode=arch=compute_%.*s,code=compute_%.*s", length, g->arch, length,
                        g->arch));
}

/* NULL: none is to be used. "--frontend clang", which is Lockstep's own, is taken out of the words. */
static const char *find_nvcc(ls_cli *cli, ls_list *words) {
    const char *wanted = NULL;
    ls_list kept = {0};
    for (uint32_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        if (starts(word, "--frontend=")) {
            wanted = strchr(word, '=') + 1;
        } else if (strcmp(word, "--frontend") == 0 && i + 1 < words->count) {
            wanted = words->items[++i];
        } else {
            ls_list_push(&cli->arena, &kept, word);
        }
    }
    *words = kept;
    if (wanted && strcmp(wanted, "clang") == 0) return NULL;
    const char *named = getenv("LOCKSTEP_NVCC");
    if (named && *named) return named;
    char *found = ls_process_find("nvcc");
    if (!found) found = ls_process_find("/usr/local/cuda/bin/nvcc");
    const char *path = found ? ls_arena_strdup(&cli->arena, found) : NULL;
    free(found);
    return path || !wanted || strcmp(wanted, "nvcc") ? path : "nvcc";
}

static int run(ls_cli *cli, const void *parsed) {
    const nvcc_options *o = parsed;
    ls_list words = {0};
    for (uint32_t i = 0; i < o->common.operands.count; i++)
        ls_list_push(&cli->arena, &words, o->common.operands.items[i]);
    for (uint32_t i = 0; i < o->common.extra.count; i++)
        ls_list_push(&cli->arena, &words, o->common.extra.items[i]);
    given g = look_at(&words);
    word_list argv = {0};
    const char *nvcc = find_nvcc(cli, &words);
    if (!nvcc) {
        ls_nvcc_options without;
        if (!ls_nvcc_parse(cli, &words, &without)) return LS_EXIT_USAGE;
        without.dry_run |= o->show;
        return ls_build(cli, &without);
    }
    add(&cli->arena, &argv, nvcc);
    add_missing(&cli->arena, &argv, &g);
    for (uint32_t i = 0; i < words.count; i++) add(&cli->arena, &argv, words.items[i]);
    if (o->show) {
        ls_buf out = {0};
        for (uint32_t i = 0; i < argv.length; i++) ls_buf_printf(&out, "%s%s", i ? " " : "", argv.items[i]);
        ls_buf_putc(&out, '\n');
        int status = ls_cli_write(cli, &o->common, out.text, out.length);
        ls_buf_free(&out);
        return status;
    }
    LS_VEC_PUSH_IN(&cli->arena, &argv, NULL);
    execvp(argv.items[0], argv.items);
    return ls_cli_error(cli, "%s cannot be started: %s", nvcc, strerror(errno));
}

const ls_command ls_cmd_nvcc = {
    .name = "nvcc",
    .operands = "[--show] ARGUMENTS…",
    .summary = "run nvcc and add what `detect` needs to the program",
    .about = "Runs nvcc with the same arguments and makes sure that the result contains PTX and line "
             "information, which `lockstep detect -- PROGRAM` needs.",
    .examples = "-o program program.cu\ta program for `lockstep detect -- ./program`\n"
                "--show -o program program.cu\tprint the command instead\n",
    .options = options,
    .options_size = sizeof(nvcc_options),
    .run = run,
    .never_finds = true,
    .passes_on = true};
