/* Conjunctions as the texts of their parts (parts.h). */
#include "verify/query/parts.h"

#include <stdio.h>
#include <string.h>

static const char and[] = " && ";

bool ls_parts_add(ls_parts *parts, const char *part) {
    if (parts->count == LS_MOST_PARTS) return false;
    snprintf(parts->part[parts->count++], LS_PART, "%s", part);
    return true;
}

bool ls_parts_have(const ls_parts *parts, const char *part) {
    for (uint32_t i = 0; i < parts->count; i++)
        if (!strcmp(parts->part[i], part)) return true;
    return false;
}

bool ls_parts_read(ls_parts *parts, const char *condition) {
    parts->count = 0;
    for (const char *at = condition, *next; at && *at; at = next ? next + strlen(and) : NULL) {
        next = strstr(at, and);
        size_t length = next ? (size_t)(next - at) : strlen(at);
        if (parts->count == LS_MOST_PARTS || length >= LS_PART) return false;
        memcpy(parts->part[parts->count], at, length);
        parts->part[parts->count++][length] = 0;
    }
    return true;
}

bool ls_parts_write(const ls_parts *parts, char *out, size_t size) {
    size_t length = 0;
    for (uint32_t i = 0; i < parts->count && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? and : "", parts->part[i]);
    return parts->count && length < size;
}
