/* nvcc's options as build systems give them, one row each: its names, whether it has a value, and what
 * becomes of it. A value may follow as the next word, or behind '='; that of -I, -D, -L and -l also at once.
 * What NVIDIA's own tools alone would read (-Xptxas, -maxrregcount, …) is left out. */
#include "cli/nvcc_options.h"

#include "base/words.h"
#include "frontend/command.h"

#include <errno.h>
#include <string.h>

typedef enum {
    LEFT_OUT,
    OUTPUT,
    STEP,
    INCLUDE_DIR,
    DEFINE,
    INCLUDE,
    BOTH,       /* "-U NAME": the option and its value, for both sides */
    HOST,       /* the option itself, for host code */
    HOST_PAIR,  /* with its value */
    HOST_WORDS, /* the value: options with commas between them, for host code */
    LINK,
    LINK_PAIR,
    LINK_WORDS,
    LIBRARY,
    STANDARD,
    ARCH,
    GENCODE,
    LANGUAGE,
    RUNTIME,
    RELOCATABLE,
    FLAG_SHARED,
    FLAG_VERBOSE,
    FLAG_DRY_RUN,
    CCCL,
    OPTIONS_FILE,
    REFUSED,
} action;

typedef struct {
    const char *name, *other; /* "-o", "--output-file" */
    bool value;
    action what;
    int number; /* of STEP and RELOCATABLE */
} row;

