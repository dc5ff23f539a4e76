/* The text form of µ-SIMD (003, Figure 3): declarations, then one instruction a line (or after ';'), each
 * with labels before it where something jumps there.
 *
 *     program     = { [ declaration | { label ":" } instruction ] ( newline | ";" ) }
 *     declaration = "threads" n | "memory" n [ "=" ( c | "{" c { "," c } "}" ) ] | "input" v "=" c { "," v
 * "=" c } instruction = ( "bz" | "bnz" ) v "," label | "jump" label | "sync" | "stop" | "↑" o "=" o | "[" o
 * "]" "=" o | v "=" "↓" o | v "=" "[" o "]" | v "←a" o "+" "1" | v "=" o | v "=" o op o | v "=" ( "min" |
 * "max" ) "(" o "," o ")"
 */
#include "base/map.h"
#include "base/recover.h"
#include "base/vec.h"
#include "usimd/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ERRORS = 20 };

/* --- Words -------------------------------------------------------------------------------------------------
 */
typedef enum { TOKEN_END, TOKEN_LINE, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SIGN, TOKEN_BAD } token_kind;

typedef struct {
    token_kind kind;
    const char *text; /* of a sign: its ASCII form */
    uint32_t length;
    int64_t number;
    uint32_t line, column;
} token;

typedef struct {
    uint32_t instr; /* that jumps there */
    token at;
} jump;

typedef struct {
    ls_usimd *p;
    const char *next, *end, *line_start;
    uint32_t line, braces;
    token now;
    ls_diags *diags;
    uint32_t errors;
    bool failed; /* the statement being read */
    ls_map variables, labels;
    LS_VEC(instr) instrs;
    LS_VEC(variable) names;
    LS_VEC(usimd_label) at;
    LS_VEC(jump) jumps;
} parser;

/* Longest first. What is written in the paper and what stands for it. */
static const struct {
    const char *text, *ascii;
} signs[] = {{"←a", "<-a"}, {"<-a", "<-a"}, {"↑", "up"},  {"↓", "down"}, {"×", "*"},   {"≤", "<="},
             {"≥", ">="},   {"≠", "!="},    {"−", "-"},   {"<<", "<<"},  {">>", ">>"}, {"<=", "<="},
             {">=", ">="},  {"==", "=="},   {"!=", "!="}, {"=", "="},    {":", ":"},   {",", ","},
             {"[", "["},    {"]", "]"},     {"{", "{"},   {"}", "}"},    {"(", "("},   {")", ")"},
             {"+", "+"},    {"-", "-"},     {"*", "*"},   {"/", "/"},    {"%", "%"},   {"&", "&"},
             {"|", "|"},    {"^", "^"},     {"<", "<"},   {">", ">"}};

