/* PTX modules as one, on the level of their text: the statements of all of them one after another, with files
 * numbered anew, header lines once, declarations that are known already and repeated weak definitions left
 * out, and local names changed where another module has the same. */
#include "ptx/link.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "ptx/lexer.h"

#include <stdlib.h>
#include <string.h>

typedef enum { STATEMENT_OTHER, STATEMENT_HEADER, STATEMENT_FILE, STATEMENT_OBJECT } statement_kind;

typedef struct {
    statement_kind kind;
    const char *start, *end;
    const char *name; /* of an object: function or variable */
    uint32_t name_length;
    bool is_extern, is_global, is_weak; /* how it is linked: global is visible, weak or common */
    bool is_function, has_body;
} statement;

typedef struct {
    LS_VEC(statement) statements;
    uint32_t first_file; /* what is added to the numbers of its files */
} module;

typedef struct {
    ls_arena arena;
    module *modules;
    uint32_t count;
    ls_map owners; /* name → the module that defines it, + 1; or MANY */
    ls_map done;   /* names that were declared or defined in what was written */
    int version, target;
    const char *target_start, *target_end;
    ls_buf *out;
} linker;

#define MANY ((void *)(intptr_t)-1)

static bool is_text(const token *t, const char *text) {
    return t->length == strlen(text) && !memcmp(t->start, text, t->length);
}

/* --- Statements --- */
static const char *line_end(const char *at) {
    while (*at && *at != '\n') at++;
    return at;
}

/* "8.0" or "sm_90a": the number without the point, or behind the line. */
static int number_in(const char *at, const char *end) {
    int n = 0;
    for (; at < end; at++)
        if (*at >= '0' && *at <= '9')
            n = 10 * n + (*at - '0');
        else if (n && *at != '.')
            break;
    return n;
}

static bool is_line(const token *t) {
    return is_text(t, ".version") || is_text(t, ".target") || is_text(t, ".address_size") ||
           is_text(t, ".file");
}

static void note_link(statement *s, const token *t) {
    s->is_extern |= is_text(t, ".extern");
    s->is_weak |= is_text(t, ".weak");
    s->is_global |= is_text(t, ".visible") || is_text(t, ".weak") || is_text(t, ".common");
    s->is_function |= is_text(t, ".func") || is_text(t, ".entry");
    static const char *const spaces[] = {".func", ".entry", ".global", ".const", ".shared", ".tex"};
    for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++)
        if (is_text(t, spaces[k])) s->kind = STATEMENT_OBJECT;
}

/* Reads one statement from the token on; the lexer stands behind it then. */
static statement read_statement(lexer *lex, const token *first) {
    statement s = {.start = first->start};
    int depth = 0;
    for (token t = *first; t.kind != TOKEN_END; lexer_next(lex, &t)) {
        if (t.kind == TOKEN_DIRECTIVE && !depth) note_link(&s, &t);
        if (t.kind == TOKEN_IDENT && !depth && !s.name) s.name = t.start, s.name_length = t.length;
        s.end = t.start + t.length;
        if (t.kind != TOKEN_PUNCT) continue;
        if (t.op == '{' && !depth) s.has_body = true;
        if (t.op == '{' || t.op == '(' || t.op == '[') depth++;
        if (t.op == '}' || t.op == ')' || t.op == ']') depth--;
        if (!depth && t.op == ';') break;
        if (!depth && t.op == '}' && (s.is_function || s.kind == STATEMENT_OTHER)) break;
    }
    return s;
}

static void read_module(linker *l, module *m, const char *text) {
    lexer lex;
    token t;
    lexer_init(&lex, text, strlen(text));
    for (lexer_next(&lex, &t); t.kind != TOKEN_END; lexer_next(&lex, &t)) {
        if (t.kind == TOKEN_DIRECTIVE && is_line(&t)) {
            statement s = {.kind = is_text(&t, ".file") ? STATEMENT_FILE : STATEMENT_HEADER,
                           .start = t.start,
                           .end = line_end(t.start)};
            int n = number_in(t.start, s.end);
            if (is_text(&t, ".version") && n > l->version) l->version = n;
            if (is_text(&t, ".target") && n > l->target)
                l->target = n, l->target_start = s.start, l->target_end = s.end;
            LS_VEC_PUSH(&m->statements, s);
            lexer_init(&lex, s.end, strlen(s.end));
            continue;
        }
        statement s = read_statement(&lex, &t);
        LS_VEC_PUSH(&m->statements, s);
    }
}

