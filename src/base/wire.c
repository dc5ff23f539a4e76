/* Fields between tabs (wire.h). */
#include "base/wire.h"

#include <inttypes.h>
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

/* --- Records that are structs --- */

static uint32_t size_of(ls_wire_type type) {
    static const uint8_t sizes[] = {[LS_WIRE_TEXT] = sizeof(char *),
                                    [LS_WIRE_FLAG] = sizeof(bool),
                                    [LS_WIRE_UINT] = sizeof(uint32_t),
                                    [LS_WIRE_ULONG] = sizeof(uint64_t),
                                    [LS_WIRE_REAL] = sizeof(double)};
    return sizes[type];
}

static void put_value(ls_buf *to, ls_wire_type type, const void *value) {
    switch (type) {
    case LS_WIRE_TEXT: ls_wire_put(to, *(const char *const *)value); break;
    case LS_WIRE_FLAG: ls_buf_printf(to, "\t%d", *(const bool *)value); break;
    case LS_WIRE_UINT: ls_buf_printf(to, "\t%" PRIu32, *(const uint32_t *)value); break;
    case LS_WIRE_ULONG: ls_buf_printf(to, "\t%" PRIu64, *(const uint64_t *)value); break;
    case LS_WIRE_REAL: ls_buf_printf(to, "\t%.6f", *(const double *)value); break;
    }
}

static void get_value(const char *field, ls_wire_type type, void *value) {
    switch (type) {
    case LS_WIRE_TEXT: *(const char **)value = ls_wire_text(field); break;
    case LS_WIRE_FLAG: *(bool *)value = *field == '1'; break;
    case LS_WIRE_UINT: *(uint32_t *)value = ls_wire_number(field); break;
    case LS_WIRE_ULONG: *(uint64_t *)value = strtoull(field, NULL, 10); break;
    case LS_WIRE_REAL: *(double *)value = strtod(field, NULL); break;
    }
}

void ls_wire_write(ls_buf *to, const ls_wire_row *row, const void *record) {
    ls_buf_putc(to, row->letter);
    for (const ls_wire_field *f = row->fields; f < row->fields + row->count; f++)
        for (uint32_t at = 0; at < f->bytes; at += size_of(f->type))
            put_value(to, f->type, (const char *)record + f->offset + at);
}

uint32_t ls_wire_read(const ls_wire_row *row, char *const *fields, uint32_t count, void *record) {
    uint32_t wanted = 1, taken = 1;
    for (uint32_t i = 0; i < row->count; i++) wanted += row->fields[i].bytes / size_of(row->fields[i].type);
    if (!row->letter || count < wanted || fields[0][0] != row->letter || fields[0][1]) return 0;
    for (const ls_wire_field *f = row->fields; f < row->fields + row->count; f++)
        for (uint32_t at = 0; at < f->bytes; at += size_of(f->type))
            get_value(fields[taken++], f->type, (char *)record + f->offset + at);
    return taken;
}