static const char *const reserved[] = {"bz",      "bnz",    "jump",  "sync", "stop", "min",  "max",
                                       "threads", "memory", "input", "tid",  "Tid",  "T_id", NULL};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void error(parser *s, const token *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void error(parser *s, const token *at, const char *format, ...) {
    if (!s->failed && s->errors++ < MOST_ERRORS) {
        char message[256];
        va_list args;
        va_start(args, format);
        vsnprintf(message, sizeof message, format, args);
        va_end(args);
        ls_diags_add(s->diags, LS_ERROR, s->p->file, at->line, at->column, "%s", message);
    }
    s->failed = true;
}

static void new_line(parser *s) {
    s->line++;
    s->line_start = s->next;
}

/* Blanks and comments; true where a comment has no end. */
static bool skip_blanks(parser *s) {
    for (; s->next < s->end; s->next++) {
        bool two = s->next + 1 < s->end;
        if (two && s->next[0] == '/' && s->next[1] == '/') {
            while (s->next < s->end && *s->next != '\n') s->next++;
        } else if (two && s->next[0] == '/' && s->next[1] == '*') {
            for (s->next += 2;; s->next++) {
                if (s->next + 1 >= s->end) return s->next = s->end, true;
                if (s->next[0] == '*' && s->next[1] == '/') break;
                if (*s->next == '\n') s->line++, s->line_start = s->next + 1;
            }
            s->next++;
            continue;
        }
        if (s->next == s->end) break;
        if (s->braces && *s->next == '\n')
            s->line++, s->line_start = s->next + 1;
        else if (*s->next != ' ' && *s->next != '\t' && *s->next != '\r')
            break;
    }
    return false;
}

static void read_number(parser *s) {
    bool hex = s->end - s->next > 2 && s->next[0] == '0' && (s->next[1] | 32) == 'x';
    const char *start = s->next;
    int64_t n = 0;
    bool bad = false;
    for (s->next += hex ? 2 : 0; s->next < s->end && (is_letter(*s->next) || is_digit(*s->next)); s->next++) {
        int lower = *s->next | 32;
        int digit = is_digit(*s->next)             ? *s->next - '0'
                    : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                   : 16;
        bad |= digit >= (hex ? 16 : 10);
        if (n <= UINT32_MAX) n = n * (hex ? 16 : 10) + digit;
    }
    s->now.kind = bad ? TOKEN_BAD : TOKEN_NUMBER;
    s->now.text = start;
    s->now.length = (uint32_t)(s->next - start);
    s->now.number = n;
}

static void read_sign(parser *s) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t length = strlen(signs[i].text);
        if ((size_t)(s->end - s->next) < length || memcmp(s->next, signs[i].text, length) != 0) continue;
        s->now.kind = TOKEN_SIGN;
        s->now.text = signs[i].ascii;
        s->now.length = (uint32_t)strlen(signs[i].ascii);
        s->next += length;
        return;
    }
    s->now.kind = TOKEN_BAD;
    s->now.text = s->next++;
    while (s->next < s->end && (*s->next & 0xC0) == 0x80) s->next++;
    s->now.length = (uint32_t)(s->next - s->now.text);
}

static void advance(parser *s) {
    bool open = skip_blanks(s);
    s->now = (token){.text = s->next, .line = s->line, .column = (uint32_t)(s->next - s->line_start) + 1};
    if (open) {
        s->failed = false;
        error(s, &s->now, "a comment has no end: expected '*/'");
    }
    if (s->next >= s->end) return;
    if (*s->next == '\n' || *s->next == ';') {
        s->now.kind = TOKEN_LINE;
        s->now.length = 1;
        if (*s->next++ == '\n') new_line(s);
    } else if (is_letter(*s->next)) {
        while (s->next < s->end && (is_letter(*s->next) || is_digit(*s->next))) s->next++;
        s->now.kind = TOKEN_NAME;
        s->now.length = (uint32_t)(s->next - s->now.text);
    } else if (is_digit(*s->next)) {
        read_number(s);
    } else {
        read_sign(s);
    }
}

static bool is_text(const token *t, const char *text) {
    return (t->kind == TOKEN_NAME || t->kind == TOKEN_SIGN) && t->length == strlen(text) &&
           memcmp(t->text, text, t->length) == 0;
}

static bool take(parser *s, const char *text) {
    if (!is_text(&s->now, text)) return false;
    advance(s);
    return true;
}

static void unexpected(parser *s, const char *expected) {
    const token *t = &s->now;
    if (t->kind == TOKEN_END)
        error(s, t, "expected %s, not the end of the file", expected);
    else if (t->kind == TOKEN_LINE)
        error(s, t, "expected %s, not the end of the %s", expected, *t->text == ';' ? "instruction" : "line");
    else if (t->kind == TOKEN_BAD && (unsigned char)*t->text < 32)
        error(s, t, "expected %s, not a byte %u", expected, (unsigned char)*t->text);
    else
        error(s, t, "expected %s, not '%.*s'", expected, t->length > 40 ? 40 : (int)t->length, t->text);
}

static void expect(parser *s, const char *sign) {
    char quoted[16];
    snprintf(quoted, sizeof quoted, "'%s'", sign);
    if (!take(s, sign)) unexpected(s, quoted);
}

