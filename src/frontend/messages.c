/* What a compiler says, as diagnostics with the compiler's own positions. The line is split at its level
 * word (": error: "); what stands before it is a position, or the name of the program that speaks. */
#include "frontend/messages.h"

#include "base/buf.h"
#include "base/recover.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    ls_severity severity;
} LEVELS[] = {
    {"fatal error: ", LS_ERROR},
    {"error: ", LS_ERROR},
    {"catastrophic error: ", LS_ERROR},
    {"warning: ", LS_WARNING},
    {"note: ", LS_NOTE},
    {"error   : ", LS_ERROR},
    {"fatal   : ", LS_ERROR},
    {"internal error: ", LS_ERROR},
};

/* "12" or "12:7" just before `end`, going back from it: returns where it starts. */
static size_t number_before(const char *line, size_t end, uint32_t *number) {
    size_t start = end;
    while (start && isdigit((unsigned char)line[start - 1])) start--;
    *number = start < end ? (uint32_t)strtoul(line + start, NULL, 10) : 0;
    return start;
}

/* Takes "file:12:7: " or "file(12): " apart. Returns the length of the file's name; 0 where there is none. */
static size_t position(const char *line, size_t length, uint32_t *row, uint32_t *column) {
    *row = *column = 0;
    while (length && (line[length - 1] == ' ' || line[length - 1] == ':')) length--;
    if (length && line[length - 1] == ')') {
        size_t start = number_before(line, length - 1, row);
        return start > 1 && line[start - 1] == '(' && *row ? start - 1 : 0;
    }
    uint32_t last, first;
    size_t start = number_before(line, length, &last);
    if (start == length || start < 2 || line[start - 1] != ':') return 0;
    size_t before = number_before(line, start - 1, &first);
    if (before == start - 1 || before < 2 || line[before - 1] != ':') {
        *row = last;
        return start - 1;
    }
    *row = first;
    *column = last;
    return before - 1;
}

static uint32_t message(const char *line, size_t length, ls_diags *diags) {
    size_t best = length;
    uint32_t level = 0;
    for (uint32_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++) {
        const char *at = memmem(line, length, LEVELS[i].word, strlen(LEVELS[i].word));
        if (at && (size_t)(at - line) < best) {
            best = (size_t)(at - line);
            level = i;
        }
    }
    if (best == length || (best && line[best - 1] != ' ')) return 0;
    uint32_t row, column;
    size_t name = position(line, best, &row, &column);
    LS_SCRATCH(scratch);
    const char *file = name ? ls_arena_strndup(&scratch, line, name) : NULL;
    const char *text = line + best + strlen(LEVELS[level].word);
    int size = (int)(length - (size_t)(text - line));
    ls_diags_add(diags, LEVELS[level].severity, file, row, column, "%.*s", size, text);
    return LEVELS[level].severity == LS_ERROR;
}

uint32_t ls_compiler_messages(const char *text, ls_diags *diags) {
    uint32_t errors = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        errors += message(text, length, diags);
        text += length + (text[length] == '\n');
    }
    return errors;
}
