/* Text buffer and whole-file input and output. */
#include "base/buf.h"

#include "base/confine.h"

#include "base/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe or a device has no size of its own: it may never end. */
enum { LARGEST_FILE = 1 << 30, LARGEST_STREAM = 1 << 28 };

void ls_buf_reserve(ls_buf *buf, size_t more) {
    size_t needed = buf->length + more + 1;
    if (needed <= buf->capacity) return;
    size_t capacity = buf->capacity ? buf->capacity * 2 : 128;
    if (capacity < needed) capacity = needed;
    buf->text = ls_xrealloc(buf->text, capacity);
    buf->capacity = capacity;
    buf->text[buf->length] = 0;
}

void ls_buf_add(ls_buf *buf, const char *text, size_t length) {
    ls_buf_reserve(buf, length);
    if (length) memcpy(buf->text + buf->length, text, length);
    buf->length += length;
    buf->text[buf->length] = 0;
}

void ls_buf_take(ls_buf *buf, char *text) {
    if (text) ls_buf_puts(buf, text);
    free(text);
}

void ls_buf_puts(ls_buf *buf, const char *text) {
    ls_buf_add(buf, text, strlen(text));
}

void ls_buf_putc(ls_buf *buf, char c) {
    ls_buf_reserve(buf, 1);
    buf->text[buf->length++] = c;
    buf->text[buf->length] = 0;
}

void ls_buf_printf(ls_buf *buf, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t room = buf->capacity - buf->length; /* most have room, and are made once */
    int length = vsnprintf(room ? buf->text + buf->length : NULL, room, format, args);
    va_end(args);
    if ((size_t)length >= room) {
        ls_buf_reserve(buf, (size_t)length);
        vsnprintf(buf->text + buf->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    buf->length += (size_t)length;
}

void ls_buf_free(ls_buf *buf) {
    free(buf->text);
    memset(buf, 0, sizeof *buf);
}

bool ls_read_file(const char *path, ls_buf *out) {
    bool standard_input = strcmp(path, "-") == 0;
    int descriptor = standard_input ? -1 : ls_confine_open(path);
    FILE *file = standard_input ? stdin : descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (!file) return false;
    size_t largest = LARGEST_STREAM;
    struct stat info;
    if (fstat(fileno(file), &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            if (!standard_input) fclose(file);
            errno = EISDIR;
            return false;
        }
        if (S_ISREG(info.st_mode)) {
            largest = LARGEST_FILE;
            ls_buf_reserve(out, (size_t)info.st_size);
        }
    }
    bool endless = false;
    while (!endless) {
        endless = out->length > largest;
        ls_buf_reserve(out, out->capacity - out->length > 1 ? 1 : 1 << 16);
        size_t got = fread(out->text + out->length, 1, out->capacity - out->length - 1, file);
        out->length += got;
        out->text[out->length] = 0;
        if (got == 0) break;
    }
    bool good = !ferror(file) && !endless;
    int why = endless ? EFBIG : errno;
    if (!standard_input) fclose(file);
    if (!good) {
        ls_buf_free(out);
        errno = why;
    }
    return good;
}

static bool write_to(FILE *file, const char *text, size_t length) {
    if (!file) return false;
    bool good = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && good;
}

/* Writes beside it and renames, so that there is the old file or the new one, never half of it. */
static bool replace(const char *path, mode_t mode, const char *text, size_t length) {
    char *own = realpath(path, NULL), *real = own ? own : ls_xstrdup(path);
    size_t size = strlen(real) + 8;
    char *beside = ls_xmalloc(size);
    snprintf(beside, size, "%s.XXXXXX", real);
    int descriptor = mkstemp(beside);
    bool made = descriptor >= 0, good = false;
    if (made) {
        mode_t mask = umask(0);
        umask(mask);
        good = !fchmod(descriptor, mode ? mode & 07777 : 0666 & ~mask) &&
               write_to(fdopen(descriptor, "wb"), text, length) && !rename(beside, real);
    } else if (mode && errno == EACCES) { /* a folder that only the file itself can be written in */
        good = write_to(fopen(real, "wb"), text, length);
    }
    int error = errno;
    if (made && !good) unlink(beside);
    free(beside);
    free(real);
    errno = error;
    return good;
}

bool ls_write_file(const char *path, const char *text, size_t length) {
    bool standard_output = strcmp(path, "-") == 0;
    if (standard_output) return fwrite(text, 1, length, stdout) == length && !fflush(stdout);
    struct stat info;
    bool there = !stat(path, &info);
    return there && !S_ISREG(info.st_mode) ? write_to(fopen(path, "wb"), text, length)
                                           : replace(path, there ? info.st_mode : 0, text, length);
}
