/* What source text shows without being compiled: a lexer that skips comments, strings and directives, and a
 * reader of the declarations that start with __global__ or __kernel. Where a declaration is of a shape that
 * it does not know, it is left out; what was compiled is known from the PTX in any case. */
#include "frontend/source.h"

#include <ctype.h>
#include <string.h>

typedef struct {
    const char *start, *at;
    uint32_t line;
    const char *file;
    bool line_start;
    ls_arena *arena;
} lexer;

typedef struct {
    const char *text; /* start; a name, or one character */
    size_t length;    /* 0: the end */
    uint32_t line;
    const char *file;
} token;

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* `# 12 "file" 1` of preprocessed text; other directives are skipped whole, with their continuations. */
static void directive(lexer *lex) {
    const char *p = lex->at + 1;
    while (*p == ' ' || *p == '\t') p++;
    if (!strncmp(p, "line", 4)) p += 4;
    while (*p == ' ') p++;
    if (isdigit((unsigned char)*p)) {
        uint32_t line = (uint32_t)strtoul(p, NULL, 10);
        const char *quote = p + strcspn(p, "\"\n");
        if (*quote == '"') {
            size_t length = strcspn(quote + 1, "\"\n");
            lex->file = ls_arena_strndup(lex->arena, quote + 1, length);
        }
        lex->at += strcspn(lex->at, "\n");
        lex->line = line - 1; /* the newline that follows makes it `line` */
        return;
    }
    while (*lex->at && *lex->at != '\n') {
        if (lex->at[0] == '\\' && lex->at[1] == '\n') {
            lex->at++;
            lex->line++;
        }
        lex->at++;
    }
}

static void comment(lexer *lex) {
    if (lex->at[1] == '/') {
        lex->at += strcspn(lex->at, "\n");
        return;
    }
    for (lex->at += 2; *lex->at && !(lex->at[0] == '*' && lex->at[1] == '/'); lex->at++)
        if (*lex->at == '\n') lex->line++;
    if (*lex->at) lex->at += 2;
}

static void literal(lexer *lex) {
    char quote = *lex->at++;
    while (*lex->at && *lex->at != quote && *lex->at != '\n')
        lex->at += lex->at[0] == '\\' && lex->at[1] ? 2 : 1;
    if (*lex->at == quote) lex->at++;
}

/* 1'000 */
static bool digit_separator(const lexer *lex) {
    return lex->at > lex->start && isxdigit((unsigned char)lex->at[-1]);
}

static token next_token(lexer *lex) {
    for (;;) {
        char c = *lex->at;
        if (!c) return (token){lex->at, 0, lex->line, lex->file};
        if (c == '\n') {
            lex->line++;
            lex->line_start = true;
            lex->at++;
        } else if (isspace((unsigned char)c)) {
            lex->at++;
        } else if (c == '#' && lex->line_start) {
            directive(lex);
        } else if (c == '/' && (lex->at[1] == '/' || lex->at[1] == '*')) {
            comment(lex);
        } else if (c == '"' || (c == '\'' && !digit_separator(lex))) {
            lex->line_start = false;
            literal(lex);
        } else {
            lex->line_start = false;
            token result = {lex->at, 1, lex->line, lex->file};
            while (in_name(c) && in_name(lex->at[result.length])) result.length++;
            lex->at += result.length;
            return result;
        }
    }
}

static bool is(const token *t, const char *text) {
    return t->length == strlen(text) && !memcmp(t->text, text, t->length);
}

/* From just after an opening bracket to just after its partner. */
static void skip_group(lexer *lex, const char *open, const char *close) {
    for (int depth = 1; depth;) {
        token t = next_token(lex);
        if (!t.length) return;
        if (is(&t, open))
            depth++;
        else if (is(&t, close))
            depth--;
    }
}

static const char *const ATTRIBUTES[] = {"__launch_bounds__", "__attribute__",  "__cluster_dims__",
                                         "__declspec",        "__block_size__", "alignas",
                                         "__maxnreg__"};

