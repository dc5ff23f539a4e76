/* Records as lines of text, with fields between tabs: what one process of ours tells another. */
#ifndef LS_BASE_WIRE_H
#define LS_BASE_WIRE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A tab and the text, in which tabs and line ends become blanks; "-" for NULL and for nothing. */
void ls_wire_put(ls_buf *to, const char *text);

/* Splits a line in place at its tabs; the number of fields, at most `most`. */
uint32_t ls_wire_split(char *line, char **fields, uint32_t most);
/* The first line, without its end, and *at behind it; NULL at the end of the text. */
char *ls_wire_line(char **at);
/* A field's text, NULL for "-"; a field's number. */
const char *ls_wire_text(const char *field);
uint32_t ls_wire_number(const char *field);

/* --- Records that are structs ---
 * The fields of a record stand in one table, by which it is written and read. */
typedef enum { LS_WIRE_TEXT, LS_WIRE_FLAG, LS_WIRE_UINT, LS_WIRE_ULONG, LS_WIRE_REAL } ls_wire_type;

typedef struct {
    uint32_t offset, bytes; /* of the member; several of the type in a row are an array */
    ls_wire_type type;
} ls_wire_field;

#define LS_WIRE_FIELD(record, member)                                                                        \
    {offsetof(record, member), sizeof((record *)0)->member,                                                  \
     _Generic(((record *)0)->member,                                                                         \
         const char *: LS_WIRE_TEXT,                                                                         \
         bool: LS_WIRE_FLAG,                                                                                 \
         uint32_t: LS_WIRE_UINT,                                                                             \
         uint32_t *: LS_WIRE_UINT,                                                                           \
         uint64_t: LS_WIRE_ULONG,                                                                            \
         double: LS_WIRE_REAL)}

typedef struct {
    char letter;
    uint32_t count;
    const ls_wire_field *fields;
} ls_wire_row;

/* The letter and the fields; the caller ends the line, or adds more fields before. */
void ls_wire_write(ls_buf *to, const ls_wire_row *row, const void *record);
/* Takes a line that was split: how many of its `count` fields were taken, with the letter; 0 where it begins
 * with another letter or has too few. Texts stay in the line. */
uint32_t ls_wire_read(const ls_wire_row *row, char *const *fields, uint32_t count, void *record);

#endif