static const row ROWS[] = {
    {"-o", "--output-file", true, OUTPUT, 0},
    {"-c", "--compile", false, STEP, LS_NVCC_OBJECTS},
    {"-dc", "--device-c", false, RELOCATABLE, LS_NVCC_OBJECTS},
    {"-dw", "--device-w", false, STEP, LS_NVCC_OBJECTS},
    {"-ptx", "--ptx", false, STEP, LS_NVCC_PTX},
    {"-fatbin", "--fatbin", false, STEP, LS_NVCC_FATBIN},
    {"-dlink", "--device-link", false, STEP, LS_NVCC_DEVICE_LINK},
    {"-link", "--link", false, STEP, LS_NVCC_LINK},
    {"-V", "--version", false, STEP, LS_NVCC_VERSION},
    {"-I", "--include-path", true, INCLUDE_DIR, 0},
    {"-isystem", "--system-include", true, BOTH, 0},
    {"-D", "--define-macro", true, DEFINE, 0},
    {"-U", "--undefine-macro", true, BOTH, 0},
    {"-include", "--pre-include", true, INCLUDE, 0},
    {"-L", "--library-path", true, LINK_PAIR, 0},
    {"-l", "--library", true, LIBRARY, 0},
    {"-std", "--std", true, STANDARD, 0},
    {"-arch", "--gpu-architecture", true, ARCH, 0},
    {"-code", "--gpu-code", true, LEFT_OUT, 0},
    {"-gencode", "--generate-code", true, GENCODE, 0},
    {"-x", "--x", true, LANGUAGE, 0},
    {"-Xcompiler", "--compiler-options", true, HOST_WORDS, 0},
    {"-Xlinker", "--linker-options", true, LINK_WORDS, 0},
    {"-cudart", "--cudart", true, RUNTIME, 0},
    {"-rdc", "--relocatable-device-code", true, RELOCATABLE, 0},
    {"-shared", "--shared", false, FLAG_SHARED, 0},
    {"-v", "--verbose", false, FLAG_VERBOSE, 0},
    {"-dryrun", "--dryrun", false, FLAG_DRY_RUN, 0},
    {"-g", "--debug", false, HOST, 0},
    {"-w", "--disable-warnings", false, BOTH, 0},
    {"-MD", "--generate-dependencies-with-compile", false, HOST, 0},
    {"-MMD", "--generate-nonsystem-dependencies-with-compile", false, HOST, 0},
    {"-MP", "--generate-dependency-targets", false, HOST, 0},
    {"-MF", "--dependency-output", true, HOST_PAIR, 0},
    {"-MT", "--dependency-target-name", true, HOST_PAIR, 0},
    {"-MQ", NULL, true, HOST_PAIR, 0},
    {"-cccl", "--cccl", true, CCCL, 0},
    {"-optf", "--options-file", true, OPTIONS_FILE, 0},
    {"-E", "--preprocess", false, REFUSED, 0},
    {"-M", "--generate-dependencies", false, REFUSED, 0},
    {"-MM", "--generate-nonsystem-dependencies", false, REFUSED, 0},
    {"-cubin", "--cubin", false, REFUSED, 0},
    {"-cuda", "--cuda", false, REFUSED, 0},
    {"-lib", "--lib", false, REFUSED, 0},
    /* what says how NVIDIA's tools are to work */
    {"-G", "--device-debug", false, LEFT_OUT, 0},
    {"-lineinfo", "--generate-line-info", false, LEFT_OUT, 0},
    {"-keep", "--keep", false, LEFT_OUT, 0},
    {"-keep-dir", "--keep-dir", true, LEFT_OUT, 0},
    {"-odir", "--output-directory", true, LEFT_OUT, 0},
    {"-ccbin", "--compiler-bindir", true, LEFT_OUT, 0},
    {"-frontend", "--frontend", true, LEFT_OUT, 0},
    {"-t", "--threads", true, LEFT_OUT, 0},
    {"-Xptxas", "--ptxas-options", true, LEFT_OUT, 0},
    {"-Xcudafe", NULL, true, LEFT_OUT, 0},
    {"-Xnvlink", "--nvlink-options", true, LEFT_OUT, 0},
    {"-Xarchive", "--archive-options", true, LEFT_OUT, 0},
    {"-Xcicc", NULL, true, LEFT_OUT, 0},
    {"-maxrregcount", "--maxrregcount", true, LEFT_OUT, 0},
    {"-Werror", "--Werror", true, LEFT_OUT, 0},
    {"-diag-suppress", "--diag-suppress", true, LEFT_OUT, 0},
    {"-diag-error", "--diag-error", true, LEFT_OUT, 0},
    {"-diag-warn", "--diag-warn", true, LEFT_OUT, 0},
    {"-ftz", "--ftz", true, LEFT_OUT, 0},
    {"-prec-div", "--prec-div", true, LEFT_OUT, 0},
    {"-prec-sqrt", "--prec-sqrt", true, LEFT_OUT, 0},
    {"-fmad", "--fmad", true, LEFT_OUT, 0},
    {"-default-stream", "--default-stream", true, LEFT_OUT, 0},
    {"-use_fast_math", "--use_fast_math", false, LEFT_OUT, 0},
    {"-extended-lambda", "--extended-lambda", false, LEFT_OUT, 0},
    {"-expt-extended-lambda", "--expt-extended-lambda", false, LEFT_OUT, 0},
    {"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", false, LEFT_OUT, 0},
    {"-restrict", "--restrict", false, LEFT_OUT, 0},
    {"-res-usage", "--resource-usage", false, LEFT_OUT, 0},
    {"-dlto", "--dlink-time-opt", false, LEFT_OUT, 0},
    {"-lto", "--lto", false, LEFT_OUT, 0},
    {"-gen-opt-lto", "--gen-opt-lto", false, LEFT_OUT, 0},
    {"-static-global-template-stub", "--static-global-template-stub", true, LEFT_OUT, 0},
    {"-split-compile", "--split-compile", true, LEFT_OUT, 0},
    {"-extra-device-vectorization", "--extra-device-vectorization", false, LEFT_OUT, 0},
    {"-src-in-ptx", "--source-in-ptx", false, LEFT_OUT, 0},
    {"-err-no", "--display-error-number", false, LEFT_OUT, 0},
    {"-no-err-no", "--no-display-error-number", false, LEFT_OUT, 0},
    {"-brief-diag", "--brief-diagnostics", true, LEFT_OUT, 0},
    {"-dopt", "--dopt", true, LEFT_OUT, 0},
    {"-allow-unsupported-compiler", "--allow-unsupported-compiler", false, LEFT_OUT, 0},
    {"-cudadevrt", "--cudadevrt", true, LEFT_OUT, 0},
    {"-ldir", "--libdevice-directory", true, LEFT_OUT, 0},
    {"-target-dir", "--target-directory", true, LEFT_OUT, 0},
    {"-noprof", "--dont-use-profile", false, LEFT_OUT, 0},
    {"-time", "--time", true, LEFT_OUT, 0},
    {"-Xfatbin", "--fatbin-options", true, LEFT_OUT, 0},
    {"-m64", "--machine", false, LEFT_OUT, 0},
    {"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", false, LEFT_OUT, 0},
    {"-forward-unknown-opts", "--forward-unknown-opts", false, LEFT_OUT, 0},
    {"-compress-mode", "--compress-mode", true, LEFT_OUT, 0},
    {"-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", false, LEFT_OUT, 0},
};

/* How much of a word is the name of an option that has a value: all of it, or what is before '=', or, for
 * options of one letter, the first two characters. 0: it is another word. */