static bool is_attribute(const token *t) {
    for (size_t i = 0; i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; i++)
        if (is(t, ATTRIBUTES[i])) return true;
    return false;
}

static bool is_type_word(const token *t) {
    static const char *const WORDS[] = {"void",  "bool", "char",   "short", "int",      "long",
                                        "float", "half", "double", "const", "unsigned", "signed"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (is(t, WORDS[i])) return true;
    return false;
}

/* The parameters, from just after '(' to just after its ')': of each, the last name before a ',' '[' or '='
 * outside of inner brackets, unless it is the only one there (then it is a type). */
static void parameters(lexer *lex, ls_source_kernel *kernel) {
    LS_VEC(const char *) names = {0};
    token name = {0};
    uint32_t words = 0, depth = 0;
    bool open = true, any = false;
    for (;;) {
        token t = next_token(lex);
        if (!t.length) break;
        bool ends = depth == 0 && (is(&t, ",") || is(&t, ")"));
        if (ends) {
            bool named = words > 1 && !is_type_word(&name);
            const char *text = named ? ls_arena_strndup(lex->arena, name.text, name.length) : NULL;
            if (any && !(words == 1 && is(&name, "void") && is(&t, ")"))) LS_VEC_PUSH(&names, text);
            if (is(&t, ")")) break;
            words = 0, open = true, any = false;
            continue;
        }
        any = true;
        if (depth == 0 && open && in_name(*t.text)) name = t, words++;
        if (is(&t, "*") || is(&t, "&")) words += words == 1; /* what follows is a name, if anything does */
        if (is(&t, "[") || is(&t, "=")) open = false;
        if (strchr("([<{", *t.text)) depth++;
        if (depth && strchr(")]>}", *t.text)) depth--;
    }
    kernel->parameter_count = names.length;
    kernel->parameters = LS_NEW_N(lex->arena, const char *, names.length + 1);
    if (names.length) memcpy(kernel->parameters, names.items, names.length * sizeof *names.items);
    LS_VEC_FREE(&names);
}

/* After __global__: `__launch_bounds__(…) void name<…>(…)` and then '{' or ';'. */
static bool declaration(lexer *lex, token name, ls_source_kernel *kernel) {
    bool arguments = false;
    for (;;) {
        token t = next_token(lex);
        if (!t.length || is(&t, ";") || is(&t, "{") || is(&t, "}")) return false;
        if (is_attribute(&t)) {
            t = next_token(lex);
            if (is(&t, "(")) skip_group(lex, "(", ")");
        } else if (is(&t, "<")) {
            skip_group(lex, "<", ">");
            arguments = true;
        } else if (is(&t, "(")) {
            break;
        } else if (in_name(*t.text)) {
            name = t;
        }
    }
    if (!name.length) return false;
    parameters(lex, kernel);
    token after = next_token(lex);
    while (is_attribute(&after)) {
        after = next_token(lex);
        if (is(&after, "(")) skip_group(lex, "(", ")");
        after = next_token(lex);
    }
    kernel->name = ls_arena_strndup(lex->arena, name.text, name.length);
    kernel->file = name.file;
    kernel->line = name.line;
    kernel->defined = is(&after, "{");
    kernel->is_instantiation = arguments;
    return kernel->defined || is(&after, ";");
}

void ls_source_scan(const char *text, ls_arena *arena, ls_source_kernels *kernels) {
    lexer lex = {text, text, 1, NULL, true, arena};
    bool is_template = false;
    for (;;) {
        token t = next_token(&lex);
        if (!t.length) return;
        if (is(&t, "template")) {
            is_template = true;
            t = next_token(&lex);
            if (is(&t, "<")) {
                skip_group(&lex, "<", ">");
                continue;
            }
        }
        if (is(&t, ";") || is(&t, "{") || is(&t, "}")) is_template = false;
        if (!is(&t, "__global__") && !is(&t, "__kernel") && !is(&t, "kernel")) continue;
        ls_source_kernel kernel = {.is_template = is_template};
        if (declaration(&lex, (token){0}, &kernel)) LS_VEC_PUSH(kernels, kernel);
        is_template = false;
    }
}

/* --- Enums --------------------------------------------------------------------------------------------- */

/* A plain number, with a sign, or one that is shifted; *after is what follows. false: something else. */
static bool number(lexer *lex, int64_t *value, token *after) {
    token t = next_token(lex);
    const bool negative = is(&t, "-");
    if (negative) t = next_token(lex);
    if (!t.length || !isdigit((unsigned char)*t.text)) return false;
    char *end;
    const uint64_t bits = strtoull(t.text, &end, 0);
    if (bits > UINT32_MAX) return false; /* more than enums have, mostly */
    *value = (int64_t)bits;
    while (end < t.text + t.length && strchr("uUlL", *end)) end++;
    if (end != t.text + t.length) return false;
    if (negative) *value = -*value;
    *after = next_token(lex);
    if (!is(after, "<")) return true;
    token second = next_token(lex), by = next_token(lex);
    if (!is(&second, "<") || !by.length || !isdigit((unsigned char)*by.text)) return false;
    const uint64_t shift = strtoull(by.text, NULL, 0);
    *after = next_token(lex);
    if (shift > 31 || *value < 0 || *value > UINT32_MAX) return false;
    *value <<= shift;
    return true;
}

/* From just after the '{'. */
static bool enumerators(lexer *lex, ls_source_enum *e) {
    int64_t next = 0;
    uint64_t seen = 0; /* bits, of the first 64 */
    uint32_t count = 0;
    for (;;) {
        token name = next_token(lex), after;
        if (is(&name, "}")) break;
        if (!name.length || !in_name(*name.text)) return false;
        after = next_token(lex);
        if (is(&after, "=") && !number(lex, &next, &after)) return false;
        if (!is(&after, ",") && !is(&after, "}")) return false;
        if (!count || next < e->least) e->least = next;
        if (!count || next > e->most) e->most = next;
        if (next >= 0 && next < 64) seen |= UINT64_C(1) << next;
        count++;
        next++;
        if (is(&after, "}")) break;
    }
    uint64_t between = e->most - e->least < 63 && e->least >= 0 && e->most < 64
                           ? ((UINT64_C(1) << (e->most - e->least + 1)) - 1) << e->least
                           : 0;
    e->has_gaps = !between || (seen & between) != between;
    return count != 0;
}

void ls_source_scan_enums(const char *text, ls_arena *arena, ls_source_enums *enums) {
    lexer lex = {text, text, 1, NULL, true, arena};
    for (token t = next_token(&lex); t.length; t = next_token(&lex)) {
        if (!is(&t, "enum")) continue;
        token name = next_token(&lex);
        if (is(&name, "class") || is(&name, "struct")) name = next_token(&lex);
        if (!name.length || !in_name(*name.text)) continue;
        token open = next_token(&lex);
        if (is(&open, ":"))
            while (open.length && !is(&open, "{") && !is(&open, ";")) open = next_token(&lex);
        if (!is(&open, "{")) continue;
        ls_source_enum e = {.name = ls_arena_strndup(arena, name.text, name.length)};
        e.known = enumerators(&lex, &e);
        for (uint32_t i = 0; i < enums->length; i++)
            if (!strcmp(enums->items[i].name, e.name)) enums->items[i].known = e.known = false;
        LS_VEC_PUSH(enums, e);
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

ls_source_traits ls_source_look(const char *text) {
    ls_source_traits traits = {
        .launches =
            strstr(text, "<<<") || strstr(text, "cudaLaunchKernel") || strstr(text, "cudaLaunchCooperative"),
        .local_includes = has_local_include(text),
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
    return strstr(text, "<<<") || strstr(text, "cudaLaunch");
}
