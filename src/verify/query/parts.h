/* A condition that is a conjunction, as the texts of its parts. */
#ifndef LS_VERIFY_QUERY_PARTS_H
#define LS_VERIFY_QUERY_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LS_MOST_PARTS = 24, LS_PART = 128 };

typedef struct {
    char part[LS_MOST_PARTS][LS_PART];
    uint32_t count;
} ls_parts;

/* "a && b", as ls_parts_write writes it. False: it has more parts, or longer ones, than fit. */
bool ls_parts_read(ls_parts *parts, const char *condition);
/* False where there is none, or they do not fit. */
bool ls_parts_write(const ls_parts *parts, char *out, size_t size);
/* False where there are as many as fit. */
bool ls_parts_add(ls_parts *parts, const char *part);
/* One of them is this, from its beginning to its end. */
bool ls_parts_have(const ls_parts *parts, const char *part);

#endif
