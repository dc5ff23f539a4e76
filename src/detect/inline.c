/* Calls of functions that the module has, carried out in place, in the kernel's text: so that what they
 * access is seen as the kernel's own. A call stands in a block of its own, with variables in .param for its
 * arguments and results. These become variables in .local, the call becomes the function's body, as one line,
 * in which the formal parameters are those variables, and a return goes to its end. Calls through registers,
 * of functions without a body here, and those that come back to a function that is on its way stay calls. */
#include "base/vec.h"
#include "detect/extract.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { MOST_CALLS = 512, MOST_TEXT = 8 << 20, MOST_ARGUMENTS = 32, MOST_DEPTH = 16 };

typedef struct {
    const char *at;
    size_t length;
} word;

typedef struct {
    word name, formals[2 * MOST_ARGUMENTS]; /* results, then parameters */
    uint32_t results, parameters;
    const char *body, *end; /* between the braces */
} function;

typedef struct {
    word from;
    uint32_t number; /* of the block that it is declared in: it is called from_ls<number> */
    word to;         /* of a formal parameter: the variable */
} renaming;

typedef struct {
    LS_VEC(function) functions;
    LS_VEC(renaming) names;
    const function *way[MOST_DEPTH]; /* bodies that are being written */
    uint32_t depth, blocks, calls;
    bool failed;
    ls_buf out;
} inliner;

/* --- Words -------------------------------------------------------------------------------------------------
 */

static bool is_inside(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%' || c == ':' || c == '@';
}

/* The next word or character: names with what is dotted to them ("ld.param.u32"), or one that is none. */
static word next_word(const char *at, const char *end) {
    for (;;) {
        while (at < end && isspace((unsigned char)*at)) at++;
        if (at + 1 >= end || *at != '/' || (at[1] != '/' && at[1] != '*')) break;
        at = dt_step(at, end);
    }
    const char *first = at;
    if (at < end && *at == '"')
        at = dt_step(at, end);
    else if (at < end && (isalnum((unsigned char)*at) || strchr("_$.%@!", *at)))
        for (at++; at < end && is_inside(*at) && !(*at == ':' && (at + 1 >= end || at[1] != ':'));)
            at += *at == ':' ? 2 : 1;
    else if (at < end)
        at++;
    return (word){first, (size_t)(at - first)};
}

static bool is_text(word w, const char *text) {
    return w.length == strlen(text) && memcmp(w.at, text, w.length) == 0;
}

static bool begins(word w, const char *text) {
    size_t length = strlen(text);
    return w.length >= length && memcmp(w.at, text, length) == 0 &&
           (w.length == length || w.at[length] == '.');
}

