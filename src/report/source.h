/* Lines of source files, read once per printed report, for excerpts with a caret. */
#ifndef LS_REPORT_SOURCE_H
#define LS_REPORT_SOURCE_H

#include "base/buf.h"
#include "lockstep/report.h"

typedef struct ls_sources ls_sources;

/* roots: NULL for any file. Borrowed. Several threads may ask for lines at a time. */
ls_sources *ls_sources_new(const ls_source_roots *roots);
/* The lines of the path are read from the other file, whatever the roots are. Both are borrowed. */
void ls_sources_stand_in(ls_sources *sources, const char *path, const char *file);
/* Files that are named without a folder are looked for in this one first, whose name ends with '/'. */
void ls_sources_stand_in_folder(ls_sources *sources, const char *folder);
void ls_sources_free(ls_sources *sources);

/* Whether the file is in one of the folders, or below. */
bool ls_source_is_below(const ls_source_roots *roots, const char *path);

/* One line without its end; false where the file or the line cannot be had. Valid while sources live. */
bool ls_source_line(ls_sources *sources, const char *file, uint32_t line, const char **text, size_t *length);

/* Whether the file can be had and has the text somewhere. */
bool ls_source_mentions(ls_sources *sources, const char *file, const char *text);

/* A line as it can be shown: tabs as blanks, control characters and broken UTF-8 as U+FFFD, cut to at most
 * `width` columns around byte column `column` (from 1; 0: none). Returns the display column (from 0) of
 * that byte. */
size_t ls_source_show(ls_buf *out, const char *text, size_t length, uint32_t column, size_t width);

/* A message or name as it can be shown: control characters (but line ends and tabs) and broken UTF-8 as
 * U+FFFD. */
void ls_source_safe(ls_buf *out, const char *text);

/* Byte column to UTF-16 column (both from 1), which is what SARIF counts in. */
uint32_t ls_source_utf16_column(ls_sources *sources, const ls_place *place);

/* Decodes one character of UTF-8 at text (length > 0), stores it, returns its bytes. What is not UTF-8 is
 * U+FFFD, one byte long. */
size_t ls_utf8_decode(const char *text, size_t length, uint32_t *character);

#endif