/* --- Names, numbers, operands ------------------------------------------------------------------------------
 */
static bool is_reserved(const token *t) {
    for (uint32_t i = 0; reserved[i]; i++)
        if (is_text(t, reserved[i])) return true;
    return false;
}

static bool is_tid(const token *t) {
    return is_text(t, "tid") || is_text(t, "Tid") || is_text(t, "T_id");
}

static token take_name(parser *s, const char *what) {
    token name = s->now;
    if (name.kind != TOKEN_NAME)
        unexpected(s, what);
    else if (is_reserved(&name))
        error(s, &name, "expected %s: '%.*s' is a word of the language", what, (int)name.length, name.text);
    else if (name.length > 64)
        error(s, &name, "a name is longer than 64 characters");
    else
        advance(s);
    return name;
}

static uint32_t variable_of(parser *s, const token *name) {
    if (s->failed) return 0;
    void **slot = ls_map_at(&s->variables, name->text, name->length);
    if (!*slot) {
        if (s->names.length == MOST_VARIABLES) {
            error(s, name, "more than %d variables", MOST_VARIABLES);
            return 0;
        }
        variable v = {.name = ls_arena_strndup(&s->p->arena, name->text, name->length)};
        LS_VEC_PUSH(&s->names, v);
        *slot = (void *)(uintptr_t)s->names.length;
    }
    return (uint32_t)(uintptr_t)*slot - 1;
}

static int32_t take_constant(parser *s) {
    token at = s->now;
    bool minus = take(s, "-");
    int64_t n = s->now.number;
    if (s->now.kind != TOKEN_NUMBER) {
        unexpected(s, "a number");
        return 0;
    }
    if (minus) n = -n;
    if (n < INT32_MIN || n > INT32_MAX)
        error(s, &at, "the number does not fit in 32 bits (%d … %d)", INT32_MIN, INT32_MAX);
    advance(s);
    return s->failed ? 0 : (int32_t)n;
}

static uint32_t take_count(parser *s, uint32_t least, uint32_t most, const char *what) {
    token at = s->now;
    int32_t n = take_constant(s);
    if (!s->failed && (n < (int32_t)least || n > (int32_t)most))
        error(s, &at, "expected %u to %u %s", least, most, what);
    return s->failed ? 0 : (uint32_t)n;
}

static operand take_operand(parser *s) {
    if (s->now.kind == TOKEN_NUMBER || is_text(&s->now, "-"))
        return (operand){OPERAND_CONSTANT, take_constant(s)};
    if (is_tid(&s->now)) {
        advance(s);
        return (operand){OPERAND_TID, 0};
    }
    if (s->now.kind != TOKEN_NAME) {
        unexpected(s, "a variable or a number");
        return (operand){0};
    }
    token name = take_name(s, "a variable or a number");
    return (operand){OPERAND_VARIABLE, (int32_t)variable_of(s, &name)};
}

/* --- Instructions ------------------------------------------------------------------------------------------
 */
static void take_target(parser *s) {
    jump j = {s->instrs.length, take_name(s, "a label")};
    if (!s->failed) LS_VEC_PUSH(&s->jumps, j);
}

static void read_branch(parser *s, instr *i) {
    i->kind = is_text(&s->now, "bz") ? INSTR_BZ : INSTR_BNZ;
    advance(s);
    if (s->now.kind == TOKEN_NUMBER) unexpected(s, "a variable");
    i->a = take_operand(s);
    expect(s, ",");
    if (!s->failed) take_target(s);
}

static void read_jump(parser *s, instr *i) {
    i->kind = INSTR_JUMP;
    advance(s);
    take_target(s);
}

static void read_store(parser *s, instr *i) {
    i->kind = INSTR_STORE;
    bool bracket = is_text(&s->now, "[");
    advance(s);
    i->a = take_operand(s);
    if (bracket) expect(s, "]");
    expect(s, "=");
    i->b = take_operand(s);
}

