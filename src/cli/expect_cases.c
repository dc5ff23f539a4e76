/* Files with several kernels, each with its own expectation (docs/expect.md): a comment in front of a kernel
 * says how it is run and what is reported, no more and no less,
 *     //: KERNEL OPTION… => nothing
 *     //: KERNEL OPTION… => race.shared w r, memory.bounds x
 * where the letters are marks at the ends of lines, "// [w]"; two of them are the two lines of one finding,
 * in any order. What `verify` says of several kernels stands in a case of its own:
 *     //: verify KERNEL… OPTION… => proved */
#include "cli/expect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Reading ------------------------------------------------------------------------------------------- */

/* The line, from 1, that has "[mark]"; 0: none. */
static uint32_t line_of(const char *text, const char *mark) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "[%s]", mark);
    const char *at = strstr(text, wanted);
    uint32_t line = at ? 1 : 0;
    for (const char *p = text; at && p < at; p++) line += *p == '\n';
    return line;
}

/* "RULE LOW HIGH", as findings are compared. */
static const char *entry(ls_arena *arena, const char *rule, uint32_t a, uint32_t b) {
    return ls_arena_printf(arena, "%s %u %u", rule, a < b ? a : b, a < b ? b : a);
}

static void add_expected(ls_arena *arena, const char *text, const char *one, ls_case *c) {
    ls_list words = {0};
    ls_expectation_words(arena, one, &words);
    if (words.count < 2 || words.count > 3) {
        c->mistake = ls_arena_printf(arena, "'%s' is no RULE MARK [MARK]", one);
        return;
    }
    uint32_t lines[2];
    for (uint32_t i = 0; i < 2; i++) {
        const char *mark = words.items[i + 1 < words.count ? i + 1 : 1];
        lines[i] = line_of(text, mark);
        if (!lines[i]) c->mistake = ls_arena_printf(arena, "no line has the mark [%s]", mark);
    }
    ls_list_push(arena, &c->findings, entry(arena, words.items[0], lines[0], lines[1]));
}

/* "verify KERNEL… OPTION…", with what every one of the kernels is to be. */
static void read_verdict(ls_arena *arena, const ls_list *words, const char *verdict, ls_case *c) {
    static const char *const verdicts[] = {"proved", "refuted", "unknown"};
    uint32_t i = 1;
    for (; i < words->count && words->items[i][0] != '-'; i++)
        ls_list_push(arena, &c->kernels, words->items[i]);
    c->kernel = c->kernels.count ? c->kernels.items[0] : "";
    for (; i < words->count; i++) ls_list_push(arena, &c->options, words->items[i]);
    for (size_t v = 0; v < sizeof verdicts / sizeof *verdicts; v++)
        if (!strcmp(verdict, verdicts[v])) c->verdict = verdicts[v];
    if (!c->verdict || !c->kernels.count) {
        c->mistake = "a case of verify is 'verify KERNEL… OPTION… => proved', refuted or unknown";
        c->verdict = "unknown";
    }
}

static void read_case(ls_arena *arena, const char *text, const char *line, ls_case *c) {
    *c = (ls_case){0};
    const char *arrow = strstr(line, "=> ");
    ls_list words = {0};
    ls_expectation_words(arena, ls_arena_strndup(arena, line, arrow ? (size_t)(arrow - line) : strlen(line)),
                         &words);
    if (arrow && words.count > 1 && !strcmp(words.items[0], "verify")) {
        read_verdict(arena, &words, arrow + 3, c);
        return;
    }
    c->kernel = words.count ? words.items[0] : "";
    for (uint32_t i = 1; i < words.count; i++) ls_list_push(arena, &c->options, words.items[i]);
    if (!arrow || !words.count) c->mistake = "a case is 'KERNEL OPTION… => WHAT'";
    if (!arrow || !strcmp(arrow + 3, "nothing")) return;
    char *rest = ls_arena_strdup(arena, arrow + 3), *next = NULL;
    for (char *one = strtok_r(rest, ",", &next); one; one = strtok_r(NULL, ",", &next))
        add_expected(arena, text, one, c);
}

