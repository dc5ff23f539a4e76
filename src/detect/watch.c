/* A launch that is watched in place: the kernel runs once, on the memory itself, and notes beside it who has
 * accessed what (watched.c). Where no two units met, at least one of them writing, there was no race in this
 * launch, whatever else orders them; that is the rule, and costs one launch. Where some did, the launch is
 * repeated on the memory that it found, with a log of those places: two accesses without order between them
 * are a race, unless they write equal values. What is not explained so is left to the comparison of values.
 */
#include "detect/check.h"
#include "detect/redirect.h"

#include <stdlib.h>

/* --- Whether ---------------------------------------------------------------------------------------------
 */

static bool is_asked_otherwise(const ls_detect_options *o) {
    return o->by_values || o->deterministic || o->equal_values || o->copies || o->rounds || o->memory ||
           o->copies_in_global || o->no_lines;
}

static bool is_plain(const ls_ir_access *a) {
    uint32_t bytes = dt_bytes_of(a);
    return !a->opaque && bytes && bytes <= 32;
}

static bool can_mark(const check *c, instrument_options *v) {
    const kernel *k = c->k;
    bool any = false, possible = !k->unsupported;
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        possible = possible && k->ir->accesses[i]->space != LS_SPACE_SHARED_CLUSTER; /* other blocks' */
        if (!k->accesses[i].marked) continue;
        any = true;
        possible = possible && dt_can_be_marked(k->ir->accesses[i]);
    }
    v->marks = any && !c->options->no_shared;
    return !v->marks || (possible && dt_watched_shared(k, v) <= c->device->max_shared);
}

/* Kernels that wait for others through memory may count on all blocks being there at once: the watched form
 * needs more of the device than they do. */
static bool waits_through_memory(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->instr_count; i++)
        if (k->ir->instrs[i]->form->opcode->fence == LS_FENCE_THREADS) return true;
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *a = k->ir->accesses[i];
        if (k->accesses[i].in_global && a->kind == LS_ACCESS_READ &&
            (a->is_volatile || a->semantics != LS_MOD_UNKNOWN))
            return true;
    }
    return false;
}

static bool can_stamp(check *c, instrument_options *v) {
    const kernel *k = c->k;
    bool any = false, possible = !waits_through_memory(k);
    uint32_t least = 16;
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *a = k->ir->accesses[i];
        if (!k->accesses[i].stamped) continue;
        const ls_ptx_operand *address = dt_address_part(a->instr, a);
        any = true;
        possible = possible && address && dt_is_wide(address) && is_plain(a);
        if (possible && dt_bytes_of(a) < least) least = dt_bytes_of(a);
    }
    v->stamps = any && !c->options->no_global && c->saved_bytes;
    if (!v->stamps) return true;
    v->granule = 31 - (uint32_t)__builtin_clz(least);
    v->units_are_warps = dt_warps_are_units(c);
    v->units = v->units_are_warps ? c->blocks * c->warps : c->blocks;
    enum { WITH_ATOMICS = 3 };
    v->inner =
        !v->units_are_warps && c->warps > 1 && (dt_stamp_kinds(k) == WITH_ATOMICS || !dt_blocks_are_own(c));
    return possible && v->units < UINT32_MAX / 4;
}

/* --- Stamps ------------------------------------------------------------------------------------------------
 */

/* Numbers that no stamp has had yet, and memory for stamps. It stays the device's. */
bool dt_take_stamps(check *c, const instrument_options *v) {
    ls_detect_device *d = c->device;
    uint32_t planes = dt_stamp_planes(c->k, v);
    c->plane = (dt_stamp_place(c->saved_bytes, v->granule) + 511) / 256 * 256;
    uint64_t bytes = c->plane * planes;
    if (bytes > d->stamps_bytes) {
        d->f->wait(d, 0, NULL);
        if (d->stamps) d->f->release(d, d->stamps);
        d->stamps = d->f->alloc(d, bytes), d->stamps_bytes = d->stamps ? bytes : 0;
        d->generation = UINT64_MAX;
    }
    if (!d->stamps) return false;
    if (d->generation > UINT32_MAX - v->units - 2) {
        if (!d->f->clear(d, d->stamps, 0, d->stamps_bytes)) return false;
        d->generation = 1;
    }
    c->stamps = d->stamps, c->generation = d->generation;
    d->generation += v->units + 1;
    return true;
}

