/* Fields between tabs (wire.h). */
#include "base/wire.h"

#include <stdlib.h>
#include <string.h>

void ls_wire_put(ls_buf *to, const char *text) {
    ls_buf_putc(to, '\t');
    if (!text || !*text) text = "-";
    for (; *text; text++) ls_buf_putc(to, *text == '\t' || *text == '\n' ? ' ' : *text);
}

uint32_t ls_wire_split(char *line, char **fields, uint32_t most) {
    uint32_t count = 0;
    for (char *at = line; at && count < most;) {
        char *tab = strchr(at, '\t');
        if (tab) *tab = 0;
        fields[count++] = at;
        at = tab ? tab + 1 : NULL;
    }
    return count;
}

char *ls_wire_line(char **at) {
    char *line = *at, *end = line ? strchr(line, '\n') : NULL;
    if (end) *end = 0;
    *at = end && end[1] ? end + 1 : NULL;
    return line && *line ? line : NULL;
}

const char *ls_wire_text(const char *field) {
    return strcmp(field, "-") == 0 ? NULL : field;
}

uint32_t ls_wire_number(const char *field) {
    return (uint32_t)strtoul(field, NULL, 10);
}
