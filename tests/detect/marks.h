/* Sources of test kernels mark the lines that race: "RACE name". */
#ifndef TESTS_DETECT_MARKS_H
#define TESTS_DETECT_MARKS_H

#include "base/buf.h"

#include <stdio.h>
#include <string.h>

/* Whether the source marks the line as racy for the program. */
static inline bool is_marked(const ls_buf *source, uint32_t line, const char *program) {
    char mark[64];
    const char *at = source->text;
    snprintf(mark, sizeof mark, "RACE %s", program);
    for (uint32_t i = 1; i < line && at; i++) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    if (!at) return false;
    const char *end = strchr(at, '\n'), *found = strstr(at, mark);
    return found && (!end || found < end);
}

#endif
