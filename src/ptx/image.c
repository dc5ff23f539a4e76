/* Fat binaries, as nvcc puts them into programs. A wrapper (magic 0x466243b1) points to the data; the data
 * (magic 0xba55ed50) is a header and a list of entries, each with a header of its own: kind 1 is PTX, 2 is
 * machine code. PTX may be packed with LZ4 (older toolkits, --compress-mode=speed) or zstd (CUDA 12.8 on).
 * The layout is not documented by NVIDIA; it was read off what nvcc writes, and is checked before it is
 * trusted. zstd is loaded at run time.
 *
 * A program of which several parts were linked (-rdc) has a wrapper of version 2: it points to the parts,
 * which are to be linked by whoever loads it. */
#include "ptx/image.h"

#include "base/arena.h"
#include "base/vec.h"
#include "ptx/link.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_MAGIC = 0xba55ed50, KIND_PTX = 1 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

typedef struct {
    uint32_t magic, version;
    const void *data;
    void *more;
} wrapper;

typedef struct {
    uint32_t magic;
    uint16_t version, header_size;
    uint64_t size; /* of all entries */
} data_header;

typedef struct {
    uint16_t kind, version;
    uint32_t header_size;
    uint64_t size; /* of what follows the header, padded */
    uint32_t packed_size, options;
    uint16_t minor, major;
    uint32_t arch, name, name_size;
    uint64_t flags, reserved, unpacked_size;
} entry_header;

bool ls_lz4_unpack(const uint8_t *from, size_t from_size, uint8_t *to, size_t size) {
    size_t in = 0, out = 0;
    while (in < from_size) {
        uint8_t token = from[in++];
        size_t literals = token >> 4, match = token & 15;
        for (uint8_t more = 255; literals >= 15 && more == 255; literals += more) {
            if (in >= from_size) return false;
            more = from[in++];
        }
        if (literals > from_size - in || literals > size - out) return false;
        memcpy(to + out, from + in, literals);
        in += literals, out += literals;
        if (in == from_size) break; /* the last sequence has no match */
        if (from_size - in < 2) return false;
        size_t distance = from[in] | (size_t)from[in + 1] << 8;
        in += 2;
        for (uint8_t more = 255; match >= 15 && more == 255; match += more) {
            if (in >= from_size) return false;
            more = from[in++];
        }
        match += 4;
        if (!distance || distance > out || match > size - out) return false;
        for (size_t i = 0; i < match; i++, out++) to[out] = to[out - distance];
    }
    return out == size;
}

static bool zstd_unpack(const void *from, size_t from_size, void *to, size_t size, const char **why) {
    void *library = dlopen("libzstd.so.1", RTLD_NOW);
    size_t (*decompress)(void *, size_t, const void *, size_t) = NULL;
    if (library) *(void **)&decompress = dlsym(library, "ZSTD_decompress");
    if (!decompress) {
        *why =
            "its PTX is packed with zstd, and libzstd.so.1 is not there (compile with --compress-mode=none)";
        return false;
    }
    *why = "its packed PTX is damaged";
    return decompress(to, size, from, from_size) == size;
}

static bool unpack(const entry_header *e, const uint8_t *body, char **ptx, size_t *length, const char **why) {
    bool packed = e->flags & (FLAG_LZ4 | FLAG_ZSTD);
    uint64_t size = packed ? e->unpacked_size : e->size;
    *why = "its PTX has no plausible size";
    if (size > UINT64_C(1) << 32 || (packed && e->packed_size > e->size)) return false;
    char *text = ls_xmalloc(size + 1);
    bool good = true;
    if (!packed)
        memcpy(text, body, size);
    else if (e->flags & FLAG_ZSTD)
        good = zstd_unpack(body, e->packed_size, text, size, why);
    else if (!(good = ls_lz4_unpack(body, e->packed_size, (uint8_t *)text, size)))
        *why = "its packed PTX is damaged";
    if (!good) {
        free(text);
        return false;
    }
    text[size] = 0;
    *ptx = text;
    *length = strlen(text); /* padded with zeros */
    return true;
}

