/* Texts that an editor has open: their lines, positions as the protocol counts them (lines from 0, UTF-16
 * units), changes, and the paths that URIs name. */
#ifndef LS_LSP_DOCUMENT_H
#define LS_LSP_DOCUMENT_H

#include "base/buf.h"

#include <jansson.h>
#include <stdint.h>

/* The byte at a position; what lies behind the end of a line or of the text is that end. */
size_t ls_text_offset(const ls_buf *text, json_int_t line, json_int_t character);
/* A line (from 0) without its end; false where there is none. */
bool ls_text_line(const ls_buf *text, uint32_t line, const char **start, size_t *length);
/* The position of a byte of a line, as JSON. */
json_t *ls_text_position(const ls_buf *text, uint32_t line, size_t byte);
/* The range of the word, or the sign, at a line and column that count from 1; with column 0 the whole line
 * but for the blanks at its ends. */
json_t *ls_text_range(const ls_buf *text, uint32_t line, uint32_t column);
/* Applies one of the contentChanges of didChange; false if it has another form. */
bool ls_text_change(ls_buf *text, const json_t *change);

/* The path of a file: URI, made with malloc; NULL for other URIs. */
char *ls_uri_path(const char *uri);
/* The file: URI of an absolute path. */
json_t *ls_uri_of(const char *path);

#endif