static void read_sync(parser *s, instr *i) {
    i->kind = INSTR_SYNC;
    advance(s);
}

static void read_stop(parser *s, instr *i) {
    i->kind = INSTR_STOP;
    advance(s);
}

static bool take_binary(parser *s, binary *op) {
    for (uint32_t k = 0; k < BINARY_COUNT; k++) {
        if (s->now.kind != TOKEN_SIGN || !is_text(&s->now, usimd_binaries[k].text)) continue;
        *op = (binary)k;
        advance(s);
        return true;
    }
    return false;
}

static void read_value(parser *s, instr *i) {
    bool bracket = is_text(&s->now, "[");
    if (bracket || is_text(&s->now, "down")) {
        i->kind = INSTR_LOAD;
        advance(s);
        i->a = take_operand(s);
        if (bracket) expect(s, "]");
    } else if (is_text(&s->now, "min") || is_text(&s->now, "max")) {
        i->kind = INSTR_BINARY;
        i->op = is_text(&s->now, "min") ? BINARY_MIN : BINARY_MAX;
        advance(s);
        expect(s, "(");
        i->a = take_operand(s);
        expect(s, ",");
        i->b = take_operand(s);
        expect(s, ")");
    } else {
        i->a = take_operand(s);
        i->kind = take_binary(s, &i->op) ? INSTR_BINARY : INSTR_COPY;
        if (i->kind == INSTR_BINARY) i->b = take_operand(s);
    }
}

static void read_assignment(parser *s, instr *i) {
    if (is_tid(&s->now)) error(s, &s->now, "'%.*s' cannot be assigned", (int)s->now.length, s->now.text);
    token name = take_name(s, "an instruction, a label or a declaration");
    i->dst = variable_of(s, &name);
    if (take(s, "<-a")) {
        i->kind = INSTR_ATOMIC;
        bool bracket = take(s, "[");
        i->a = take_operand(s);
        if (bracket) expect(s, "]");
        expect(s, "+");
        if (s->now.kind != TOKEN_NUMBER || s->now.number != 1)
            unexpected(s, "1 (only an atomic increment is there)");
        else
            advance(s);
    } else if (take(s, "=")) {
        read_value(s, i);
    } else {
        unexpected(s, "'=', '←a' or ':'");
    }
}

static const struct {
    const char *word;
    void (*read)(parser *, instr *);
} instructions[] = {{"bz", read_branch}, {"bnz", read_branch}, {"jump", read_jump}, {"sync", read_sync},
                    {"stop", read_stop}, {"up", read_store},   {"[", read_store}};

static void read_instruction(parser *s) {
    instr i = {.line = s->now.line, .column = s->now.column};
    void (*read)(parser *, instr *) = read_assignment;
    for (size_t k = 0; k < sizeof instructions / sizeof *instructions; k++)
        if (is_text(&s->now, instructions[k].word)) read = instructions[k].read;
    if (s->instrs.length == MOST_INSTRS) error(s, &s->now, "more than %d instructions", MOST_INSTRS);
    read(s, &i);
    if (!s->failed) LS_VEC_PUSH(&s->instrs, i);
}

/* A label where a name and ':' stand; else nothing is read. */
static bool take_label(parser *s) {
    if (s->now.kind != TOKEN_NAME || is_reserved(&s->now)) return false;
    parser saved = *s;
    token name = s->now;
    advance(s);
    if (!take(s, ":")) {
        s->next = saved.next;
        s->line = saved.line;
        s->line_start = saved.line_start;
        s->now = saved.now;
        return false;
    }
    void **slot = ls_map_at(&s->labels, name.text, name.length);
    if (*slot)
        error(s, &name, "there is a label '%.*s' already", (int)(name.length > 64 ? 64 : name.length),
              name.text);
    usimd_label l = {ls_arena_strndup(&s->p->arena, name.text, name.length), s->instrs.length};
    LS_VEC_PUSH(&s->at, l);
    *slot = (void *)(uintptr_t)s->at.length;
    return true;
}

/* --- Declarations ------------------------------------------------------------------------------------------
 */