static size_t matches(const row *r, const char *word) {
    const char *const names[] = {r->name, r->other};
    for (int i = 0; i < 2; i++) {
        if (!names[i]) continue;
        size_t length = strlen(names[i]);
        if (strncmp(word, names[i], length)) continue;
        if (!word[length] || (r->value && word[length] == '=')) return length;
        if (r->value && i == 0 && length == 2 && strchr("IDULl", names[i][1])) return length;
    }
    return 0;
}

/* The longest one: -lineinfo is not a library. */
static const row *find_row(const char *word, size_t *length) {
    const row *best = NULL;
    *length = 0;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const size_t here = matches(&ROWS[i], word);
        if (here <= *length) continue;
        best = &ROWS[i];
        *length = here;
    }
    return best;
}

/* "-fPIC,-O2", without commas of -Wl,…. */
static void add_words(ls_arena *arena, ls_list *list, const char *words) {
    while (*words) {
        size_t length = strcspn(words, ",");
        if (!strncmp(words, "-Wl,", 4)) length = strlen(words);
        const char *word = ls_arena_strndup(arena, words, length);
        if (length && strcmp(word, "\"\"")) ls_list_push(arena, list, word);
        words += length + (words[length] == ',');
    }
}

/* Of several architectures the latest one counts that clang knows. */
static bool is_better(const char *arch, const char *than) {
    const bool known = ls_arch_features(arch) != NULL;
    if (known != (ls_arch_features(than) != NULL)) return known;
    return ls_arch_is_later(arch, than);
}

/* The architecture in "sm_90a", "compute_80" or "arch=compute_80,code=sm_80", as sm_XX. */
static void take_arch(ls_arena *arena, ls_nvcc_options *out, const char *value) {
    const char *at = strstr(value, "compute_");
    at = at ? at + 8 : strstr(value, "sm_") ? strstr(value, "sm_") + 3 : NULL;
    if (!at) return;
    int length = (int)strspn(at, "0123456789a");
    const char *arch = ls_arena_printf(arena, "sm_%.*s", length, at);
    if (!out->arch || is_better(arch, out->arch)) out->arch = arch;
}

static const char *const LEFT_OUT_LIBRARIES[] = {"cudart", "cudart_static", "cudadevrt", "culibos"};

static void add_library(ls_arena *arena, ls_nvcc_options *out, const char *name) {
    for (size_t i = 0; i < sizeof LEFT_OUT_LIBRARIES / sizeof *LEFT_OUT_LIBRARIES; i++)
        if (!strcmp(name, LEFT_OUT_LIBRARIES[i])) return; /* Lockstep's runtime is linked in any case */
    ls_list_push(arena, &out->link, ls_arena_printf(arena, "-l%s", name));
}

/* What the host compiler needs when it links, too. */
static void add_to_link(ls_arena *arena, ls_nvcc_options *out, const char *word) {
    if (!strcmp(word, "-pthread") || !strncmp(word, "-fopenmp", 8) || !strncmp(word, "-fsanitize=", 11))
        ls_list_push(arena, &out->link, word);
}

static void apply(ls_cli *cli, const row *r, const char *value, ls_nvcc_options *out) {
    ls_arena *arena = &cli->arena;
    switch (r->what) {
    case OUTPUT: out->output = value; break;
    case STEP: out->step = (ls_nvcc_step)r->number; break;
    case INCLUDE_DIR: ls_list_push(arena, &out->include_dirs, value); break;
    case DEFINE: ls_list_push(arena, &out->defines, value); break;
    case INCLUDE: ls_list_push(arena, &out->includes, value); break;
    case BOTH:
        ls_list_push(arena, &out->both, r->name);
        if (value) ls_list_push(arena, &out->both, value);
        break;
    case HOST: ls_list_push(arena, &out->host, r->name); break;
    case HOST_PAIR:
        ls_list_push(arena, &out->host, r->name);
        ls_list_push(arena, &out->host, value);
        break;
    case HOST_WORDS: {
        const uint32_t before = out->host.count;
        add_words(arena, &out->host, value);
        for (uint32_t k = before; k < out->host.count; k++) add_to_link(arena, out, out->host.items[k]);
        break;
    }
    case LINK: ls_list_push(arena, &out->link, r->name); break;
    case LINK_PAIR: ls_list_push(arena, &out->link, ls_arena_printf(arena, "%s%s", r->name, value)); break;
    case LINK_WORDS: ls_list_push(arena, &out->link, ls_arena_printf(arena, "-Wl,%s", value)); break;
    case LIBRARY: add_library(arena, out, value); break;
    case STANDARD: out->standard = value; break;
    case ARCH:
    case GENCODE: take_arch(arena, out, value); break;
    case LANGUAGE: out->language = value; break;
    case RUNTIME: out->no_runtime = !strcmp(value, "none"); break;
    case RELOCATABLE:
        out->relocatable = !value || !strcmp(value, "true");
        if (!value) out->step = (ls_nvcc_step)r->number;
        break;
    case FLAG_SHARED: out->shared = true; break;
    case FLAG_VERBOSE: out->verbose = true; break;
    case FLAG_DRY_RUN: out->dry_run = true; break;
    case CCCL: out->cccl = value; break;
    case OPTIONS_FILE:
    case LEFT_OUT:
    case REFUSED: break;
    }
}

