/* A launch that cannot be watched on the device is written to a file before it runs, for the emulator: the
 * kernel, its parameters, and memory as it is. Of memory, that is the buffers that its parameters point to,
 * the kernel's variables, and if there is little of it, all other buffers that are known. */
#include "detect/capture.h"

#include "base/vec.h"
#include "detect/check.h"

#include <stdio.h>
#include <unistd.h>

enum { CHUNK = 16 << 20, FEW = 64 << 20 };
static const uint64_t most_bytes = UINT64_C(1) << 30;

typedef struct {
    check *c;
    LS_VEC(capture_piece) pieces;
    LS_VEC(const char *) names; /* of the pieces */
    uint64_t bytes;
} capture;

/* What warps do beside or between the barriers of the whole block cannot be seen on the device. */
bool dt_needs_emulation(const kernel *k) {
    return k->unordered || k->unsupported || k->call_pos;
}

static void add_piece(capture *to, uint64_t address, uint64_t size, const char *name) {
    for (uint32_t i = 0; i < to->pieces.length; i++)
        if (to->pieces.items[i].address == address) return;
    LS_VEC_PUSH(&to->pieces, ((capture_piece){address, size, name ? strlen(name) : 0}));
    LS_VEC_PUSH(&to->names, name);
    to->bytes += size;
}

static bool points_into(const ls_detect_launch *l, const ls_detect_buffer *b) {
    const char *params = l->params;
    for (size_t at = 0; at + sizeof(uint64_t) <= l->params_size; at += sizeof(uint64_t)) {
        uint64_t value;
        memcpy(&value, params + at, sizeof value);
        if (value >= b->address && value - b->address < b->size) return true;
    }
    return false;
}

static void find_pieces(capture *to) {
    const ls_detect_launch *l = to->c->launch;
    const ls_ir_function *ir = to->c->k->ir;
    for (uint32_t i = 0; i < l->buffer_count; i++)
        if (points_into(l, &l->buffers[i])) add_piece(to, l->buffers[i].address, l->buffers[i].size, NULL);
    for (uint32_t i = 0; i < l->buffer_count; i++)
        if (to->bytes + l->buffers[i].size <= FEW)
            add_piece(to, l->buffers[i].address, l->buffers[i].size, NULL);
    for (uint32_t i = 0; i < ir->object_count && l->symbol; i++) {
        const ls_ir_object *o = ir->objects[i];
        uint64_t size = 0, address = 0;
        if (o->kind == LS_OBJECT_GLOBAL || o->kind == LS_OBJECT_CONST)
            address = l->symbol(l->symbol_context, o->symbol->name, &size);
        if (address && size) add_piece(to, address, size, o->symbol->name);
    }
}

static bool put(FILE *file, const void *data, size_t size) {
    return !size || fwrite(data, 1, size, file) == size;
}

static bool put_head(const capture *of, FILE *file) {
    const check *c = of->c;
    const ls_detect_launch *l = c->launch;
    capture_head head = {.magic = CAPTURE_MAGIC,
                         .shared_bytes = l->shared_bytes,
                         .name = strlen(l->kernel),
                         .file = strlen(c->filename),
                         .ptx = c->length,
                         .params = l->params_size,
                         .pieces = of->pieces.length};
    memcpy(head.grid, l->grid, sizeof head.grid);
    memcpy(head.block, l->block, sizeof head.block);
    memcpy(head.cluster, l->cluster, sizeof head.cluster);
    return put(file, &head, sizeof head) && put(file, l->kernel, head.name) &&
           put(file, c->filename, head.file) && put(file, c->ptx, head.ptx) &&
           put(file, l->params, head.params) &&
           put(file, of->pieces.items, of->pieces.length * sizeof *of->pieces.items);
}

static bool put_memory(const capture *of, FILE *file, char *chunk) {
    ls_detect_device *d = of->c->device;
    for (uint32_t i = 0; i < of->pieces.length; i++) {
        const capture_piece *p = &of->pieces.items[i];
        if (!put(file, of->names.items[i], p->name)) return false;
        for (uint64_t at = 0, n; at < p->size; at += n) {
            n = p->size - at < CHUNK ? p->size - at : CHUNK;
            if (!d->f->read(d, chunk, p->address + at, n) || !put(file, chunk, n)) return false;
        }
    }
    return true;
}

static bool write_file(const capture *of, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    char *chunk = ls_xmalloc(CHUNK);
    setvbuf(file, NULL, _IONBF, 0);
    bool done = put_head(of, file) && put_memory(of, file, chunk);
    free(chunk);
    done = fclose(file) == 0 && done;
    if (!done) unlink(path);
    return done;
}

/* Whether it was; what was queued before has ended then. */
bool dt_capture(check *c) {
    capture made = {.c = c};
    if (!c->launch->capture || c->launch->captured || !c->k || !dt_needs_emulation(c->k)) return false;
    find_pieces(&made);
    bool done = made.bytes <= most_bytes && c->device->f->wait(c->device, c->options->timeout, c->diags) &&
                write_file(&made, c->launch->capture);
    LS_VEC_FREE(&made.pieces);
    LS_VEC_FREE(&made.names);
    c->result->captured = done;
    return done;
}
