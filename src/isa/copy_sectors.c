/* Sectors of bulk and tensor copies (copy_sectors.h). */
#include "isa/copy_sectors.h"

enum { SECTOR = 32, LINE = 128 };

/* Units of a size that the bytes touch. */
static uint64_t touched(uint64_t from, uint64_t bytes, uint64_t size) {
    return bytes ? (from + bytes - 1) / size - from / size + 1 : 0;
}

/* Bytes of a row up to the end of the line of shared memory. */
static uint64_t in_line(uint64_t shared, uint64_t bytes) {
    const uint64_t left = LINE - shared % LINE;
    return bytes < left ? bytes : left;
}

ls_moved ls_row_sectors(uint64_t global, uint64_t shared, uint64_t bytes) {
    ls_moved moved = {.bytes = bytes, .lines = touched(global % LINE, bytes, LINE)};
    while (bytes) {
        const uint64_t now = in_line(shared, bytes);
        moved.sectors += touched(global % SECTOR, now, SECTOR);
        global += now, shared += now, bytes -= now;
    }
    return moved;
}

/* A row of a box: from byte `first` along dimension 0, of a row of the tensor that is `end` bytes long, or 0
 * where it lies outside. */
static void add_row(ls_moved *moved, uint64_t global, int64_t first, int64_t end, uint64_t shared,
                    uint64_t bytes, bool store) {
    while (bytes) {
        const uint64_t now = in_line(shared, bytes);
        const int64_t last = first + (int64_t)now;
        const int64_t low = first > 0 ? first : 0, high = last < end ? last : end;
        const uint64_t inside = high > low ? (uint64_t)(high - low) : 0;
        const uint64_t before = !inside || low <= first ? 0 : (uint64_t)(low - first);
        const uint64_t behind = now - inside - before;
        moved->bytes += inside;
        moved->lines += touched((global + (uint64_t)low) % LINE, inside, LINE);
        moved->sectors += touched((global + (uint64_t)low) % SECTOR, inside, SECTOR);
        if (!store) moved->sectors += touched(0, before, SECTOR) + touched(0, behind, SECTOR);
        first = last, shared += now, bytes -= now;
    }
}

ls_moved ls_box_sectors(const ls_tensor_map *map, const int64_t *from, bool store) {
    ls_moved moved = {0};
    uint64_t rows = 1, row = map->box[0] * map->stride[0], pitch = row;
    if (map->swizzle) pitch = (uint64_t)LS_TENSOR_PIECE << map->swizzle;
    for (uint32_t k = 1; k < map->rank; k++) rows *= (map->box[k] + map->step[k] - 1) / map->step[k];
    for (uint64_t n = 0; n < rows; n++) {
        uint64_t left = n, global = map->base;
        bool inside = true;
        for (uint32_t k = 1; k < map->rank; k++) {
            const uint32_t count = (map->box[k] + map->step[k] - 1) / map->step[k];
            const int64_t at = from[k] + (int64_t)(left % count * map->step[k]);
            left /= count;
            inside &= at >= 0 && (uint64_t)at < map->size[k];
            global += (uint64_t)at * map->stride[k];
        }
        const int64_t end = inside ? (int64_t)(map->size[0] * map->stride[0]) : 0;
        add_row(&moved, global, from[0] * (int64_t)map->stride[0], end, n * pitch, row, store);
    }
    return moved;
}
