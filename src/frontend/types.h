/* Types that source text declares: enums, and structures of which it is plain how they lie in memory. */
#ifndef LS_FRONTEND_TYPES_H
#define LS_FRONTEND_TYPES_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *name;
    int64_t least, most;
    uint32_t bytes;
    bool known;    /* all of its values are plain numbers, and it is the only one of that name … */
    bool has_gaps; /* … and not all between the least and the greatest are there */
} ls_source_enum;

typedef struct {
    const char *name;
    const char *type; /* its words with a blank between them; "*": a pointer */
    uint32_t count;   /* of an array: its elements */
} ls_source_member;

typedef struct {
    const char *name;
    LS_VEC(ls_source_member) members; /* in the arena */
    bool known; /* it has nothing but members, and it is the only structure of that name */
} ls_source_struct;

typedef struct {
    LS_VEC(ls_source_enum) enums;
    LS_VEC(ls_source_struct) structs;
    bool packed; /* some structures may be: then none is known */
} ls_source_types;

/* Adds what this text declares. */
void ls_types_scan(const char *text, ls_arena *arena, ls_source_types *types);
void ls_types_free(ls_source_types *types);

/* Size and alignment of a basic type of the language; false for other types. */
bool ls_types_basic(const char *type, uint32_t *bytes, uint32_t *align);

#endif