uint32_t ls_cases_read(ls_arena *arena, const char *text, ls_case **out) {
    uint32_t count = 0, most = 0;
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (!strncmp(at, "//:", 3)) most++;
        if (!*at) break;
    }
    *out = LS_NEW_N(arena, ls_case, most + 1);
    for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        if (strncmp(at, "//:", 3)) continue;
        at += 3;
        size_t length = strcspn(at, "\n");
        while (length && isspace((unsigned char)*at)) at++, length--;
        read_case(arena, text, ls_arena_strndup(arena, at, length), &(*out)[count++]);
    }
    return count;
}

/* --- Comparing ----------------------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, each once, in one text. */
static const char *join(ls_arena *arena, ls_list *list) {
    ls_buf out = {0};
    if (list->count) qsort(list->items, list->count, sizeof *list->items, compare_texts);
    for (uint32_t i = 0; i < list->count; i++)
        if (!i || strcmp(list->items[i], list->items[i - 1]))
            ls_buf_printf(&out, "%s%s", out.length ? ", " : "", list->items[i]);
    const char *text = ls_arena_strdup(arena, ls_buf_text(&out));
    ls_buf_free(&out);
    return text;
}

/* The rule at the end of a finding's first line, "… [race.shared] (3 times)"; NULL: there is none. */
static const char *rule_in(ls_arena *arena, const char *line, size_t length) {
    for (size_t end = length; end-- > 0;) {
        if (line[end] != ']') continue;
        size_t start = end;
        while (start && (islower((unsigned char)line[start - 1]) || strchr(".-", line[start - 1]))) start--;
        if (start && line[start - 1] == '[' && start < end)
            return ls_arena_strndup(arena, line + start, end - start);
    }
    return NULL;
}

/* "FILE:12:5: error: …": the line, and what level it is; 0 where it is something else. */
static uint32_t position_in(const char *line, const char *file, const char **rest) {
    size_t length = strlen(file);
    if (strncmp(line, file, length) || line[length] != ':') return 0;
    char *end;
    uint32_t number = (uint32_t)strtoul(line + length + 1, &end, 10);
    if (*end == ':' && isdigit((unsigned char)end[1])) strtoul(end + 1, &end, 10);
    if (strncmp(end, ": ", 2)) return 0;
    *rest = end + 2;
    return number;
}

/* The errors and warnings of a text report; a note behind one names its second line. */
static void find_all(ls_arena *arena, const char *output, const char *file, ls_list *out) {
    const char *rule = NULL;
    uint32_t at = 0, other = 0;
    for (const char *line = output; *line;) {
        size_t length = strcspn(line, "\n");
        const char *rest;
        uint32_t number = position_in(line, file, &rest);
        bool note = number && !strncmp(rest, "note:", 5);
        bool finding = number && (!strncmp(rest, "error:", 6) || !strncmp(rest, "warning:", 8) || note);
        const char *named = finding ? rule_in(arena, line, length) : NULL;
        if (named && rule) ls_list_push(arena, out, entry(arena, rule, at, other ? other : at));
        if (named) rule = note ? NULL : named, at = number, other = 0;
        bool call = note && !strncmp(rest, "note: inlined here", 18);
        if (note && !named && !call && rule && !other) other = number;
        line += length + (line[length] == '\n');
    }
    if (rule) ls_list_push(arena, out, entry(arena, rule, at, other ? other : at));
}

/* Each kernel has the verdict. */
static const char *verdict_differs(ls_arena *arena, const ls_case *c, const char *output) {
    for (uint32_t i = 0; i < c->kernels.count; i++) {
        const char *line = ls_arena_printf(arena, "kernel '%s': ", c->kernels.items[i]);
        const char *at = strstr(output, line), *is = at ? at + strlen(line) : "nothing";
        int length = (int)strcspn(is, " ;\n");
        if (strncmp(is, c->verdict, strlen(c->verdict)))
            return ls_arena_printf(arena, "expected '%s' of %s, and it is '%.*s'", c->verdict,
                                   c->kernels.items[i], length, is);
    }
    return NULL;
}

const char *ls_case_differs(ls_arena *arena, ls_case *c, const char *output, const char *file) {
    if (c->mistake) return c->mistake;
    if (c->verdict) return verdict_differs(arena, c, output);
    ls_list found = {0};
    find_all(arena, output, file, &found);
    const char *is = join(arena, &found), *wanted = join(arena, &c->findings);
    if (!strcmp(is, wanted)) return NULL;
    return ls_arena_printf(arena, "expected '%s', found '%s'", wanted, is);
}
