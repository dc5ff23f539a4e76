/* Launches in the text of a file: name<<<grid, block, shared, stream>>>. Nothing is compiled: a size is known
 * where it is arithmetic of numbers and of names that the text defines as such (#define N 256, const int N =
 * 256, dim3 block(16, 16)), and a name that is defined twice differently is not known. */
#include "frontend/launch_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *text; /* the whole file, comments and strings blanked out */
    ls_arena *arena;
    uint32_t depth; /* of names looked up while another is */
} reader;

enum { DEEPEST = 16 };

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Comments, strings and characters become spaces, so that positions stay. */
static char *blank(const char *text, ls_arena *arena) {
    char *out = ls_arena_strdup(arena, text);
    for (char *p = out; *p;) {
        char *start = p;
        if (p[0] == '/' && p[1] == '/') {
            while (*p && *p != '\n') p++;
        } else if (p[0] == '/' && p[1] == '*') {
            char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else if (*p == '"' || (*p == '\'' && (p == out || !isalnum((unsigned char)p[-1])))) {
            char quote = *p++;
            while (*p && *p != quote && *p != '\n') p += *p == '\\' && p[1] ? 2 : 1;
            if (*p == quote) p++;
        } else {
            p++;
            continue;
        }
        for (char *c = start; c < p; c++)
            if (*c != '\n') *c = ' ';
    }
    return out;
}

static const char *skip(const char *p) {
    while (isspace((unsigned char)*p) || (*p == '\\' && p[1] == '\n')) p++;
    return p;
}

/* --- Numbers ---------------------------------------------------------------------------------------------
 */

static bool expression(reader *r, const char **p, long long *value);

/* The next place where `name` stands as a word. */
static const char *find_word(const char *at, const char *name, size_t length) {
    for (; (at = strstr(at, name)); at += length)
        if (!in_name(at[length]) && (at[-1] == 0 || !in_name(at[-1]))) return at;
    return NULL;
}

/* What a word is defined as, where `at` is where it is: "#define N 256", "const int N = 256;". */
static const char *definition(const reader *r, const char *at, size_t length) {
    const char *line = at;
    while (line > r->text && line[-1] != '\n' && line[-1] != ';' && line[-1] != '{') line--;
    const char *first = skip(line), *after = at + length;
    if (*first == '#') {
        first = skip(first + 1);
        if (strncmp(first, "define", 6) || skip(first + 6) != at) return NULL;
        return *after == ' ' || *after == '\t' ? after : NULL;
    }
    size_t before = (size_t)(at - line);
    bool constant = memmem(line, before, "const ", 6) || memmem(line, before, "constexpr ", 10);
    after = skip(after);
    return constant && *after == '=' && after[1] != '=' ? after + 1 : NULL;
}

static bool defined(reader *r, const char *name, size_t length, long long *value) {
    const char *copy = ls_arena_strndup(r->arena, name, length);
    bool known = false;
    if (++r->depth > DEEPEST) return false;
    for (const char *at = r->text + 1; (at = find_word(at, copy, length)); at += length) {
        const char *p = definition(r, at, length);
        long long other;
        if (!p) continue;
        if (!expression(r, &p, &other) || (known && other != *value)) {
            r->depth--;
            return false;
        }
        known = true;
        *value = other;
    }
    r->depth--;
    return known;
}

static bool primary(reader *r, const char **p, long long *value) {
    *p = skip(*p);
    if (**p == '(') {
        ++*p;
        if (!expression(r, p, value)) return false;
        *p = skip(*p);
        return *(*p)++ == ')';
    }
    if (isdigit((unsigned char)**p)) {
        char *end;
        *value = strtoll(*p, &end, 0);
        while (*end && strchr("uUlL", *end)) end++;
        *p = end;
        return !in_name(*end) && *end != '.';
    }
    size_t length = 0;
    while (in_name((*p)[length])) length++;
    const char *name = *p;
    *p += length;
    const char *next = skip(*p);
    return length && *next != '(' && *next != '.' && *next != '[' && strncmp(next, "->", 2) &&
           strncmp(next, "::", 2) && defined(r, name, length, value);
}

static bool product(reader *r, const char **p, long long *value) {
    if (!primary(r, p, value)) return false;
    for (;;) {
        *p = skip(*p);
        char op = **p;
        long long other;
        if (op != '*' && op != '/' && op != '%') return true;
        ++*p;
        if (!primary(r, p, &other) || (op != '*' && other <= 0)) return false;
        if (op == '*' && __builtin_mul_overflow(*value, other, value)) return false;
        if (op == '/') *value /= other;
        if (op == '%') *value %= other;
    }
}

static bool sum(reader *r, const char **p, long long *value) {
    if (!product(r, p, value)) return false;
    for (;;) {
        *p = skip(*p);
        char op = **p;
        long long other;
        if (op != '+' && op != '-') return true;
        ++*p;
        if (!product(r, p, &other)) return false;
        if (op == '+' ? __builtin_add_overflow(*value, other, value)
                      : __builtin_sub_overflow(*value, other, value))
            return false;
    }
}

static bool expression(reader *r, const char **p, long long *value) {
    if (!sum(r, p, value)) return false;
    while (*p = skip(*p), !strncmp(*p, "<<", 2) && strncmp(*p, "<<<", 3)) {
        long long other;
        *p += 2;
        if (!sum(r, p, &other) || other < 0 || other > 31 || *value < 0 || *value > 0x7fffffff) return false;
        *value <<= other;
    }
    return true;
}

/* --- Sizes -----------------------------------------------------------------------------------------------
 */

/* "16, 16)" behind "dim3(". */
static bool three(reader *r, const char *p, ls_launch_size *size) {
    uint32_t part[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        long long value;
        if (!expression(r, &p, &value) || value < 1 || value > 0x7fffffff) return false;
        part[i] = (uint32_t)value;
        p = skip(p);
        if (*p == ')' || *p == '}') {
            *size = (ls_launch_size){part[0], part[1], part[2], true};
            return true;
        }
        if (*p++ != ',') return false;
    }
    return false;
}

/* A name that is declared once: dim3 block(16, 16), dim3 block = dim3(16, 16), and never written again. */
static bool declared(reader *r, const char *name, size_t length, ls_launch_size *size) {
    const char *copy = ls_arena_strndup(r->arena, name, length);
    int seen = 0;
    bool good = false;
    for (const char *at = r->text + 1; (at = find_word(at, copy, length)); at += length) {
        const char *after = skip(at + length), *before = at;
        while (before > r->text && isspace((unsigned char)before[-1])) before--;
        if (*after == '.' || (*after == '=' && after[1] != '=' && memcmp(before - 4, "dim3", 4)))
            return false;
        if (before - r->text < 5 || memcmp(before - 4, "dim3", 4)) continue;
        if (seen++) return false;
        if (*after == '=') after = skip(after + 1);
        if (!strncmp(after, "dim3", 4)) after = skip(after + 4);
        good = (*after == '(' || *after == '{') && three(r, after + 1, size);
    }
    return good && seen == 1;
}

static ls_launch_size size_of(reader *r, const char *from, const char *to) {
    ls_launch_size size = {0};
    char *text = ls_arena_strndup(r->arena, from, (size_t)(to - from));
    const char *p = skip(text);
    long long value;
    if (!strncmp(p, "dim3", 4) && !in_name(p[4])) {
        p = skip(p + 4);
        if (*p == '(' || *p == '{') three(r, p + 1, &size);
        return size;
    }
    const char *q = p;
    if (expression(r, &q, &value) && !*skip(q)) {
        if (value >= 1 && value <= 0x7fffffff) size = (ls_launch_size){(uint32_t)value, 1, 1, true};
        return size;
    }
    size_t length = 0;
    while (in_name(p[length])) length++;
    if (length && !*skip(p + length)) declared(r, p, length, &size);
    return size;
}

/* --- Launches --------------------------------------------------------------------------------------------
 */

/* The commas and the end of a list that starts at `p`; false where it does not end. */
static bool split(const char *p, const char *parts[5], int *count) {
    int depth = 0;
    parts[0] = p;
    *count = 1;
    for (; *p; p++) {
        if (!depth && !strncmp(p, ">>>", 3)) {
            parts[*count] = p;
            return true;
        }
        depth += *p == '(' || *p == '[' || *p == '{';
        depth -= *p == ')' || *p == ']' || *p == '}';
        if (*p == ';' || depth < 0) return false;
        if (*p == ',' && !depth) {
            if (*count == 4) return false;
            parts[(*count)++] = p + 1;
        }
    }
    return false;
}

/* The name that ends before `at`, template arguments left out. */
static const char *name_before(const reader *r, const char *at) {
    while (at > r->text && isspace((unsigned char)at[-1])) at--;
    if (at > r->text && at[-1] == '>') {
        int angles = 0, brackets = 0;
        do {
            at--;
            brackets += *at == ')';
            brackets -= *at == '(';
            angles += *at == '>' && !brackets;
            angles -= *at == '<' && !brackets;
        } while (at > r->text && (angles || brackets) && *at != ';' && *at != '{');
        while (at > r->text && isspace((unsigned char)at[-1])) at--;
    }
    const char *end = at;
    while (at > r->text && in_name(at[-1])) at--;
    return end > at && !isdigit((unsigned char)*at) ? ls_arena_strndup(r->arena, at, (size_t)(end - at))
                                                    : NULL;
}

void ls_launch_text(const char *text, const char *file, ls_arena *arena, ls_text_launches *launches) {
    char *lead = ls_arena_printf(arena, "\n%s", text); /* so that there is always something before a word */
    reader r = {.text = blank(lead, arena), .arena = arena};
    uint32_t line = 0;
    const char *counted = r.text;
    for (const char *at = r.text; (at = strstr(at, "<<<")); at += 3) {
        const char *parts[5];
        int count;
        const char *name = name_before(&r, at);
        if (!name || !split(at + 3, parts, &count) || count < 2) continue;
        for (; counted < at; counted++) line += *counted == '\n';
        ls_text_launch found = {.kernel = name};
        found.launch.file = file;
        found.launch.line = line;
        found.launch.grid = size_of(&r, parts[0], parts[1] - 1);
        found.launch.block = size_of(&r, parts[1], count > 2 ? parts[2] - 1 : parts[2]);
        long long bytes = 0;
        const char *p =
            count > 2 ? ls_arena_strndup(arena, parts[2], (size_t)(parts[3] - parts[2]) - (count > 3)) : "0";
        found.launch.shared_known =
            expression(&r, &p, &bytes) && !*skip(p) && bytes >= 0 && bytes < 0x7fffffff;
        if (found.launch.shared_known) found.launch.shared_bytes = (uint32_t)bytes;
        LS_VEC_PUSH_IN(arena, launches, found);
    }
}
