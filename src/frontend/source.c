/* What source text shows without being compiled: a reader of the declarations that start with __global__ or
 * __kernel. Where a declaration is of a shape that
 * it does not know, it is left out; what was compiled is known from the PTX in any case. */
#include "frontend/source.h"

#include "base/hash.h"
#include "frontend/lexer.h"

#include <ctype.h>
#include <string.h>

static const char *const ATTRIBUTES[] = {"__launch_bounds__", "__attribute__",  "__cluster_dims__",
                                         "__declspec",        "__block_size__", "alignas",
                                         "__maxnreg__"};

static bool is_attribute(const ls_token *t) {
    for (size_t i = 0; i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; i++)
        if (ls_token_is(t, ATTRIBUTES[i])) return true;
    return false;
}

static bool is_type_word(const ls_token *t) {
    static const char *const WORDS[] = {"void",  "bool", "char",   "short", "int",      "long",
                                        "float", "half", "double", "const", "unsigned", "signed"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (ls_token_is(t, WORDS[i])) return true;
    return false;
}

/* The parameters, from just after '(' to just after its ')': of each, the last name before a ',' '[' or '='
 * outside of inner brackets, unless it is the only one there (then it is a type). */
static void parameters(ls_lexer *lex, ls_source_kernel *kernel) {
    LS_VEC(const char *) names = {0};
    ls_token name = {0};
    uint32_t words = 0, depth = 0;
    bool open = true, any = false;
    for (;;) {
        ls_token t = ls_lexer_next(lex);
        if (!t.length) break;
        bool ends = depth == 0 && (ls_token_is(&t, ",") || ls_token_is(&t, ")"));
        if (ends) {
            bool named = words > 1 && !is_type_word(&name);
            const char *text = named ? ls_arena_strndup(lex->arena, name.text, name.length) : NULL;
            if (any && !(words == 1 && ls_token_is(&name, "void") && ls_token_is(&t, ")")))
                LS_VEC_PUSH(&names, text);
            if (ls_token_is(&t, ")")) break;
            words = 0, open = true, any = false;
            continue;
        }
        any = true;
        if (depth == 0 && open && ls_in_name(*t.text)) name = t, words++;
        if (ls_token_is(&t, "*") || ls_token_is(&t, "&"))
            words += words == 1; /* what follows is a name, if anything does */
        if (ls_token_is(&t, "[") || ls_token_is(&t, "=")) open = false;
        if (strchr("([<{", *t.text)) depth++;
        if (depth && strchr(")]>}", *t.text)) depth--;
    }
    kernel->parameter_count = names.length;
    kernel->parameters = LS_NEW_N(lex->arena, const char *, names.length + 1);
    if (names.length) memcpy(kernel->parameters, names.items, names.length * sizeof *names.items);
    LS_VEC_FREE(&names);
}

/* After __global__: `__launch_bounds__(…) void name<…>(…)` and then '{' or ';'. */
static bool declaration(ls_lexer *lex, ls_token name, ls_source_kernel *kernel) {
    bool arguments = false;
    for (;;) {
        ls_token t = ls_lexer_next(lex);
        if (!t.length || ls_token_is(&t, ";") || ls_token_is(&t, "{") || ls_token_is(&t, "}")) return false;
        if (is_attribute(&t)) {
            t = ls_lexer_next(lex);
            if (ls_token_is(&t, "(")) ls_lexer_skip(lex, "(", ")");
        } else if (ls_token_is(&t, "<")) {
            ls_lexer_skip(lex, "<", ">");
            arguments = true;
        } else if (ls_token_is(&t, "(")) {
            break;
        } else if (ls_in_name(*t.text)) {
            name = t;
        }
    }
    if (!name.length) return false;
    parameters(lex, kernel);
    ls_token after = ls_lexer_next(lex);
    while (is_attribute(&after)) {
        after = ls_lexer_next(lex);
        if (ls_token_is(&after, "(")) ls_lexer_skip(lex, "(", ")");
        after = ls_lexer_next(lex);
    }
    kernel->name = ls_arena_strndup(lex->arena, name.text, name.length);
    kernel->file = name.file;
    kernel->line = name.line;
    kernel->defined = ls_token_is(&after, "{");
    kernel->is_instantiation = arguments;
    return kernel->defined || ls_token_is(&after, ";");
}

void ls_source_scan(const char *text, ls_arena *arena, ls_source_kernels *kernels) {
    ls_lexer lex = ls_lexer_of(text, arena);
    bool is_template = false;
    for (;;) {
        ls_token t = ls_lexer_next(&lex);
        if (!t.length) return;
        if (ls_token_is(&t, "template")) {
            is_template = true;
            t = ls_lexer_next(&lex);
            if (ls_token_is(&t, "<")) {
                ls_lexer_skip(&lex, "<", ">");
                continue;
            }
        }
        if (ls_token_is(&t, ";") || ls_token_is(&t, "{") || ls_token_is(&t, "}")) is_template = false;
        if (!ls_token_is(&t, "__global__") && !ls_token_is(&t, "__kernel") && !ls_token_is(&t, "kernel"))
            continue;
        ls_source_kernel kernel = {.is_template = is_template};
        if (declaration(&lex, (ls_token){0}, &kernel)) LS_VEC_PUSH(kernels, kernel);
        is_template = false;
    }
}

/* --- Traits and language ------------------------------------------------------------------------------- */

static bool has_local_include(const char *text) {
    for (const char *p = text; (p = strstr(p, "#")); p++) {
        const char *word = p + 1 + strspn(p + 1, " \t");
        if (strncmp(word, "include", 7)) continue;
        word += 7 + strspn(word + 7, " \t");
        if (*word == '"' && strncmp(word, "\"lockstep.h\"", 12)) return true;
    }
    return false;
}

static const char *const ANNOTATIONS[] = {
    "__invariant",       "__requires",         "__ensures",       "__assert",
    "__assume",          "__global_invariant", "__global_assert", "__barrier_invariant",
    "__global_requires", "__candidate_",       "__function_wide_"};

/* Functions that come from a library on the device. */
static const char *const MATHEMATICS[] = {"sin",       "cos",       "tan",   "exp",     "log",   "pow",
                                          "cbrt",      "erf",       "gamma", "mod",     "hypot", "remquo",
                                          "remainder", "nextafter", "scalb", "normcdf", "curand"};

/* Names of math.h beside those. */
static const char *const C_MATH[] = {"sqrt",  "abs",      "floor",    "ceil",    "round", "rint", "trunc",
                                     "isnan", "isinf",    "isfinite", "signbit", "fma",   "fmin", "fdim",
                                     "M_",    "INFINITY", "NAN",      "HUGE",    "math"};
static const char *const TEXTURES[] = {"tex", "surf", "Tex", "Surf"};

static bool any(const char *text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strstr(text, words[i])) return true;
    return false;
}