enum { DEEPEST = 16 }; /* files of options within files of options */

static bool words_of_file(ls_cli *cli, const char *path, ls_list *words) {
    FILE *file = fopen(path, "rb");
    if (!file) return ls_cli_error(cli, "%s cannot be read: %s", path, strerror(errno)), false;
    ls_buf text = {0};
    char chunk[4096];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file));) ls_buf_add(&text, chunk, got);
    fclose(file);
    const char *at = ls_buf_text(&text);
    for (const char *word; (word = ls_word_next(&cli->arena, &at));) ls_list_push(&cli->arena, words, word);
    ls_buf_free(&text);
    return true;
}

/* -O2, -pthread, -Wall, -fopenmp, …: the host compiler's; `mixed`: any word, of both compilers. */
static bool take_other(ls_cli *cli, const char *word, bool mixed, ls_nvcc_options *out) {
    static const char *const BEGINNINGS[] = {"-W", "-O", "-f", "-m", "-pthread"};
    bool known = mixed;
    for (size_t i = 0; i < sizeof BEGINNINGS / sizeof *BEGINNINGS; i++)
        known = known || !strncmp(word, BEGINNINGS[i], strlen(BEGINNINGS[i]));
    if (!known)
        ls_cli_error(cli, "%s: `lockstep nvcc` does not know this option without NVIDIA's nvcc", word);
    ls_list_push(&cli->arena, mixed ? &out->both : &out->host, word);
    add_to_link(&cli->arena, out, word);
    return known;
}

static bool parse(ls_cli *cli, const ls_list *words, int depth, bool mixed, ls_nvcc_options *out) {
    for (uint32_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        bool is_option = *word == '-' && word[1];
        if (!is_option && !mixed) {
            ls_list_push(&cli->arena, &out->inputs, word);
            continue;
        }
        size_t length = 0;
        const row *r = is_option ? find_row(word, &length) : NULL;
        if (!r) {
            if (!take_other(cli, word, mixed, out)) return false;
            continue;
        }
        if (r->what == REFUSED) return ls_cli_error(cli, "%s: only NVIDIA's nvcc can do this", word), false;
        const char *value = NULL;
        if (r->value && word[length]) {
            value = word + length + (word[length] == '=');
        } else if (r->value) {
            if (++i == words->count) return ls_cli_error(cli, "%s needs a value", word), false;
            value = words->items[i];
        }
        if (r->what == OPTIONS_FILE) {
            ls_list more = {0};
            if (depth == DEEPEST) return ls_cli_error(cli, "%s names itself", value), false;
            if (!words_of_file(cli, value, &more) || !parse(cli, &more, depth + 1, mixed, out)) return false;
        }
        apply(cli, r, value, out);
    }
    return true;
}

static bool parse_all(ls_cli *cli, const ls_list *words, bool mixed, ls_nvcc_options *out) {
    *out = (ls_nvcc_options){.step = LS_NVCC_LINK};
    if (!parse(cli, words, 0, mixed, out)) return false;
    const char *latest = ls_arch_latest();
    if (out->arch && !ls_arch_features(out->arch) && ls_arch_is_later(out->arch, latest)) {
        fprintf(stderr, "lockstep %s: note: clang 19 does not know %s, so the code is compiled for %s\n",
                mixed ? "run" : "nvcc", out->arch, latest);
        out->arch = latest;
    }
    return true;
}

bool ls_nvcc_parse(ls_cli *cli, const ls_list *words, ls_nvcc_options *out) {
    return parse_all(cli, words, false, out);
}

bool ls_nvcc_parse_mixed(ls_cli *cli, const ls_list *words, ls_nvcc_options *out) {
    return parse_all(cli, words, true, out);
}
