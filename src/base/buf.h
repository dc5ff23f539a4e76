/* Text buffer: a growing, always NUL-terminated string. */
#ifndef LS_BASE_BUF_H
#define LS_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *text; /* NULL only while nothing was added */
    size_t length, capacity;
} ls_buf;

void ls_buf_reserve(ls_buf *buf, size_t more);
void ls_buf_add(ls_buf *buf, const char *text, size_t length);
void ls_buf_puts(ls_buf *buf, const char *text);
/* Text that is on the heap, and freed here; NULL: nothing. */
void ls_buf_take(ls_buf *buf, char *text);
void ls_buf_putc(ls_buf *buf, char c);
void ls_buf_printf(ls_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ls_buf_free(ls_buf *buf);

/* The text, "" where nothing was added. */
static inline const char *ls_buf_text(const ls_buf *buf) {
    return buf->text ? buf->text : "";
}

/* Reads a whole file (or standard input for "-"). On failure returns false with errno set, and nothing is
 * kept in the buffer. */
bool ls_read_file(const char *path, ls_buf *out);
bool ls_write_file(const char *path, const char *text, size_t length);

#endif
