/* Device memory of a check: the parts of the program's memory that the kernel may write, their snapshot, the
 * private copies, the context and the report. */
#include "detect/check.h"

#include "base/recover.h"

#include <stdlib.h>

/* --- Allocation ------------------------------------------------------------------------------------------
 */

uint64_t dt_take_memory(check *c, uint64_t size) {
    double start = ls_clock_ms(LS_CLOCK_WALL);
    size = (size + 255) / 256 * 256;
    uint64_t address = dt_take_kept_memory(c->device, size);
    c->result->alloc_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    if (!address) return 0;
    c->result->memory += size;
    LS_VEC_PUSH(&c->taken, ((block_of_memory){address, size}));
    return address;
}

void dt_give_memory_back(check *c) {
    double start = ls_clock_ms(LS_CLOCK_WALL);
    for (uint32_t i = 0; i < c->taken.length; i++)
        dt_keep_memory(c->device, c->taken.items[i].address, c->taken.items[i].size);
    LS_VEC_FREE(&c->taken);
    c->result->alloc_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
}

/* --- Parts -----------------------------------------------------------------------------------------------
 */

static uint64_t pointer_of(const check *c, const object *o) {
    uint64_t pointer = 0;
    size_t at = (size_t)dt_param_position(c->k->function, o->param_index) + o->param_offset;
    if (at + 8 <= c->launch->params_size) memcpy(&pointer, (const char *)c->launch->params + at, 8);
    return pointer;
}

static uint64_t symbol_of(check *c, const char *name, uint64_t *size) {
    if (c->launch->symbol) return c->launch->symbol(c->launch->symbol_context, name, size);
    void *module = dt_original(c);
    return module ? c->device->f->symbol(c->device, module, name, size) : 0;
}

static void add_part(check *c, uint64_t address, uint64_t size, const char *name, const object *o) {
    bool is_target = o->state == OBJECT_TARGET && !c->options->no_global,
         is_atomic = o->state == OBJECT_ATOMIC;
    for (uint32_t i = 0; i < c->parts.length; i++) {
        part *p = &c->parts.items[i];
        if (p->address == address && p->size == size) {
            p->is_target |= is_target;
            p->is_atomic |= is_atomic;
            return;
        }
    }
    part made = {
        .address = address, .size = size, .name = name, .is_target = is_target, .is_atomic = is_atomic};
    LS_VEC_PUSH(&c->parts, made);
}

static const ls_detect_buffer *buffer_of(const check *c, uint64_t address) {
    for (uint32_t i = 0; i < c->launch->buffer_count; i++) {
        const ls_detect_buffer *b = &c->launch->buffers[i];
        if (address >= b->address && address - b->address < b->size) return b;
    }
    return NULL;
}

static void add_object(check *c, const object *o) {
    if (o->is_shared || !o->written) return;
    if (o->is_unknown) {
        for (uint32_t i = 0; i < c->launch->buffer_count; i++)
            add_part(c, c->launch->buffers[i].address, c->launch->buffers[i].size, c->launch->buffers[i].name,
                     o);
    } else if (o->symbol) {
        uint64_t size = o->size, address = symbol_of(c, o->symbol->name, &size);
        if (address) add_part(c, address, size, o->name, o);
    } else {
        uint64_t pointer = pointer_of(c, o);
        const ls_detect_buffer *b = buffer_of(c, pointer);
        if (b)
            add_part(c, b->address, b->size, o->name, o);
        else if (pointer)
            dt_leave_unchecked(c, o->name, NULL, "it points to memory of unknown size");
    }
}

