/* The header of a kernel file with an expectation: "//pass", "//xfail:CODE" or "//unknown" in the first
 * line, then lines of flags, then regular expressions; an empty comment line or a line of code ends it.
 * Behind a line of our own flags ("//lockstep: …") a line that begins with "--" is an expression, and so is
 * one with words that no flag has, as a message about a flag is. */
#include "cli/expect.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *ls_answer_name(ls_answer answer) {
    static const char *const names[] = {"pass", "found", "error", "unknown", "timeout", "crash", "none"};
    return names[answer];
}

/* The text of the next line if it is a "//" comment, without blanks at its ends. */
static const char *next_comment(ls_arena *arena, const char **at, const char *end) {
    const char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line));
    const char *stop = newline ? newline : end;
    *at = newline ? newline + 1 : end;
    if (stop - line < 2 || line[0] != '/' || line[1] != '/') return NULL;
    line += 2;
    while (line < stop && isspace((unsigned char)*line)) line++;
    while (stop > line && isspace((unsigned char)stop[-1])) stop--;
    return ls_arena_strndup(arena, line, (size_t)(stop - line));
}

static bool read_verdict(const char *line, ls_answer *expected) {
    static const struct {
        const char *text;
        ls_answer answer;
    } words[] = {{"pass", LS_ANSWER_PASS},
                 {"unknown", LS_ANSWER_UNKNOWN},
                 {"xfail:NOT_ALL_VERIFIED", LS_ANSWER_FOUND},
                 {"xfail:FOUND", LS_ANSWER_FOUND}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(line, words[i].text)) return *expected = words[i].answer, true;
    *expected = LS_ANSWER_ERROR; /* CLANG_ERROR, COMMAND_LINE_ERROR, …: the input cannot be used */
    return !strncasecmp(line, "xfail:", 6);
}

void ls_expectation_words(ls_arena *arena, const char *line, ls_list *out) {
    while (*line) {
        while (isspace((unsigned char)*line)) line++;
        if (!*line) break;
        char *word = ls_arena_alloc(arena, strlen(line) + 1), *to = word, quote = 0;
        for (; *line && (quote || !isspace((unsigned char)*line)); line++) {
            if (quote ? *line == quote : (*line == '"' || *line == '\''))
                quote = quote ? 0 : *line;
            else
                *to++ = *line;
        }
        *to = 0;
        ls_list_push(arena, out, word);
    }
}

static bool is_flag(const char *word) {
    return word[0] == '-' && (word[1] == '-' ? word[2] != 0 : word[1] == 'D' || word[1] == 'I');
}

/* "-D A=1" is two words of one flag. */
static bool are_flags(const ls_list *words) {
    for (uint32_t i = 0; i < words->count; i++) {
        bool value = i && is_flag(words->items[i - 1]) && !words->items[i - 1][2];
        if (!value && !is_flag(words->items[i])) return false;
    }
    return words->count > 0;
}

bool ls_expectation_read(ls_arena *arena, const char *text, size_t length, ls_expectation *out) {
    *out = (ls_expectation){0};
    const char *at = text, *end = text + length;
    const char *line = length ? next_comment(arena, &at, end) : NULL;
    if (!line || !read_verdict(line, &out->expected)) return false;
    bool flags = true;
    while (at < end && (line = next_comment(arena, &at, end)) && *line) {
        static const char own[] = "lockstep:";
        bool is_own = !strncmp(line, own, sizeof own - 1);
        ls_list words = {0};
        ls_expectation_words(arena, is_own ? line + sizeof own - 1 : line, &words);
        if (is_own) {
            out->own = true;
            flags = false;
            if (words.count && words.items[0][0] != '-') out->subcommand = words.items[0];
            for (uint32_t i = out->subcommand ? 1 : 0; i < words.count; i++)
                ls_list_push(arena, &out->flags, words.items[i]);
        } else if (flags && are_flags(&words)) {
            for (uint32_t i = 0; i < words.count; i++) ls_list_push(arena, &out->flags, words.items[i]);
        } else {
            flags = false;
            ls_list_push(arena, &out->patterns, line);
        }
    }
    return true;
}

/* --- Patterns ------------------------------------------------------------------------------------------ */

/* Compiling a repetition of a repetition can take time and memory without end: the product of all counts must
 * be small ("+" after a group counts as two). */
static bool is_harmless(const char *posix) {
    double product = 1;
    for (const char *p = posix; *p; p++) {
        if (*p == '\\' && p[1]) {
            p++;
        } else if (*p == '+' && p > posix && p[-1] == ')') {
            product *= 2;
        } else if (*p == '{') {
            unsigned least = 1, most = 1;
            if (sscanf(p, "{%5u,%5u", &least, &most) < 1) least = 1;
            product *= (least > most ? least : most) + 1;
        }
        if (product > 4096) return false;
    }
    return true;
}

/* \d becomes [0-9] (or 0-9 within brackets), (?: becomes (; a quantifier after a quantifier (the lazy *?)
 * says nothing about whether there is a match, and is left out. */
static void to_posix(const char *pattern, ls_buf *out) {
    bool brackets = false, quantified = false;
    for (const char *p = pattern; *p; p++) {
        bool quantifier = !brackets && strchr("*+?", *p);
        if (quantifier && quantified) continue;
        quantified = quantifier;
        if (p[0] == '\\' && p[1] == 'd') {
            ls_buf_puts(out, brackets ? "0-9" : "[0-9]");
            p++;
        } else if (p[0] == '\\' && p[1] && !brackets) {
            ls_buf_add(out, p, 2);
            p++;
        } else if (!strncmp(p, "(?:", 3)) {
            ls_buf_putc(out, '(');
            p += 2;
        } else {
            if (*p == '[') brackets = true;
            if (*p == ']') brackets = false;
            ls_buf_putc(out, *p);
        }
    }
}

bool ls_pattern_matches(const char *pattern, const char *text, bool *error) {
    ls_buf posix = {0};
    to_posix(pattern, &posix);
    regex_t regex;
    *error = !is_harmless(ls_buf_text(&posix)) ||
             regcomp(&regex, ls_buf_text(&posix), REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0;
    ls_buf_free(&posix);
    if (*error) return false;
    bool matches = !regexec(&regex, text, 0, NULL, 0);
    regfree(&regex);
    return matches;
}