static bool same(word a, word b) {
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static const char *behind(word w) {
    return w.at + w.length;
}

/* --- Functions ---------------------------------------------------------------------------------------------
 */

/* The names in a list in brackets that begins at `at`; sets *at behind it. */
static uint32_t read_names(const char **at, const char *end, word *out, uint32_t room) {
    uint32_t count = 0;
    bool named = false;
    word w = next_word(*at, end);
    for (w = next_word(behind(w), end); w.length && !is_text(w, ")"); w = next_word(behind(w), end)) {
        bool name = isalpha((unsigned char)*w.at) || *w.at == '_' || *w.at == '$' || *w.at == '%';
        if (is_text(w, ",")) named = false;
        if (!name || named) continue;
        named = true;
        if (count < room) out[count] = w;
        count++;
    }
    *at = w.length ? behind(w) : end;
    return count;
}

/* A function whose ".func" ends at `at`. */
static void read_function(inliner *in, const char *at, const char *end) {
    function f = {0};
    word w = next_word(at, end);
    if (is_text(w, "(")) f.results = read_names(&at, end, f.formals, MOST_ARGUMENTS), w = next_word(at, end);
    f.name = w, at = behind(w), w = next_word(at, end);
    if (f.results > 1) return;
    if (is_text(w, "("))
        f.parameters = read_names(&at, end, f.formals + f.results, MOST_ARGUMENTS), w = next_word(at, end);
    while (w.length && !is_text(w, "{") && !is_text(w, ";")) w = next_word(behind(w), end);
    if (!is_text(w, "{") || f.parameters > MOST_ARGUMENTS) return;
    f.body = behind(w);
    uint32_t depth = 1;
    for (w = next_word(f.body, end); w.length && depth; w = next_word(behind(w), end)) {
        depth += is_text(w, "{"), depth -= is_text(w, "}");
        f.end = w.at;
    }
    if (!depth) LS_VEC_PUSH(&in->functions, f);
}

static const function *find_function(const inliner *in, word name) {
    for (uint32_t i = 0; i < in->functions.length; i++)
        if (same(in->functions.items[i].name, name)) return &in->functions.items[i];
    return NULL;
}

/* --- Calls -------------------------------------------------------------------------------------------------
 */

typedef struct {
    const function *of;
    word actual[2 * MOST_ARGUMENTS];
    const char *end; /* behind its semicolon */
} call;

/* The call whose first word ends at `at`; false where it stays one. */
static bool read_call(const inliner *in, const char *at, const char *end, call *out) {
    word w = next_word(at, end);
    uint32_t results = 0, parameters = 0;
    *out = (call){0};
    if (is_text(w, "(")) {
        results = read_names(&at, end, out->actual, MOST_ARGUMENTS), w = next_word(at, end);
        if (is_text(w, ",")) at = behind(w);
        w = next_word(at, end);
    }
    out->of = find_function(in, w);
    at = behind(w), w = next_word(at, end);
    if (is_text(w, ",")) at = behind(w), w = next_word(at, end);
    if (is_text(w, "(") && results < 2)
        parameters = read_names(&at, end, out->actual + results, MOST_ARGUMENTS), w = next_word(at, end);
    bool on_its_way = in->depth >= MOST_DEPTH;
    for (uint32_t i = 0; i < in->depth && !on_its_way; i++) on_its_way = in->way[i] == out->of;
    out->end = behind(w);
    return out->of && is_text(w, ";") && results == out->of->results && parameters == out->of->parameters &&
           !on_its_way;
}

/* Whether the call that follows in this block is carried out in place. */
static bool call_follows(const inliner *in, const char *at, const char *end) {
    uint32_t depth = 0;
    call c;
    for (word w = next_word(at, end); w.length; w = next_word(behind(w), end)) {
        if (is_text(w, "}") && !depth--) return false;
        if (is_text(w, "{")) depth++;
        if (!depth && begins(w, "call")) return read_call(in, behind(w), end, &c);
    }
    return false;
}

/* --- Writing -----------------------------------------------------------------------------------------------
 */

static const renaming *find_name(const inliner *in, word name) {
    for (uint32_t i = in->names.length; i--;)
        if (same(in->names.items[i].from, name)) return &in->names.items[i];
    return NULL;
}

static void write_name(inliner *in, const renaming *r) {
    while (r && r->to.length) { /* a formal parameter: what stands for it further out */
        uint32_t at = (uint32_t)(r - in->names.items);
        const renaming *outer = NULL;
        for (uint32_t i = at; i-- && !outer;)
            if (same(in->names.items[i].from, r->to)) outer = &in->names.items[i];
        if (!outer) {
            in->failed = true;
            return;
        }
        r = outer;
    }
    ls_buf_printf(&in->out, "%.*s_ls%u", (int)r->from.length, r->from.at, r->number);
}

static void write_text(inliner *in, const char *from, const char *to, bool one_line) {
    for (const char *at = from; at < to; at++)
        if (*at == '\n' && one_line)
            ls_buf_putc(&in->out, ' ');
        else if (*at == '/' && at + 1 < to && (at[1] == '/' || at[1] == '*')) {
            const char *end = dt_step(at, to);
            for (; at + 1 < end; at++)
                if (*at == '\n' && !one_line) ls_buf_putc(&in->out, '\n');
        } else
            ls_buf_putc(&in->out, *at);
}

static word line_at(const char *at, const char *end) {
    const char *close = memchr(at, '\n', (size_t)(end - at));
    return (word){at, (size_t)((close ? close : end) - at)};
}

static void write_body(inliner *in, const char *at, const char *end, uint32_t number);

/* line: the source line that holds where the call stands, and behind it again. */
static void write_call(inliner *in, const call *c, const char *from, word line, bool one_line) {
    uint32_t number = ++in->blocks, before = in->names.length, lines = 0;
    for (uint32_t i = 0; i < c->of->results + c->of->parameters; i++)
        LS_VEC_PUSH(&in->names, ((renaming){.from = c->of->formals[i], .to = c->actual[i]}));
    in->way[in->depth++] = c->of;
    ls_buf_puts(&in->out, " { ");
    write_body(in, c->of->body, c->of->end, number);
    ls_buf_printf(&in->out, " } $ls_end%u: ", number);
    if (line.length) write_text(in, line.at, behind(line), true);
    ls_buf_putc(&in->out, ' ');
    in->depth--, in->calls++;
    in->names.length = before;
    for (; from < c->end; from++) lines += *from == '\n';
    for (; lines && !one_line; lines--) ls_buf_putc(&in->out, '\n');
    in->failed |= in->calls > MOST_CALLS || in->out.length > MOST_TEXT;
}

/* ld.param and st.param of what has become .local. */
static void write_access(inliner *in, word w, const char *end) {
    word at = next_word(behind(w), end);
    while (at.length && !is_text(at, "[") && !is_text(at, ";")) at = next_word(behind(at), end);
    at = next_word(behind(at), end);
    in->failed |= in->depth && at.length && *at.at == '%'; /* the address was taken */
    if (find_name(in, at))
        ls_buf_printf(&in->out, "%.2s.local%.*s", w.at, (int)w.length - 8, w.at + 8);
    else
        ls_buf_add(&in->out, w.at, w.length);
}

/* The text with calls carried out; in a function's body (number not 0) on one line, with its labels and
 * returns its own. */
static void write_body(inliner *in, const char *at, const char *end, uint32_t number) {
    uint32_t blocks[64], names[64], depth = 0;
    word before = {0}, line = {0};
    bool declares = false;
    blocks[0] = ++in->blocks, names[0] = in->names.length;
    for (word w = next_word(at, end); w.length && !in->failed; before = w, w = next_word(at, end)) {
        write_text(in, at, w.at, number);
        at = behind(w);
        call c;
        const renaming *known = find_name(in, w);
        if (is_text(w, ".loc")) line = line_at(w.at, end);
        if (is_text(w, "{") && ++depth < 64) blocks[depth] = ++in->blocks, names[depth] = in->names.length;
        if (depth >= 64) in->failed = true;
        if (is_text(w, "}") && depth) in->names.length = names[depth--];
        if (begins(w, "call") && read_call(in, at, end, &c)) {
            write_call(in, &c, at, line, number);
            at = c.end;
        } else if (is_text(w, ".param") && call_follows(in, at, end)) {
            ls_buf_puts(&in->out, ".local");
            declares = true;
        } else if (declares && *w.at != '.' && !isdigit((unsigned char)*w.at)) {
            LS_VEC_PUSH(&in->names, ((renaming){.from = w, .number = blocks[depth < 64 ? depth : 0]}));
            write_name(in, &in->names.items[in->names.length - 1]);
            declares = false;
        } else if (begins(w, "ld.param") || begins(w, "st.param")) {
            write_access(in, w, end);
        } else if (number && begins(w, "ret")) {
            ls_buf_printf(&in->out, "bra $ls_end%u", number);
        } else if (known) {
            write_name(in, known);
        } else if (number && *w.at == '$' && !is_text(before, "function_name")) {
            ls_buf_printf(&in->out, "%.*s_ls%u", (int)w.length, w.at, number);
        } else {
            ls_buf_add(&in->out, w.at, w.length);
        }
    }
    write_text(in, at, end, number);
}

bool dt_inline_calls(const char *ptx, size_t length, const char *name, ls_buf *out) {
    inliner in = {0};
    const char *end = ptx + length, *body, *body_end;
    if (!dt_find_body(ptx, length, name, &body, &body_end)) return false;
    for (word w = next_word(ptx, end), before = {0}; w.length; before = w, w = next_word(behind(w), end))
        if (is_text(w, ".func") && !is_text(before, ".extern")) read_function(&in, behind(w), end);
    ls_buf_add(&in.out, ptx, (size_t)(body - ptx));
    write_body(&in, body, body_end, 0);
    ls_buf_add(&in.out, body_end, (size_t)(end - body_end));
    bool done = !in.failed && in.calls;
    if (done) ls_buf_add(out, in.out.text, in.out.length);
    ls_buf_free(&in.out);
    LS_VEC_FREE(&in.functions);
    LS_VEC_FREE(&in.names);
    return done;
}
