/* Types that source text declares (frontend/types.h). A structure counts only where nothing can make it lie
 * otherwise in memory than its members say: no base, no function, no bit-field, no attribute, no directive.
 */
#include "frontend/types.h"
#include "frontend/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* On 64-bit Linux, for host and device. */
static const struct {
    const char *words;
    uint32_t bytes, align;
} BASIC[] = {
    {"*", 8, 8},
    {"bool", 1, 1},
    {"char", 1, 1},
    {"signed char", 1, 1},
    {"unsigned char", 1, 1},
    {"int8_t", 1, 1},
    {"uint8_t", 1, 1},
    {"short", 2, 2},
    {"unsigned short", 2, 2},
    {"int16_t", 2, 2},
    {"uint16_t", 2, 2},
    {"int", 4, 4},
    {"unsigned", 4, 4},
    {"unsigned int", 4, 4},
    {"int32_t", 4, 4},
    {"uint32_t", 4, 4},
    {"float", 4, 4},
    {"long", 8, 8},
    {"unsigned long", 8, 8},
    {"long long", 8, 8},
    {"unsigned long long", 8, 8},
    {"int64_t", 8, 8},
    {"uint64_t", 8, 8},
    {"size_t", 8, 8},
    {"double", 8, 8},
    {"dim3", 12, 4},
    {"int2", 8, 8},
    {"uint2", 8, 8},
    {"float2", 8, 8},
    {"int3", 12, 4},
    {"uint3", 12, 4},
    {"float3", 12, 4},
    {"int4", 16, 16},
    {"uint4", 16, 16},
    {"float4", 16, 16},
};

bool ls_types_basic(const char *type, uint32_t *bytes, uint32_t *align) {
    for (size_t i = 0; i < sizeof BASIC / sizeof *BASIC; i++)
        if (!strcmp(BASIC[i].words, type)) {
            *bytes = BASIC[i].bytes;
            *align = BASIC[i].align;
            return true;
        }
    return false;
}

static const char *with_word(ls_lexer *lex, const char *words, const ls_token *t) {
    return ls_arena_printf(lex->arena, "%s%s%.*s", words ? words : "", words ? " " : "", (int)t->length,
                           t->text);
}

/* --- Enums --------------------------------------------------------------------------------------------- */

/* A plain number, with a sign, or one that is shifted; *after is what follows. false: something else. */
static bool number(ls_lexer *lex, int64_t *value, ls_token *after) {
    ls_token t = ls_lexer_next(lex);
    const bool negative = ls_token_is(&t, "-");
    if (negative) t = ls_lexer_next(lex);
    if (!t.length || !isdigit((unsigned char)*t.text)) return false;
    char *end;
    const uint64_t bits = strtoull(t.text, &end, 0);
    if (bits > UINT32_MAX) return false; /* more than enums have, mostly */
    *value = (int64_t)bits;
    while (end < t.text + t.length && strchr("uUlL", *end)) end++;
    if (end != t.text + t.length) return false;
    if (negative) *value = -*value;
    *after = ls_lexer_next(lex);
    if (!ls_token_is(after, "<")) return true;
    ls_token second = ls_lexer_next(lex), by = ls_lexer_next(lex);
    if (!ls_token_is(&second, "<") || !by.length || !isdigit((unsigned char)*by.text)) return false;
    const uint64_t shift = strtoull(by.text, NULL, 0);
    *after = ls_lexer_next(lex);
    if (shift > 31 || *value < 0 || *value > UINT32_MAX) return false;
    *value <<= shift;
    return true;
}

/* From just after the '{'. */
static bool enumerators(ls_lexer *lex, ls_source_enum *e) {
    int64_t next = 0;
    uint64_t seen = 0; /* bits, of the first 64 */
    uint32_t count = 0;
    for (;;) {
        ls_token name = ls_lexer_next(lex), after;
        if (ls_token_is(&name, "}")) break;
        if (!name.length || !ls_in_name(*name.text)) return false;
        after = ls_lexer_next(lex);
        if (ls_token_is(&after, "=") && !number(lex, &next, &after)) return false;
        if (!ls_token_is(&after, ",") && !ls_token_is(&after, "}")) return false;
        if (!count || next < e->least) e->least = next;
        if (!count || next > e->most) e->most = next;
        if (next >= 0 && next < 64) seen |= UINT64_C(1) << next;
        count++;
        next++;
        if (ls_token_is(&after, "}")) break;
    }
    uint64_t between = e->most - e->least < 63 && e->least >= 0 && e->most < 64
                           ? ((UINT64_C(1) << (e->most - e->least + 1)) - 1) << e->least
                           : 0;
    e->has_gaps = !between || (seen & between) != between;
    return count != 0;
}

/* From just after "enum". */
static void scan_enum(ls_lexer *lex, ls_source_types *types) {
    ls_token name = ls_lexer_next(lex);
    if (ls_token_is(&name, "class") || ls_token_is(&name, "struct")) name = ls_lexer_next(lex);
    if (!name.length || !ls_in_name(*name.text)) return;
    ls_token open = ls_lexer_next(lex);
    const char *type = "int";
    if (ls_token_is(&open, ":"))
        for (type = NULL;
             (open = ls_lexer_next(lex)).length && !ls_token_is(&open, "{") && !ls_token_is(&open, ";");)
            type = with_word(lex, type, &open);
    if (!ls_token_is(&open, "{")) return;
    ls_source_enum e = {.name = ls_arena_strndup(lex->arena, name.text, name.length)};
    uint32_t align;
    e.known = enumerators(lex, &e);
    if (!type || !ls_types_basic(type, &e.bytes, &align)) e.bytes = 0;
    for (uint32_t i = 0; i < types->enums.length; i++)
        if (!strcmp(types->enums.items[i].name, e.name)) types->enums.items[i].known = e.known = false;
    LS_VEC_PUSH(&types->enums, e);
}

