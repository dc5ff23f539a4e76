/* Neighbours of files that are there, among them those that once broke something (hostile.h). */
#include "hostile.h"

#include <ctype.h>
#include <string.h>

enum { MOST_LINES = 4096 };

/* The line, now and then with another number, or without one of its words. */
static void put_line(hostile *m, const char *at, size_t length, uint32_t rate) {
    bool in_word = false;
    for (size_t k = 0; k < length;) {
        bool starts = !in_word && isdigit((unsigned char)at[k]);
        in_word = isalnum((unsigned char)at[k]) || at[k] == '_' || at[k] == '%' || at[k] == '.';
        if (!starts || hostile_pick(m, rate)) {
            ls_buf_add(&m->out, at + k++, 1);
            continue;
        }
        while (k < length && isalnum((unsigned char)at[k])) k++;
        bool minus = !hostile_pick(m, 8);
        ls_buf_printf(&m->out, "%s%llu", minus ? "-" : "", (unsigned long long)hostile_number(m));
        in_word = false;
    }
    ls_buf_puts(&m->out, "\n");
}

void hostile_neighbour(hostile *m, const char *text, size_t length) {
    const char *lines[MOST_LINES + 1];
    uint32_t count = 0;
    for (const char *at = text, *end = text + length; at < end && count < MOST_LINES; count++) {
        lines[count] = at;
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop + 1 : end;
        lines[count + 1] = at;
    }
    uint32_t rate = 4u << hostile_pick(m, 5);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t which = hostile_pick(m, 16) ? k : hostile_byte(m) * 256 + hostile_byte(m), times = 1;
        if (which != k) {
            which = hostile_pick(m, 2) ? k : which % count;
            times = hostile_pick(m, 3);
        }
        size_t size = (size_t)(lines[which + 1] - lines[which]);
        while (size && lines[which][size - 1] == '\n') size--;
        while (times-- > 0) put_line(m, lines[which], size, rate);
    }
}