/* --- Names --- */
static bool defines(const statement *s) {
    return s->kind == STATEMENT_OBJECT && s->name && !s->is_extern && (s->has_body || !s->is_function);
}

static void note_owners(linker *l, uint32_t n) {
    const module *m = &l->modules[n];
    for (uint32_t k = 0; k < m->statements.length; k++) {
        const statement *s = &m->statements.items[k];
        if (s->kind != STATEMENT_OBJECT || !s->name || (!defines(s) && !s->is_extern)) continue;
        void **owner =
            ls_map_at(&l->owners, ls_arena_strndup(&l->arena, s->name, s->name_length), s->name_length);
        void *mine = (void *)(uintptr_t)(n + 1);
        *owner = !*owner || *owner == mine ? mine : MANY;
    }
}

/* The names of the module that are its own and that others have as well. */
static void note_renamed(linker *l, const module *m, ls_map *renamed) {
    for (uint32_t k = 0; k < m->statements.length; k++) {
        const statement *s = &m->statements.items[k];
        if (!defines(s) || s->is_global || ls_map_get(&l->owners, s->name, s->name_length) != MANY) continue;
        *ls_map_at(renamed, ls_arena_strndup(&l->arena, s->name, s->name_length), s->name_length) = l;
    }
}

/* --- Writing --- */
static void write_statement(linker *l, const module *m, uint32_t n, const statement *s,
                            const ls_map *renamed) {
    const char *at = s->start;
    lexer lex;
    token t;
    bool file_next = false;
    lexer_init(&lex, s->start, (size_t)(s->end - s->start));
    for (lexer_next(&lex, &t); t.kind != TOKEN_END && t.kind != TOKEN_BAD && t.start < s->end;
         lexer_next(&lex, &t)) {
        bool label = t.kind == TOKEN_IDENT && t.length > 15 && !memcmp(t.start, "$L__info_string", 15);
        if (t.kind == TOKEN_INT && file_next) {
            ls_buf_add(l->out, at, (size_t)(t.start - at));
            ls_buf_printf(l->out, "%llu", (unsigned long long)(t.value + m->first_file));
            at = t.start + t.length;
        } else if (t.kind == TOKEN_IDENT && (label || ls_map_get(renamed, t.start, t.length))) {
            ls_buf_add(l->out, at, (size_t)(t.start + t.length - at));
            ls_buf_printf(l->out, "__%u", n + 1);
            at = t.start + t.length;
        }
        file_next = (t.kind == TOKEN_DIRECTIVE && (is_text(&t, ".loc") || is_text(&t, ".file"))) ||
                    (t.kind == TOKEN_IDENT && is_text(&t, "inlined_at"));
    }
    ls_buf_add(l->out, at, (size_t)(s->end - at));
    ls_buf_putc(l->out, '\n');
}

/* Whether it was there before: a declaration of what is known, or one more weak definition. */
static bool is_repeated(linker *l, const statement *s, bool renamed) {
    if (s->kind != STATEMENT_OBJECT || !s->name || renamed) return false;
    void **known = ls_map_at(&l->done, ls_arena_strndup(&l->arena, s->name, s->name_length), s->name_length);
    enum { DECLARED = 1, DEFINED = 2 };
    const intptr_t before = (intptr_t)*known;
    const bool definition = defines(s);
    if (definition ? s->is_weak && before == DEFINED : before != 0) return true;
    *known = (void *)(intptr_t)(definition || before == DEFINED ? DEFINED : DECLARED);
    return false;
}

static void write_module(linker *l, uint32_t n) {
    const module *m = &l->modules[n];
    ls_map renamed = {0};
    note_renamed(l, m, &renamed);
    for (uint32_t k = 0; k < m->statements.length; k++) {
        const statement *s = &m->statements.items[k];
        if (s->kind == STATEMENT_HEADER) continue;
        if (!is_repeated(l, s, s->name && ls_map_get(&renamed, s->name, s->name_length)))
            write_statement(l, m, n, s, &renamed);
    }
    ls_map_free(&renamed);
}