static image_kind read_entries(const uint8_t *data, size_t size, char **ptx, size_t *length,
                               const char **why) {
    data_header head;
    uint32_t best = 0;
    if (size < sizeof head) return IMAGE_UNKNOWN;
    memcpy(&head, data, sizeof head);
    if (head.header_size < sizeof head || head.header_size > size) return IMAGE_UNKNOWN;
    uint64_t end = size - head.header_size < head.size ? size : head.header_size + head.size;
    image_kind found = IMAGE_WITHOUT_PTX;
    for (uint64_t at = head.header_size; at + sizeof(entry_header) <= end;) {
        entry_header e;
        memcpy(&e, data + at, sizeof e);
        if (e.header_size < sizeof e || e.header_size > end - at || e.size > end - at - e.header_size) break;
        if (e.kind == KIND_PTX && e.arch >= best) {
            char *text;
            size_t text_length;
            if (unpack(&e, data + at + e.header_size, &text, &text_length, why)) {
                if (found == IMAGE_PTX) free(*ptx);
                *ptx = text, *length = text_length, best = e.arch;
                found = IMAGE_PTX;
            } else if (found != IMAGE_PTX) {
                found = IMAGE_UNREADABLE;
            }
        }
        at += e.header_size + e.size;
    }
    return found;
}

size_t ls_image_extent(const void *images, size_t size) {
    enum { ALIGNED = 8 };
    data_header head;
    if (size < sizeof head) return 0;
    memcpy(&head, images, sizeof head);
    if (head.magic != DATA_MAGIC || head.header_size > size || head.size > size - head.header_size) return 0;
    size_t extent = (head.header_size + (size_t)head.size + ALIGNED - 1) / ALIGNED * ALIGNED;
    return extent < size ? extent : size;
}

static bool looks_like_ptx(const char *text, size_t size) {
    static const char mark[] = ".version";
    for (size_t i = 0; i < size && i < 65536; i++) {
        if (!text[i] || (unsigned char)text[i] > 126) return false;
        if (size - i >= sizeof mark - 1 && memcmp(text + i, mark, sizeof mark - 1) == 0) return true;
    }
    return false;
}

/* The parts of a linked program, one behind another up to NULL; those without PTX are libraries of NVIDIA's.
 */
static image_kind read_parts(const void *const *parts, char **ptx, size_t *length, const char **why) {
    enum { MOST_PARTS = 65536 };
    LS_VEC(const char *) texts = {0};
    image_kind found = IMAGE_WITHOUT_PTX;
    for (uint32_t k = 0; k < MOST_PARTS && parts[k] && found != IMAGE_UNREADABLE; k++) {
        char *text;
        image_kind kind = ls_image_ptx(parts[k], SIZE_MAX, &text, length, why);
        if (kind == IMAGE_PTX) LS_VEC_PUSH(&texts, text);
        if (kind == IMAGE_PTX || kind == IMAGE_UNREADABLE) found = kind;
    }
    if (found == IMAGE_PTX) {
        ls_buf linked = {0};
        ls_ptx_link(texts.items, texts.length, &linked);
        *ptx = linked.text, *length = linked.length;
    }
    for (uint32_t k = 0; k < texts.length; k++) free((char *)(uintptr_t)texts.items[k]);
    LS_VEC_FREE(&texts);
    return found;
}

image_kind ls_image_ptx(const void *image, size_t size, char **ptx, size_t *length, const char **why) {
    uint32_t magic;
    *why = NULL;
    if (size < sizeof magic) return IMAGE_UNKNOWN;
    memcpy(&magic, image, sizeof magic);
    if (magic == LS_IMAGE_WRAPPER &&
        size == SIZE_MAX) { /* in a program's memory: in a file its pointers are wild */
        wrapper w;
        memcpy(&w, image, sizeof w);
        if (w.version == 2 && w.more) return read_parts(w.more, ptx, length, why);
        return w.data ? ls_image_ptx(w.data, SIZE_MAX, ptx, length, why) : IMAGE_UNKNOWN;
    }
    if (magic == DATA_MAGIC) return read_entries(image, size, ptx, length, why);
    if (magic == 0x464c457f) return IMAGE_WITHOUT_PTX; /* ELF: a cubin */
    if (!looks_like_ptx(image, size)) return IMAGE_UNKNOWN;
    *length = size == SIZE_MAX ? strlen(image) : strnlen(image, size);
    *ptx = ls_xmalloc(*length + 1);
    memcpy(*ptx, image, *length);
    (*ptx)[*length] = 0;
    return IMAGE_PTX;
}
