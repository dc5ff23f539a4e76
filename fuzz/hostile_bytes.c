/* Neighbours of files that are no text, and fat binaries to begin with (hostile.h). */
#include "hostile.h"

#include "frontend/fatbin.h"

#include <string.h>

static void put_number(hostile *m, char *at, size_t room) {
    uint64_t number = hostile_number(m);
    size_t size = (size_t)1 << hostile_pick(m, 4);
    memcpy(at, &number, size < room ? size : room);
}

void hostile_bytes(hostile *m, const char *from, size_t length, size_t whole) {
    ls_buf_add(&m->out, from, length);
    for (uint32_t k = 1 + hostile_pick(m, 6); k > 0 && m->out.length > whole; k--) {
        size_t room = m->out.length - whole;
        size_t place = (hostile_byte(m) * 65536 + hostile_byte(m) * 256 + hostile_byte(m)) % room;
        if (hostile_pick(m, 2)) place = hostile_byte(m) % room; /* most is decided at the front */
        char *at = m->out.text + whole + place;
        switch (hostile_pick(m, 4)) {
        case 0: *at = (char)hostile_byte(m); break;
        case 1: *at ^= (char)(1 << hostile_pick(m, 8)); break;
        case 2: put_number(m, at, room - place); break;
        default:
            if (hostile_pick(m, 4)) break;
            if (hostile_pick(m, 2)) /* a part of it once more */
                ls_buf_add(&m->out, from + length % 7, length / 2);
            else
                m->out.length = whole + place;
            break;
        }
    }
}

/* Packed with LZ4: literals alone. */
static void pack(const char *text, size_t length, ls_buf *out) {
    ls_buf_putc(out, (char)0xf0);
    size_t rest = length - 15;
    for (; rest >= 255; rest -= 255) ls_buf_putc(out, (char)0xff);
    ls_buf_putc(out, (char)rest);
    ls_buf_add(out, text, length);
}

void hostile_image(const char *ptx, bool packed, ls_buf *out) {
    enum {
        HEADER = 16,
        SIZE = HEADER + 8,
        PACKED_SIZE = HEADER + 16,
        FLAGS = HEADER + 40,
        UNPACKED = HEADER + 56
    };
    size_t length = strlen(ptx);
    if (!packed) {
        ls_fatbin_of_ptx(ptx, length, "sm_80", out);
        return;
    }
    ls_buf body = {0};
    pack(ptx, length, &body);
    ls_fatbin_of_ptx(ls_buf_text(&body), body.length, "sm_80", out);
    const uint32_t packed_size = (uint32_t)body.length;
    const uint64_t flags = 0x2011, unpacked = length;
    memcpy(out->text + PACKED_SIZE, &packed_size, sizeof packed_size);
    memcpy(out->text + FLAGS, &flags, sizeof flags);
    memcpy(out->text + UNPACKED, &unpacked, sizeof unpacked);
    ls_buf_free(&body);
}
