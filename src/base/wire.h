/* Records as lines of text, with fields between tabs: what one process of ours tells another. */
#ifndef LS_BASE_WIRE_H
#define LS_BASE_WIRE_H

#include "base/buf.h"

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

#endif