/* Of a launch, with blanks between them or not (rewrite.h). */
static bool has_brackets(const char *text) {
    static const char *const brackets[] = {"<<<", "<< <", "< <<"};
    return any(text, brackets, sizeof brackets / sizeof *brackets);
}

ls_source_traits ls_source_look(const char *text) {
    ls_source_traits traits = {
        .launches =
            has_brackets(text) || strstr(text, "cudaLaunchKernel") || strstr(text, "cudaLaunchCooperative"),
        .local_includes = has_local_include(text),
        .breaks = strstr(text, "break") && (strstr(text, "sync") || strstr(text, "barrier")),
        .prints = strstr(text, "printf"),
        .groups = strstr(text, "cooperative_groups"),
        .random = strstr(text, "curandState"),
        .standard_names = strstr(text, "std::") || strstr(text, "namespace std"),
    };
    traits.annotations = any(text, ANNOTATIONS, sizeof ANNOTATIONS / sizeof *ANNOTATIONS);
    traits.mathematics =
        traits.local_includes || any(text, MATHEMATICS, sizeof MATHEMATICS / sizeof *MATHEMATICS);
    traits.c_math = traits.mathematics || any(text, C_MATH, sizeof C_MATH / sizeof *C_MATH);
    traits.textures = traits.local_includes || any(text, TEXTURES, sizeof TEXTURES / sizeof *TEXTURES);
    return traits;
}

static const struct {
    const char *suffix;
    ls_language language;
} SUFFIXES[] = {
    {".cu", LS_LANGUAGE_CUDA},    {".cuh", LS_LANGUAGE_CUDA},     {".cl", LS_LANGUAGE_OPENCL},
    {".ocl", LS_LANGUAGE_OPENCL}, {".clcpp", LS_LANGUAGE_OPENCL}, {".ptx", LS_LANGUAGE_PTX},
};

ls_language ls_language_of(const char *path, const char *text, size_t length) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    for (size_t i = 0; dot && i < sizeof SUFFIXES / sizeof *SUFFIXES; i++)
        if (!strcmp(dot, SUFFIXES[i].suffix)) return SUFFIXES[i].language;
    if (!text) return LS_LANGUAGE_AUTO;
    if (memmem(text, length, ".version", 8) && memmem(text, length, ".target", 7)) return LS_LANGUAGE_PTX;
    if (memmem(text, length, "__global__", 10)) return LS_LANGUAGE_CUDA;
    if (memmem(text, length, "__kernel", 8) || memmem(text, length, "kernel void", 11))
        return LS_LANGUAGE_OPENCL;
    return LS_LANGUAGE_AUTO;
}

bool ls_source_launches(const char *text) {
    return has_brackets(text) || strstr(text, "cudaLaunch");
}

/* --- Names --- */
static bool is_part(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *text, const char *word, size_t length) {
    for (const char *at = text; length && (at = memmem(at, strlen(at), word, length)); at++)
        if ((at == text || !is_part(at[-1])) && !is_part(at[length])) return true;
    return false;
}

bool ls_source_names(const char *text, const char *sought) {
    const bool launches = ls_source_launches(text);
    for (size_t length; *sought; sought += length + (sought[length] == '\n')) {
        length = strcspn(sought, "\n");
        if (*sought != '*' && has_word(text, sought, length)) return true;
        if (*sought == '*' && launches && memmem(text, strlen(text), sought + 1, length - 1)) return true;
    }
    return false;
}

uint64_t ls_source_sought(const char *text, const char *sought) {
    if (ls_source_names(text, sought)) return ls_hash_text(LS_HASH_START, text);
    uint64_t hash = LS_HASH_START;
    for (const char *at = text; (at = strchr(at, '#'));) {
        at += 1 + strspn(at + 1, " \t");
        if (!strncmp(at, "include", 7)) hash = ls_hash_add(hash, at, strcspn(at, "\n"));
    }
    return hash;
}