static int targets_first(const void *a, const void *b) {
    const part *x = a, *y = b;
    if (x->is_target != y->is_target) return x->is_target ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void place_parts(check *c) {
    uint64_t at = 0;
    if (c->parts.length) qsort(c->parts.items, c->parts.length, sizeof *c->parts.items, targets_first);
    for (uint32_t i = 0; i < c->parts.length; i++) {
        part *p = &c->parts.items[i];
        p->offset = at;
        at = (at + p->size + 15) / 16 * 16;
        if (p->is_target) c->target_bytes = at;
    }
    c->saved_bytes = at;
}

static uint64_t part_at(const check *c, uint64_t address) {
    for (uint32_t i = 0; i < c->parts.length; i++)
        if (address >= c->parts.items[i].address &&
            address - c->parts.items[i].address < c->parts.items[i].size)
            return i;
    return UINT64_MAX;
}

void dt_place_parts(check *c) {
    for (uint32_t i = 0; i < c->k->object_count; i++) add_object(c, &c->k->objects[i]);
    place_parts(c);
    c->object_part = LS_NEW_N(c->arena, uint64_t, c->k->object_count);
    for (uint32_t i = 0; i < c->k->object_count; i++) {
        const object *o = &c->k->objects[i];
        uint64_t address = 0;
        if (!o->is_shared && !o->is_unknown)
            address = o->symbol ? symbol_of(c, o->symbol->name, NULL) : pointer_of(c, o);
        c->object_part[i] = address ? part_at(c, address) : UINT64_MAX;
    }
    c->context_size = CTX_SLOTS + CTX_SLOT_BYTES * (uint64_t)c->k->object_count +
                      CTX_RANGE_BYTES * (uint64_t)c->parts.length;
}

bool dt_find_parts(check *c) {
    dt_place_parts(c);
    c->context = c->context_now = dt_take_memory(c, c->context_size);
    c->report = dt_take_memory(c, REPORT_RECORDS + (uint64_t)REPORT_CAPACITY * REPORT_RECORD_BYTES);
    c->flag = c->report + REPORT_FLAG;
    return c->context && c->report;
}

/* --- Snapshot --------------------------------------------------------------------------------------------
 */

bool dt_take_snapshot(check *c) {
    if (c->saved_bytes) c->snapshot = dt_take_memory(c, c->saved_bytes);
    return c->snapshot || !c->saved_bytes;
}

bool dt_save_parts(check *c) {
    bool done = true;
    for (uint32_t i = 0; i < c->parts.length; i++) {
        const part *p = &c->parts.items[i];
        done &= c->device->f->copy(c->device, c->snapshot + p->offset, p->address, p->size);
    }
    return done;
}

bool dt_restore_parts(check *c, bool targets, bool others) {
    bool done = true;
    for (uint32_t i = 0; i < c->parts.length; i++) {
        const part *p = &c->parts.items[i];
        if (p->is_target ? targets : others)
            done &= c->device->f->copy(c->device, p->address, c->snapshot + p->offset, p->size);
    }
    return done;
}

bool dt_scatter_union(check *c) {
    bool done = true;
    for (uint32_t i = 0; i < c->parts.length && c->parts.items[i].is_target; i++) {
        const part *p = &c->parts.items[i];
        done &= c->device->f->copy(c->device, p->address, c->united + p->offset, p->size);
    }
    return done;
}

/* Those that atomics change are left out: their values may differ without a race. */
bool dt_keep_others(check *c, int pass) {
    uint64_t bytes = c->saved_bytes - c->target_bytes;
    if (!bytes) return true;
    if (!c->others[pass]) {
        c->others[pass] = dt_take_memory(c, bytes);
        if (!c->others[pass] || !c->device->f->clear(c->device, c->others[pass], 0, bytes)) return false;
    }
    bool done = true;
    for (uint32_t i = 0; i < c->parts.length; i++) {
        const part *p = &c->parts.items[i];
        if (p->is_target || p->is_atomic) continue;
        done &=
            c->device->f->copy(c->device, c->others[pass] + p->offset - c->target_bytes, p->address, p->size);
    }
    return done;
}

/* --- Context and report ----------------------------------------------------------------------------------
 */

/* What is beside memory that is watched: stamps, or a map of places that are of interest. */
static uint64_t beside(const check *c) {
    return c->map ? c->map : c->stamps;
}

/* From an address in the part to the same place in the first copy, or from a place to its stamp. */
static uint64_t distance_of(const check *c, const part *p) {
    if (!c->watching) return c->copies + p->offset - p->address;
    return beside(c) + dt_stamp_place(p->offset, c->granule) - dt_stamp_place(p->address, c->granule);
}

static void make_context(check *c, uint64_t *words, uint64_t divisor, uint64_t log_block, uint64_t log_epoch,
                         uint64_t log_group) {
    memset(words, 0, c->context_size);
    words[CTX_REPORT / 8] = c->report;
    words[CTX_SCRATCH / 8] = c->scratch;
    words[CTX_UNDO / 8] = c->undo;
    words[CTX_UNDO_ENTRIES / 8] = c->undo_entries;
    words[CTX_COPY / 8] = c->watching ? beside(c) : c->copies;
    words[CTX_STRIDE / 8] = c->watching ? c->plane : c->stride;
    words[CTX_COPIES / 8] = c->copy_count;
    words[CTX_DIVISOR / 8] = divisor;
    words[CTX_LOG / 8] = c->log;
    words[CTX_MAP / 8] = c->map;
    words[CTX_LOG_BLOCK / 8] = log_block;
    words[CTX_LOG_EPOCH / 8] = log_epoch;
    words[CTX_LOG_GROUP / 8] = log_group;
    words[CTX_FLAG / 8] = c->flag;
    uint64_t *slot = words + CTX_SLOTS / 8;
    for (uint32_t i = 0; i < c->k->object_count; i++, slot += 2) {
        const object *o = &c->k->objects[i];
        if (o->symbol && !o->is_shared) slot[0] = symbol_of(c, o->symbol->name, NULL);
        const part *p = c->object_part[i] == UINT64_MAX ? NULL : &c->parts.items[c->object_part[i]];
        if (p && (p->is_target || c->watching)) slot[1] = distance_of(c, p);
    }
    for (uint32_t i = 0; i < c->parts.length && (c->parts.items[i].is_target || c->watching);
         i++, slot += 3) {
        const part *p = &c->parts.items[i];
        slot[0] = p->address, slot[1] = p->address + p->size, slot[2] = distance_of(c, p);
        words[CTX_RANGES / 8]++;
    }
}

static bool write_memory(check *c, uint64_t to, const void *from, uint64_t size) {
    return (c->queued ? c->device->f->put : c->device->f->write)(c->device, to, from, size);
}

bool dt_write_context(check *c, uint64_t divisor, uint64_t log_block, uint64_t log_epoch,
                      uint64_t log_group) {
    LS_SCRATCH(scratch);
    uint64_t *words = ls_arena_alloc(&scratch, c->context_size);
    make_context(c, words, divisor, log_block, log_epoch, log_group);
    c->context_now = c->context;
    bool done = write_memory(c, c->context, words, c->context_size);
    return done;
}

bool dt_take_contexts(check *c, uint32_t rounds) {
    c->contexts = dt_take_memory(c, c->context_size * rounds);
    return c->contexts != 0;
}

bool dt_write_contexts(check *c, uint32_t rounds) {
    LS_SCRATCH(scratch);
    uint64_t *words = ls_arena_alloc(&scratch, c->context_size * rounds);
    for (uint32_t i = 0; i < rounds; i++)
        make_context(c, words + c->context_size / 8 * i,
                     ls_detect_divisor(c->copy_count, c->result->rounds, i), UINT64_MAX, 0, UINT64_MAX);
    bool done = write_memory(c, c->contexts, words, c->context_size * rounds);
    return done;
}

void dt_use_context(check *c, uint32_t round) {
    c->context_now = c->contexts + c->context_size * round;
}

bool dt_clear_report(check *c) {
    return c->device->f->clear(c->device, c->report, 0, REPORT_RECORDS);
}

/* Adds the records to those that are there. */
bool dt_read_report(check *c) {
    LS_SCRATCH(scratch);
    uint64_t header[REPORT_RECORDS / 8];
    if (!c->device->f->wait(c->device, c->options->timeout, c->diags)) return false;
    if (!c->device->f->read(c->device, header, c->report, sizeof header)) return false;
    uint64_t count = (uint32_t)header[REPORT_COUNT / 8];
    if (count > REPORT_CAPACITY) count = REPORT_CAPACITY;
    if (header[REPORT_UNDONE / 8])
        dt_leave_unchecked(c, NULL, NULL,
                           "%llu barrier intervals wrote more global memory than could be restored: only "
                           "write-write races were looked for in them",
                           (unsigned long long)header[REPORT_UNDONE / 8]);
    if (!count) return true;
    report_record *records = ls_arena_alloc(&scratch, sizeof *records * count);
    bool done = c->device->f->read(c->device, records, c->report + REPORT_RECORDS, sizeof *records * count);
    for (uint64_t i = 0; i < count && done; i++) /* a kernel out of bounds may have written into them */
        if (records[i].kind <= RACE_INTRA_WARP) LS_VEC_PUSH(&c->records, records[i]);
    return done;
}

bool dt_load_sweeps(check *c) {
    ls_detect_device *d = c->device;
    double start = ls_clock_ms(LS_CLOCK_WALL);
    if (!d->sweeps) {
        ls_buf text = {0};
        dt_grid_kernels(&text);
        d->sweeps = d->f->load(d, text.text, text.length, false, c->diags);
        ls_buf_free(&text);
    }
    c->result->load_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    return d->sweeps != NULL;
}

bool dt_run_sweep(check *c, const char *which, const grid_params *params) {
    ls_detect_device *d = c->device;
    if (!d->sweeps && !dt_load_sweeps(c)) return false;
    uint64_t chunks = params->bytes / 16, wanted = (chunks + 255) / 256;
    device_launch launch = {.block = {256, 1, 1},
                            .params = params,
                            .params_size = sizeof *params,
                            .timeout = c->options->timeout};
    launch.grid[0] = wanted < d->workers ? (uint32_t)(wanted ? wanted : 1) : d->workers;
    launch.grid[1] = launch.grid[2] = 1;
    c->result->launches++;
    return d->f->launch(d, d->sweeps, which, &launch, c->diags);
}