static void read_threads(parser *s) {
    s->p->threads = take_count(s, 1, LS_USIMD_THREADS, "threads");
}

static void read_memory(parser *s) {
    ls_usimd *p = s->p;
    p->memory_size = take_count(s, 1, MOST_MEMORY, "cells");
    if (s->failed) return;
    p->initial = LS_NEW_N(&p->arena, int32_t, p->memory_size);
    if (!take(s, "=")) return;
    if (!is_text(&s->now, "{")) {
        int32_t all = take_constant(s);
        for (uint32_t i = 0; i < p->memory_size; i++) p->initial[i] = all;
        return;
    }
    s->braces++;
    advance(s);
    for (uint32_t n = 0; !s->failed;) {
        token at = s->now;
        int32_t value = take_constant(s);
        if (n == p->memory_size) error(s, &at, "more values than the %u cells of the memory", n);
        if (!s->failed) p->initial[n++] = value;
        if (!take(s, ",")) break;
    }
    s->braces = 0;
    expect(s, "}");
}

static void read_input(parser *s) {
    do {
        token name = take_name(s, "the name of an input");
        uint32_t v = variable_of(s, &name);
        if (!s->failed && s->names.items[v].is_input)
            error(s, &name, "there is an input '%s' already", s->names.items[v].name);
        expect(s, "=");
        int32_t value = take_constant(s);
        if (s->failed) return;
        s->names.items[v].is_input = true;
        s->names.items[v].value = value;
    } while (take(s, ","));
}

static const struct {
    const char *word;
    void (*read)(parser *);
} declarations[] = {{"threads", read_threads}, {"memory", read_memory}, {"input", read_input}};

static bool read_declaration(parser *s) {
    for (size_t k = 0; k < sizeof declarations / sizeof *declarations; k++) {
        if (!is_text(&s->now, declarations[k].word)) continue;
        if (s->instrs.length || s->at.length)
            error(s, &s->now, "declarations stand before the first instruction");
        if (k < 2 && (k ? s->p->memory_size : s->p->threads))
            error(s, &s->now, "'%s' was declared already", declarations[k].word);
        advance(s);
        declarations[k].read(s);
        return true;
    }
    return false;
}

/* --- The whole ---------------------------------------------------------------------------------------------
 */
static void skip_statement(parser *s) {
    s->braces = 0;
    while (s->now.kind != TOKEN_LINE && s->now.kind != TOKEN_END) advance(s);
    s->failed = false;
}

static void read_statements(parser *s) {
    for (advance(s); s->now.kind != TOKEN_END && s->errors < MOST_ERRORS;) {
        if (s->now.kind == TOKEN_LINE) {
            advance(s);
            continue;
        }
        if (!read_declaration(s)) {
            while (!s->failed && take_label(s)) continue;
            if (!s->failed && s->now.kind != TOKEN_LINE && s->now.kind != TOKEN_END) read_instruction(s);
        }
        if (!s->failed && s->now.kind != TOKEN_LINE && s->now.kind != TOKEN_END)
            unexpected(s, "the end of the line or ';'");
        if (s->failed) skip_statement(s);
    }
}

static void resolve_jumps(parser *s) {
    for (uint32_t i = 0; i < s->jumps.length; i++) {
        const token *at = &s->jumps.items[i].at;
        uint32_t found = (uint32_t)(uintptr_t)ls_map_get(&s->labels, at->text, at->length);
        s->failed = false;
        if (!found)
            error(s, at, "there is no label '%.*s'", (int)at->length, at->text);
        else
            s->instrs.items[s->jumps.items[i].instr].target = s->at.items[found - 1].instr;
    }
}