static uint32_t largest_file(const module *m) {
    uint32_t most = 0;
    for (uint32_t k = 0; k < m->statements.length; k++) {
        const statement *s = &m->statements.items[k];
        if (s->kind != STATEMENT_FILE) continue;
        uint32_t n = (uint32_t)strtoul(s->start + strlen(".file"), NULL, 10);
        if (n > most) most = n;
    }
    return most;
}

void ls_ptx_link(const char *const *texts, uint32_t count, ls_buf *out) {
    linker l = {.count = count, .out = out};
    ls_arena_init(&l.arena);
    l.modules = LS_NEW_N(&l.arena, module, count);
    for (uint32_t n = 0; n < count; n++) {
        read_module(&l, &l.modules[n], texts[n]);
        note_owners(&l, n);
        if (n) l.modules[n].first_file = l.modules[n - 1].first_file + largest_file(&l.modules[n - 1]);
    }
    ls_buf_printf(out, ".version %d.%d\n%.*s\n.address_size 64\n", l.version / 10, l.version % 10,
                  (int)(l.target_end - l.target_start), l.target_start);
    for (uint32_t n = 0; n < count; n++) write_module(&l, n);
    for (uint32_t n = 0; n < count; n++) LS_VEC_FREE(&l.modules[n].statements);
    ls_map_free(&l.owners);
    ls_map_free(&l.done);
    ls_arena_free(&l.arena);
}

/* --- Problems --- */
bool ls_ptx_is_built_in(const char *name) {
    static const char *const known[] = {"vprintf", "malloc", "free", "__assertfail", "__lockstep_", "cuda"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strncmp(name, known[k], strlen(known[k]))) return true;
    return false;
}

/* Shared memory whose size the launch gives is declared, and nowhere defined. */
static bool is_shared(const statement *s) {
    lexer lex;
    token t;
    lexer_init(&lex, s->start, (size_t)(s->end - s->start));
    for (lexer_next(&lex, &t); t.kind == TOKEN_DIRECTIVE; lexer_next(&lex, &t))
        if (is_text(&t, ".shared")) return true;
    return false;
}

void ls_ptx_link_check(const char *const *texts, uint32_t count,
                       void (*tell)(void *context, ls_link_problem problem, const char *name),
                       void *context) {
    enum { USED = 1, WEAK = 2, ONCE = 4, TOLD = 8 };
    linker l = {.count = count};
    ls_map names = {0};
    LS_VEC(const char *) used = {0};
    ls_arena_init(&l.arena);
    l.modules = LS_NEW_N(&l.arena, module, count);
    for (uint32_t n = 0; n < count; n++) {
        read_module(&l, &l.modules[n], texts[n]);
        for (uint32_t k = 0; k < l.modules[n].statements.length; k++) {
            const statement *s = &l.modules[n].statements.items[k];
            const bool definition = defines(s) && s->is_global;
            if (s->kind != STATEMENT_OBJECT || !s->name || (!definition && !s->is_extern) || is_shared(s))
                continue;
            const char *name = ls_arena_strndup(&l.arena, s->name, s->name_length);
            void **at = ls_map_at(&names, name, s->name_length);
            intptr_t known = (intptr_t)*at;
            if (definition && !s->is_weak && (known & ONCE) && !(known & TOLD)) {
                tell(context, LS_LINK_SEVERAL, name);
                known |= TOLD;
            }
            if (!definition && !(known & USED)) LS_VEC_PUSH(&used, name);
            *at = (void *)(known | (!definition ? USED : s->is_weak ? WEAK : ONCE));
        }
        LS_VEC_FREE(&l.modules[n].statements);
    }
    for (uint32_t k = 0; k < used.length; k++) {
        const intptr_t known = (intptr_t)ls_map_get(&names, used.items[k], strlen(used.items[k]));
        if (!(known & (WEAK | ONCE)) && !ls_ptx_is_built_in(used.items[k]))
            tell(context, LS_LINK_UNDEFINED, used.items[k]);
    }
    LS_VEC_FREE(&used);
    ls_map_free(&names);
    ls_arena_free(&l.arena);
}