/* Reads and atomic operations against writes, where there are such. */
static bool hold_stamps_together(check *c, void *module, const instrument_options *v) {
    ls_detect_device *d = c->device;
    const uint64_t params[] = {c->stamps, c->plane, c->generation,     c->generation + v->units,
                               c->report, c->flag,  c->launch->number, v->granule};
    uint64_t wanted = (c->plane / 16 + 255) / 256;
    device_launch launch = {
        .block = {256, 1, 1}, .params = params, .params_size = sizeof params, .timeout = c->options->timeout};
    launch.grid[0] = wanted < d->workers ? (uint32_t)wanted : d->workers;
    launch.grid[1] = launch.grid[2] = 1;
    c->result->launches++;
    return d->f->launch(d, module, "ls_stamps", &launch, c->diags);
}

bool dt_run_watched(check *c, void *module, uint64_t shared, const instrument_options *v, uint32_t kinds) {
    return dt_run_variant(c, module, shared) &&
           (!v->stamps || kinds < 2 || hold_stamps_together(c, module, v));
}

/* --- All of it -------------------------------------------------------------------------------------------
 */

static bool run_and_read(check *c, void *module, uint64_t shared, const instrument_options *v) {
    uint32_t kinds = dt_stamp_kinds(c->k);
    return dt_write_context(c, 1, UINT64_MAX, 0, UINT64_MAX) && dt_clear_report(c) &&
           dt_run_watched(c, module, shared, v, kinds) && dt_read_report(c);
}

static bool has_room(const check *c, const instrument_options *v) {
    uint64_t bytes = dt_stamp_place(c->saved_bytes, v->granule) * dt_stamp_planes(c->k, v);
    return !v->stamps || bytes <= c->device->stamps_bytes ||
           bytes <= (dt_free_memory(c->device) + c->device->stamps_bytes) / 2;
}

/* What the launch leaves is kept while it is looked into; where nothing comes of that, it begins anew. */
static bool look_into(check *c, const instrument_options *v) {
    if (c->saved_bytes && !c->snapshot) {
        dt_leave_unchecked(c, NULL, NULL,
                           "threads accessed the same memory, one of them writing; there is not enough "
                           "memory to repeat the launch and decide whether that is a race");
        c->records.length = 0;
        return true;
    }
    uint64_t final = dt_keep_parts(c);
    /* by something that is not looked at: barriers for a part of a block or for a cluster, among others */
    bool ordered = dt_orders_by_memory(c->k) || c->k->unordered || c->k->unsupported;
    if ((final || !c->saved_bytes) && !ordered) dt_find_watched_lines(c, v);
    if (c->races.length) return dt_put_parts_back(c, final);
    c->k->met = true;
    c->records.length = 0;
    return dt_restore_parts(c, true, true);
}

static instrument_options plain_watch(const check *c) {
    return (instrument_options){.mode = MODE_WATCH,
                                .threads = c->threads,
                                .warps = c->warps,
                                .intra_warp = !c->options->no_intra_warp};
}

/* The caller launches it in its own way, and it is not repeated: what can be watched is. */
bool dt_prepare_watch(check *c) {
    instrument_options v = plain_watch(c), without = v;
    if (c->k->call_pos || is_asked_otherwise(c->options) || !can_mark(c, &v)) return false;
    without.marks = v.marks;
    if (!can_stamp(c, &v) || !has_room(c, &v)) {
        v = without;
        dt_leave_unchecked(c, NULL, NULL,
                           "races on global memory: threads wait for other threads through memory");
    }
    if (!v.marks && !v.stamps) return false;
    c->watched = v, c->granule = v.granule;
    c->watched_module = dt_load_variant(c, &v, &c->watched_shared);
    c->result->watched = c->watched_module != NULL;
    c->result->units = v.units, c->result->units_are_warps = v.units_are_warps;
    return c->result->watched;
}

bool dt_watch(check *c, bool *settled) {
    instrument_options v = plain_watch(c);
    *settled = false;
    if (c->k->met || c->k->call_pos || is_asked_otherwise(c->options)) return true;
    if (!can_mark(c, &v) || !can_stamp(c, &v) || (!v.marks && !v.stamps) || !has_room(c, &v)) return true;
    void *module = dt_load_variant(c, &v, &c->watched_shared);
    double start = ls_clock_ms(LS_CLOCK_WALL);
    if (module && v.stamps && !dt_take_stamps(c, &v)) return true;
    c->watching = true, c->granule = v.granule;
    bool done = module && run_and_read(c, module, c->watched_shared, &v);
    c->result->run_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    bool clean = !c->records.length;
    if (done && !clean) done = look_into(c, &v);
    c->watching = false;
    *settled = clean || c->races.length || (c->saved_bytes && !c->snapshot);
    c->watched = v, c->watched_module = module;
    c->result->watched = done && *settled;
    c->result->units = v.units, c->result->units_are_warps = v.units_are_warps;
    c->result->shared_bytes = (uint32_t)c->watched_shared;
    return done;
}
