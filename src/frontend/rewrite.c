/* The text of the file is changed in a copy that clang reads in its place (overlay.h); lines keep their
 * numbers. */
#include "frontend/rewrite.h"

#include "frontend/overlay.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the words before `at` end with one of these: the macros that are attributes of variables. */
static bool is_behind_attribute(const char *text, const char *at) {
    static const char *const attributes[] = {"__shared__", "__device__", "__constant__", "__managed__"};
    while (at > text && isspace((unsigned char)at[-1])) at--;
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
        size_t length = strlen(attributes[k]);
        if ((size_t)(at - text) >= length && !strncmp(at - length, attributes[k], length) &&
            ((size_t)(at - text) == length || !is_word(at[-(ptrdiff_t)length - 1])))
            return true;
    }
    return false;
}

/* The next place where a whole word stands, from `at` on; NULL: none. */
static const char *next_word(const char *text, const char *at, const char *word) {
    size_t length = strlen(word);
    for (; (at = strstr(at, word)); at += length)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length])) return at;
    return NULL;
}

/* Takes what was changed, and what is left of the text from `from` on, for the text. False: it cannot be. */
static bool take(ls_job *job, ls_buf *changed, const char *from) {
    const char *overlay = NULL;
    if (from != job->text) {
        ls_buf_puts(changed, from);
        const char *path = ls_arena_printf(job->arena, "%s/rewritten", job->folder);
        if (ls_write_file(path, changed->text, changed->length))
            overlay = ls_overlay(job, "rewritten.yaml", path);
    }
    if (overlay) {
        job->text = ls_arena_strdup(job->arena, changed->text);
        job->overlay = overlay;
    }
    ls_buf_free(changed);
    return overlay;
}

bool ls_rewrite_alignas(ls_job *job) {
    static const char word[] = "alignas";
    ls_buf changed = {0};
    const char *from = job->text;
    for (const char *at = from; (at = next_word(job->text, at, word)); at += sizeof word - 1) {
        if (!is_behind_attribute(job->text, at)) continue;
        ls_buf_add(&changed, from, (size_t)(at - from));
        ls_buf_puts(&changed, "_Alignas"); /* which may stand anywhere among the words of a declaration */
        from = at + sizeof word - 1;
    }
    return take(job, &changed, from);
}

/* --- Inline assembly -------------------------------------------------------------------------------------
 */

typedef struct {
    ls_buf *changed;
    const char *from; /* up to here the text was copied */
} copy;

static void insert(copy *c, const char *at, const char *what) {
    ls_buf_add(c->changed, c->from, (size_t)(at - c->from));
    ls_buf_puts(c->changed, what);
    c->from = at;
}

/* Whether a percent sign begins the name of a special register: an operand has a digit or a bracket there, a
 * modifier of an operand one letter. */
static bool is_register(const char *percent) {
    return isalpha((unsigned char)percent[1]) && isalpha((unsigned char)percent[2]);
}

/* Behind a string literal that begins at `at`; in the text of the instructions names of registers get a
 * second percent sign. */
static const char *string(copy *c, const char *at, bool instructions) {
    for (at++; *at && *at != '"' && *at != '\n'; at++) {
        if (*at == '\\' && at[1]) {
            at++;
        } else if (*at == '%' && at[1] == '%') {
            at++;
        } else if (*at == '%' && instructions && is_register(at)) {
            insert(c, at, "%");
        }
    }
    return *at == '"' ? at + 1 : at;
}

/* Whether the bracket that opens at `at` has a colon of its own: then percent signs mean operands. */
static bool has_operands(const char *at) {
    copy nothing = {0};
    int depth = 0;
    for (; *at; at++) {
        if (*at == '"') at = string(&nothing, at, false) - 1;
        depth += (*at == '(') - (*at == ')');
        if (depth == 1 && *at == ':') return true;
        if (!depth) return false;
    }
    return false;
}

/* Behind the bracket that opens at `at`. Between an operand and the next one, which begins with a string,
 * stands a comma. */
static const char *statement(copy *c, const char *at) {
    const bool operands = has_operands(at);
    bool instructions = true, behind_operand = false;
    int depth = 0;
    do {
        if (*at == '"') {
            if (behind_operand) insert(c, at, ",");
            at = string(c, at, instructions && operands);
            behind_operand = false;
            continue;
        }
        depth += (*at == '(') - (*at == ')');
        if (depth == 1 && *at == ':') instructions = false;
        if (!isspace((unsigned char)*at)) behind_operand = depth == 1 && *at == ')';
        at++;
    } while (*at && depth > 0);
    return at;
}

bool ls_rewrite_assembly(ls_job *job) {
    static const char *const words[] = {"asm", "__asm__", "__asm"};
    ls_buf changed = {0};
    copy c = {&changed, job->text};
    for (const char *at = job->text; *at;) {
        size_t length = 0;
        for (size_t k = 0; k < sizeof words / sizeof *words && !length; k++)
            if (!strncmp(at, words[k], strlen(words[k])) && !is_word(at[strlen(words[k])]))
                length = strlen(words[k]);
        if (!length || (at > job->text && is_word(at[-1]))) {
            at++;
            continue;
        }
        at += length;
        while (isspace((unsigned char)*at) || is_word(*at)) at++; /* volatile */
        if (*at == '(') at = statement(&c, at);
    }
    return take(job, &changed, c.from);
}

/* --- Launches --------------------------------------------------------------------------------------------
 */

/* Three brackets `c` with blanks between them, as nvcc reads "<< <" and clang does not. Gives how many
 * characters they and the blanks are; 0: they do not stand at `at`, or close together. */
static size_t spread_brackets(const char *at, char c) {
    size_t length = 0;
    for (int found = 0; found < 3; length++) {
        if (at[length] == c)
            found++;
        else if (!found || (at[length] != ' ' && at[length] != '\t'))
            return 0;
    }
    return length > 3 ? length : 0;
}

/* The brackets close together, and the blanks behind them: columns stay what they are. */
static void close_up(copy *c, const char *at, size_t length) {
    const char three[4] = {*at, *at, *at, 0};
    insert(c, at, three);
    for (size_t k = 3; k < length; k++) ls_buf_puts(c->changed, " ");
    c->from = at + length;
}

/* Behind the launch sizes that begin at `at`, whose closing brackets are closed up too. */
static const char *launch_sizes(copy *c, const char *at) {
    int depth = 0;
    for (; *at && *at != ';' && depth >= 0; at++) {
        depth += (*at == '(') - (*at == ')');
        size_t length = !depth ? spread_brackets(at, '>') : 0;
        if (!depth && !strncmp(at, ">>>", 3)) return at + 3;
        if (!length) continue;
        close_up(c, at, length);
        return at + length;
    }
    return at;
}

bool ls_rewrite_launches(ls_job *job) {
    ls_buf changed = {0};
    copy c = {&changed, job->text};
    for (const char *at = job->text; *at;) {
        size_t length = spread_brackets(at, '<');
        if (length) close_up(&c, at, length);
        const bool opened = length || !strncmp(at, "<<<", 3);
        at = opened ? launch_sizes(&c, at + (length ? length : 3)) : at + 1;
    }
    return take(job, &changed, c.from);
}