/* --- Structures ---------------------------------------------------------------------------------------- */

/* The elements of an array, from just after its '['; 0: no plain number. */
static uint32_t array_length(ls_lexer *lex) {
    enum { MOST = 1 << 16 };
    ls_token n = ls_lexer_next(lex), close = ls_lexer_next(lex);
    if (!n.length || !isdigit((unsigned char)*n.text) || !ls_token_is(&close, "]")) return 0;
    char *end;
    const unsigned long count = strtoul(n.text, &end, 0);
    return end == n.text + n.length && count <= MOST ? (uint32_t)count : 0;
}

typedef struct {
    const char *type;
    ls_token name; /* the last word: of the type, where another one follows */
    bool pointer, more;
    uint32_t count;
} declarator;

static bool add_word(ls_lexer *lex, declarator *d, const ls_token *t) {
    if (ls_token_is(t, "const") || ls_token_is(t, "volatile") || ls_token_is(t, "enum") ||
        ls_token_is(t, "struct"))
        return true;
    if (d->name.length && (d->pointer || d->more)) return false;
    if (d->name.length) d->type = with_word(lex, d->type, &d->name);
    d->name = *t;
    return true;
}

/* "unsigned a, *b[4];" from its first word on. false: something else. */
static bool members(ls_lexer *lex, ls_token t, ls_source_struct *s) {
    declarator d = {.count = 1};
    for (;; t = ls_lexer_next(lex)) {
        if (!t.length) return false;
        if (ls_in_name(*t.text)) {
            if (!add_word(lex, &d, &t)) return false;
        } else if (ls_token_is(&t, "*")) {
            if (d.name.length && d.more) return false;
            if (d.name.length) d.type = with_word(lex, d.type, &d.name);
            d.name = (ls_token){0};
            d.pointer = true;
        } else if (ls_token_is(&t, "[")) {
            const uint32_t length = array_length(lex);
            if (!length || d.count > UINT16_MAX) return false;
            d.count *= length;
        } else if (ls_token_is(&t, ",") || ls_token_is(&t, ";")) {
            if (!d.name.length || !d.type) return false;
            const char *name = ls_arena_strndup(lex->arena, d.name.text, d.name.length);
            ls_source_member m = {name, d.pointer ? "*" : d.type, d.count};
            LS_VEC_PUSH_IN(lex->arena, &s->members, m);
            if (ls_token_is(&t, ";")) return true;
            d = (declarator){.type = d.type, .more = true, .count = 1};
        } else {
            return false;
        }
    }
}

/* From just after the '{' to the ';' behind it all; *alias is a name before that. */
static bool body(ls_lexer *lex, ls_source_struct *s, ls_token *alias) {
    const char *start = lex->at;
    for (;;) {
        ls_token t = ls_lexer_next(lex);
        if (ls_token_is(&t, "}")) break;
        if (!t.length || !members(lex, t, s)) return false;
    }
    if (memchr(start, '#', (size_t)(lex->at - start))) return false;
    ls_token after = ls_lexer_next(lex);
    if (after.length && ls_in_name(*after.text)) {
        *alias = after;
        after = ls_lexer_next(lex);
    }
    return ls_token_is(&after, ";");
}

/* From just after "struct". Where its body is none that is known, the lexer stays at its beginning: there may
 * be others inside. */
static void scan_struct(ls_lexer *lex, bool is_typedef, ls_source_types *types) {
    ls_token name = ls_lexer_next(lex), open = name, alias = {0};
    if (ls_token_is(&name, "{"))
        name = (ls_token){0};
    else
        open = ls_lexer_next(lex);
    if (!ls_token_is(&open, "{") && !ls_token_is(&open, ":")) return;
    ls_source_struct s = {.known = ls_token_is(&open, "{")};
    ls_lexer inner = *lex;
    s.known = s.known && body(&inner, &s, &alias) && s.members.length;
    if (s.known) *lex = inner;
    if (!name.length && is_typedef) name = alias;
    if (!name.length || !ls_in_name(*name.text)) return;
    if (alias.length && !is_typedef) s.known = false;
    s.name = ls_arena_strndup(lex->arena, name.text, name.length);
    for (uint32_t i = 0; i < types->structs.length; i++)
        if (!strcmp(types->structs.items[i].name, s.name)) types->structs.items[i].known = s.known = false;
    LS_VEC_PUSH(&types->structs, s);
}

/* "#pragma pack(1)", "_Pragma(…)", "__pragma(pack(1))". */
static bool may_pack(const char *text) {
    if (strstr(text, "_Pragma")) return true;
    for (const char *at = text; (at = strstr(at, "pragma"));) {
        at += strlen("pragma");
        if (!strncmp(at + strspn(at, " \t("), "pack", 4)) return true;
    }
    return false;
}

void ls_types_scan(const char *text, ls_arena *arena, ls_source_types *types) {
    ls_lexer lex = ls_lexer_of(text, arena);
    bool is_typedef = false;
    types->packed |= may_pack(text);
    for (ls_token t = ls_lexer_next(&lex); t.length; t = ls_lexer_next(&lex)) {
        if (ls_token_is(&t, "enum")) scan_enum(&lex, types);
        if (ls_token_is(&t, "struct")) scan_struct(&lex, is_typedef, types);
        is_typedef = ls_token_is(&t, "typedef");
    }
}

void ls_types_free(ls_source_types *types) {
    LS_VEC_FREE(&types->enums);
    LS_VEC_FREE(&types->structs);
}
