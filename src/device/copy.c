/* Copies and fills: all kinds and dimensions are one, of rows in slices. Both sides are looked at before a
 * byte is moved: which memory they are in, whether they stay in it, and whether it is on the side that the
 * caller said. */
#include "device/private.h"

#include <stdio.h>
#include <stdlib.h>

/* A side as memory: rows of `pitch` bytes, slices of `slice`. */
typedef struct {
    uint64_t address, pitch, slice;
    memory_record *memory; /* NULL: the host's own */
} plane;

static plane plane_of(ls_dev *dev, const ls_side *side, const ls_copy *c) {
    plane p = {side->address, side->pitch ? side->pitch : c->width, 0, NULL};
    p.slice = p.pitch * (side->rows ? side->rows : c->height);
    if (side->array) {
        const ls_array *a = side->array;
        p.address = a->address;
        p.pitch = a->width * ls_array_element(a);
        p.slice = p.pitch * (a->height ? a->height : 1);
    }
    p.address += side->x + side->y * p.pitch + side->z * p.slice;
    p.memory = dv_find(dev, p.address);
    return p;
}

/* Bytes from the first to behind the last. */
static uint64_t reach(const plane *p, const ls_copy *c) {
    return (c->depth - 1) * p->slice + (c->height - 1) * p->pitch + c->width;
}

static const char *const side_names[] = {"source", "destination"};

static ls_dev_status refuse(ls_dev *dev, const char *rule_text, const char *what, const plane *p, int is_to,
                            uint64_t bytes) {
    ls_buf record = {0};
    stack here;
    dv_stack(dev, &here);
    const memory_record *near = p->memory ? p->memory : dv_nearest(dev, p->address);
    dv_begin_finding(&record, "memory.copy", LS_ERROR, NULL, 1, "%s: the %s %s (%llu bytes at 0x%llx)", what,
                     side_names[is_to], rule_text, (unsigned long long)bytes, (unsigned long long)p->address);
    dv_put_stack(&record, "called here", &here);
    if (near) dv_put_memory(&record, near);
    dv_tell(dev, &record);
    return LS_DEV_INVALID;
}

static ls_dev_status check_side(ls_dev *dev, const ls_side *side, plane *p, const ls_copy *c, int is_to,
                                const char *what) {
    uint64_t bytes = reach(p, c);
    bool device = dv_is_device(p->address);
    if (device && !p->memory) {
        const memory_record *near = dv_nearest(dev, p->address);
        return refuse(dev, near && near->m.freed ? "was freed" : "is in no allocation", what, p, is_to,
                      bytes);
    }
    if (side->kind == LS_SIDE_HOST && device)
        return refuse(dev, "is device memory, but the call says that it is host memory", what, p, is_to,
                      bytes);
    if (side->kind == LS_SIDE_DEVICE && !p->memory && !side->array)
        return refuse(dev, "is host memory, but the call says that it is device memory", what, p, is_to,
                      bytes);
    if (p->memory && p->address - p->memory->m.address + bytes > p->memory->m.size)
        return refuse(dev, "goes beyond its allocation", what, p, is_to, bytes);
    return LS_DEV_OK;
}

static void move(const plane *to, const plane *from, const ls_copy *c) {
    if (to->pitch == c->width && from->pitch == c->width && to->slice == from->slice &&
        (c->depth == 1 || to->slice == c->width * c->height)) {
        memmove(ls_emu_host(to->address), ls_emu_host(from->address), c->width * c->height * c->depth);
        return;
    }
    for (uint64_t z = 0; z < c->depth; z++)
        for (uint64_t y = 0; y < c->height; y++)
            memmove(ls_emu_host(to->address + z * to->slice + y * to->pitch),
                    ls_emu_host(from->address + z * from->slice + y * from->pitch), c->width);
}

static void touch_rows(ls_stream *s, const plane *p, const ls_copy *c, bool write, const char *what,
                       const stack *from) {
    bool whole = p->pitch == c->width || c->height == 1;
    if (whole && (c->depth == 1 || p->slice == c->width * c->height)) {
        dv_touch(s, p->address, reach(p, c), write, false, what, from);
        return;
    }
    bool many = c->height * c->depth > 4096;
    if (many) dv_touch(s, p->address, reach(p, c), write, true, what, from);
    for (uint64_t z = 0; z < c->depth && !many; z++)
        for (uint64_t y = 0; y < c->height; y++)
            dv_touch(s, p->address + z * p->slice + y * p->pitch, c->width, write, false, what, from);
}

static void define(ls_dev *dev, const plane *p, const ls_copy *c) {
    if (!p->memory) return;
    for (uint64_t z = 0; z < c->depth; z++)
        for (uint64_t y = 0; y < c->height; y++)
            ls_emu_space_define(dev->space, p->address + z * p->slice + y * p->pitch, c->width);
}

ls_dev_status dv_run_copy(ls_stream *s, const ls_copy *copy, const char *what) {
    ls_dev *dev = s->dev;
    ls_copy c = *copy;
    if (!c.height) c.height = 1;
    if (!c.depth) c.depth = 1;
    if (!c.width) return LS_DEV_OK;
    plane to = plane_of(dev, &c.to, &c), from = plane_of(dev, &c.from, &c);
    if (to.pitch < c.width && c.height > 1) return LS_DEV_INVALID;
    if (from.pitch < c.width && c.height > 1) return LS_DEV_INVALID;
    if (!to.address || !from.address) return LS_DEV_INVALID;
    ls_dev_status status = check_side(dev, &c.from, &from, &c, 0, what);
    if (status == LS_DEV_OK) status = check_side(dev, &c.to, &to, &c, 1, what);
    if (status != LS_DEV_OK) return status;
    if (dev->racing) {
        stack here;
        dv_stack(dev, &here);
        touch_rows(s, &from, &c, false, what, &here);
        touch_rows(s, &to, &c, true, what, &here);
    }
    move(&to, &from, &c);
    define(dev, &to, &c);
    return LS_DEV_OK;
}

ls_dev_status dv_run_fill(ls_stream *s, const ls_fill *f, const char *what) {
    ls_dev *dev = s->dev;
    ls_copy c = {.width = f->width * f->element, .height = f->height ? f->height : 1, .depth = 1};
    if (!c.width) return LS_DEV_OK;
    ls_side side = {.address = f->address, .pitch = f->pitch};
    plane p = plane_of(dev, &side, &c);
    if (!p.memory && !dv_is_device(p.address))
        return refuse(dev, "is host memory that the device cannot access", what, &p, 1, reach(&p, &c));
    ls_dev_status status = check_side(dev, &side, &p, &c, 1, what);
    if (status != LS_DEV_OK) return status;
    if (dev->racing) {
        stack here;
        dv_stack(dev, &here);
        touch_rows(s, &p, &c, true, what, &here);
    }
    for (uint64_t y = 0; y < c.height; y++) {
        char *row = ls_emu_host(p.address + y * p.pitch);
        uint8_t byte = (uint8_t)f->value;
        bool bytes = f->element == 1 || f->value == byte * (f->element == 2 ? 0x0101u : 0x01010101u);
        if (bytes) memset(row, byte, c.width);
        for (uint64_t x = 0; !bytes && x < f->width; x++) memcpy(row + x * f->element, &f->value, f->element);
    }
    define(dev, &p, &c);
    return LS_DEV_OK;
}