/* Reads of variables that nothing writes: programs are strict (003 §3.4). */
static void check_assigned(parser *s) {
    bool *assigned = LS_NEW_N(&s->p->arena, bool, s->names.length + 1);
    for (uint32_t v = 0; v < s->names.length; v++) assigned[v] = s->names.items[v].is_input;
    for (uint32_t i = 0; i < s->instrs.length; i++)
        if (writes_variable(&s->instrs.items[i])) assigned[s->instrs.items[i].dst] = true;
    for (uint32_t i = 0; i < s->instrs.length; i++) {
        const instr *at = &s->instrs.items[i];
        const operand *operands[] = {&at->a, &at->b};
        for (uint32_t k = 0; k < 2; k++) {
            if (operands[k]->kind != OPERAND_VARIABLE || assigned[operands[k]->value]) continue;
            token t = {.line = at->line, .column = at->column};
            s->failed = false;
            error(s, &t, "nothing gives '%s' a value: expected an assignment or 'input %s = …'",
                  s->names.items[operands[k]->value].name, s->names.items[operands[k]->value].name);
            assigned[operands[k]->value] = true; /* once is enough */
        }
    }
}

static void check_end(parser *s) {
    token end = {.line = s->line, .column = (uint32_t)(s->next - s->line_start) + 1};
    s->failed = false;
    if (s->at.length && s->at.items[s->at.length - 1].instr == s->instrs.length)
        error(s, &end, "expected an instruction after label '%s'", s->at.items[s->at.length - 1].name);
    s->failed = false;
    if (!s->instrs.length) {
        error(s, &end, "expected an instruction, not the end of the file");
        return;
    }
    const instr *last = &s->instrs.items[s->instrs.length - 1];
    if (last->kind != INSTR_STOP && last->kind != INSTR_JUMP)
        error(s, &end, "execution would run past the last instruction: expected 'stop' or 'jump'");
}

static void keep(parser *s) {
    ls_usimd *p = s->p;
#define KEEP(to, count, vec)                                                                                 \
    do {                                                                                                     \
        (count) = (vec).length;                                                                              \
        (to) = ls_arena_alloc(&p->arena, (vec).length * sizeof *(to) + 1);                                   \
        if ((vec).length) memcpy((to), (vec).items, (vec).length * sizeof *(to));                            \
    } while (0)
    KEEP(p->instrs, p->instr_count, s->instrs);
    KEEP(p->labels, p->label_count, s->at);
    KEEP(p->variables, p->variable_count, s->names);
#undef KEEP
    p->label_of = LS_NEW_N(&p->arena, const usimd_label *, p->instr_count + 1);
    for (uint32_t i = p->label_count; i-- > 0;) p->label_of[p->labels[i].instr] = &p->labels[i];
    if (p->memory_size) return;
    p->memory_size = DEFAULT_MEMORY;
    p->initial = LS_NEW_N(&p->arena, int32_t, p->memory_size);
}

static ls_usimd *parse_program(const char *text, size_t length, const char *file, ls_diags *diags) {
    ls_usimd *p = ls_xmalloc(sizeof *p);
    *p = (ls_usimd){0};
    ls_arena_init(&p->arena);
    p->file = ls_arena_strdup(&p->arena, file);
    parser s = {.p = p, .next = text, .end = text + length, .line_start = text, .line = 1, .diags = diags};
    read_statements(&s);
    if (s.errors < MOST_ERRORS) resolve_jumps(&s);
    if (!s.errors) check_assigned(&s); /* a statement that was not understood may be what is missing */
    if (!s.errors) check_end(&s);
    if (!s.errors) keep(&s);
    ls_map_free(&s.variables);
    ls_map_free(&s.labels);
    LS_VEC_FREE(&s.instrs);
    LS_VEC_FREE(&s.names);
    LS_VEC_FREE(&s.at);
    LS_VEC_FREE(&s.jumps);
    if (!s.errors) return p;
    ls_usimd_free(p);
    return NULL;
}

ls_usimd *ls_usimd_parse(const char *text, size_t length, const char *file, ls_diags *diags) {
    LS_GUARDED((ls_diags_no_memory(diags), NULL), parse_program(text, length, file, diags));
}

void ls_usimd_free(ls_usimd *p) {
    if (!p) return;
    ls_arena_free(&p->arena);
    free(p);
}
