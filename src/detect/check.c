/* A launch is checked: first between units of the grid (between.c), then within blocks (002, §4.1, §4.2: the
 * instrumented kernel does both passes of every barrier interval by itself). What the kernel leaves in memory
 * is what it leaves without the detector. */
#include "detect/check.h"

#include "base/options.h"
#include "base/recover.h"
#include "finding/store.h"
#include "lockstep/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void dt_leave_unchecked(check *c, const char *what, const ls_place *pos, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ls_detect_unchecked item = {.object = what ? ls_arena_strdup(c->arena, what) : NULL,
                                .reason = ls_arena_strdup(c->arena, text)};
    if (pos) item.file = ls_arena_strdup(c->arena, pos->file), item.line = pos->line;
    LS_VEC_PUSH(&c->unchecked, item);
}

/* --- Variants of the kernel ------------------------------------------------------------------------------
 */

/* The context's place behind the kernel's own parameters. */
static size_t context_position(const check *c) {
    return (c->launch->params_size + 7) / 8 * 8;
}

void dt_copy_constants(check *c, void *module) {
    for (uint32_t i = 0; i < c->k->ir->object_count && c->launch->symbol; i++) {
        const ls_ir_object *o = c->k->ir->objects[i];
        if (o->kind != LS_OBJECT_CONST) continue;
        uint64_t size = 0, from = c->launch->symbol(c->launch->symbol_context, o->symbol->name, &size);
        uint64_t to = c->device->f->symbol(c->device, module, o->symbol->name, NULL);
        if (from && to) c->device->f->copy(c->device, to, from, size);
    }
}

void *dt_load_variant(check *c, const instrument_options *options, uint64_t *shared) {
    double start = ls_clock_ms(LS_CLOCK_WALL);
    void *module = dt_kept_variant(c->kept, options, shared);
    if (module) {
        dt_copy_constants(c, module);
        c->result->load_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
        return module;
    }
    size_t length;
    kernel *k = dt_kernel_load(c->ptx, c->length, c->filename, c->launch, c->options, c->k, c->diags);
    if (!k) return NULL;
    uint64_t needed = options->mode == MODE_BLOCK ? dt_instrumented_shared(k, options)
                      : options->marks            ? dt_watched_shared(k, options)
                                                  : c->launch->shared_bytes;
    if (shared) *shared = needed;
    instrument_options how = *options;
    how.has_redux = c->device->has_redux;
    char *text = dt_instrument(k, &how, &length);
    dt_kernel_free(k);
    c->result->instrument_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    start = ls_clock_ms(LS_CLOCK_WALL);
    module = c->device->f->load(c->device, text, length, true, c->diags);
    free(text);
    if (module) dt_keep_variant(c->kept, options, module, needed);
    if (module) dt_copy_constants(c, module);
    c->result->load_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    return module;
}

static bool launch_module(check *c, void *module, uint64_t shared, bool with_context) {
    size_t at = context_position(c);
    char room[4096 + 24], *params = at + 24 > sizeof room ? ls_arena_alloc(c->arena, at + 24) : room;
    if (c->launch->params_size) memcpy(params, c->launch->params, c->launch->params_size);
    memset(params + c->launch->params_size, 0, at - c->launch->params_size);
    if (with_context) memcpy(params + at, &c->context_now, 8);
    if (with_context) memcpy(params + at + 8, &c->launch->number, 8);
    if (with_context) memcpy(params + at + 16, &c->generation, 8);
    device_launch launch = {
        .shared_bytes = (uint32_t)shared, .params = params, .timeout = c->options->timeout};
    launch.params_size = with_context ? at + (c->watching ? 24 : 16) : c->launch->params_size;
    memcpy(launch.grid, c->launch->grid, sizeof launch.grid);
    memcpy(launch.block, c->launch->block, sizeof launch.block);
    c->result->launches++;
    if (!c->launch->start || !c->watching)
        return c->device->f->launch(c->device, module, c->launch->kernel, &launch, c->diags);
    void *function = c->device->f->function(c->device, module, c->launch->kernel, launch.shared_bytes);
    return function && c->launch->start(c->launch->start_context, function, params, launch.params_size,
                                        launch.shared_bytes);
}

bool dt_run_variant(check *c, void *module, uint64_t shared) {
    return launch_module(c, module, shared, true);
}

/* --- Within blocks ---------------------------------------------------------------------------------------
 */

static void note_copies_under_way(check *c, const region *r) {
    if (r->under_way && !r->own)
        dt_leave_unchecked(c, NULL, r->barrier ? r->barrier->pos : NULL,
                           "shared memory between two barriers: earlier copies (cp.async) may still be in "
                           "flight; accesses that touch their memory too early are not found");
}

static bool regions_to_check(check *c) {
    bool any = false;
    for (uint32_t i = 0; i < c->k->region_count; i++) {
        const region *r = &c->k->regions[i];
        if (r->once && r->writes_shared && !r->own)
            dt_leave_unchecked(c, NULL, r->once_pos,
                               "shared memory between two barriers: the interval has %s, so it "
                               "cannot be run twice",
                               r->once);
        if (!r->once) note_copies_under_way(c, r);
        any |= r->checked || (r->writes_shared && !r->own && c->warps == 1 && !c->options->no_intra_warp);
        c->result->checked_regions += r->checked;
        c->result->own_regions += r->own && !r->once;
    }
    c->result->regions = c->k->region_count, c->result->not_rehearsed = c->k->not_rehearsed;
    return any;
}

static bool place_shared_copies(check *c, instrument_options *variant) {
    variant->copies_in_shared = true;
    uint64_t needed = dt_instrumented_shared(c->k, variant);
    if (needed <= c->device->max_shared && !(c->options->copies_in_global && !c->k->needs_shared_copies))
        return true;
    variant->copies_in_shared = false;
    if (c->k->needs_shared_copies || dt_instrumented_shared(c->k, variant) > c->device->max_shared) {
        dt_leave_unchecked(c, NULL, NULL, "shared memory: there is no room for its private copies");
        return false;
    }
    c->scratch_bytes = c->k->segment * c->warps * c->blocks;
    c->scratch = dt_take_memory(c, c->scratch_bytes);
    if (!c->scratch)
        dt_leave_unchecked(c, NULL, NULL, "shared memory: no global memory for its private copies");
    return c->scratch != 0;
}

static bool place_undo_log(check *c) {
    if (!dt_needs_undo(c->k) || c->options->deterministic) return true;
    uint64_t entries = 64, threads = c->blocks * c->threads;
    uint64_t limit = c->device->f->free_memory(c->device) / 4;
    while (entries > 4 && entries * threads * 16 > limit) entries /= 2;
    c->undo_entries = entries;
    c->undo_bytes = entries * threads * 16;
    c->undo = dt_take_memory(c, c->undo_bytes);
    if (!c->undo)
        dt_leave_unchecked(c, NULL, NULL, "shared memory: there is not enough memory to undo global stores");
    return c->undo != 0;
}

/* True unless a launch failed. */
static bool check_shared(check *c, bool before, bool *ran, instrument_options *used) {
    enum { MOST_LOCAL = 4096 };
    bool any = regions_to_check(c);
    if (!any || c->options->no_shared) return true;
    if (c->k->unsupported || c->k->local_bytes > MOST_LOCAL) {
        dt_leave_unchecked(c, NULL, c->k->unsupported_pos, "shared memory: the kernel has %s",
                           c->k->unsupported ? c->k->unsupported : "too much local memory to be restored");
        return true;
    }
    instrument_options variant = {.mode = MODE_BLOCK,
                                  .threads = c->threads,
                                  .warps = c->warps,
                                  .equal_values = c->options->equal_values,
                                  .intra_warp = !c->options->no_intra_warp};
    if (!place_shared_copies(c, &variant) || !place_undo_log(c)) return true;
    uint64_t shared;
    void *module = dt_load_variant(c, &variant, &shared);
    double start = ls_clock_ms(LS_CLOCK_WALL);
    c->result->shared_bytes = (uint32_t)shared;
    c->result->copies_in_shared = variant.copies_in_shared;
    bool done = module && (!before || dt_restore_parts(c, true, true)) &&
                dt_write_context(c, 1, UINT64_MAX, 0, UINT64_MAX) && dt_clear_report(c) &&
                dt_run_variant(c, module, shared) && dt_read_report(c);
    c->result->run_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    c->block_module = module, c->block_shared = shared;
    *used = variant;
    *ran = true;
    return done;
}

/* --- Deterministic execution (002, §4.6) -----------------------------------------------------------------
 */

static bool run_deterministic(check *c) {
    bool shared_too = regions_to_check(c) && c->warps > 1, global_too = c->target_bytes && c->blocks > 1;
    instrument_options variant = {.mode = shared_too ? MODE_BLOCK : MODE_GRID,
                                  .deterministic = true,
                                  .both = shared_too && global_too,
                                  .threads = c->threads,
                                  .warps = c->warps};
    if (c->k->unsupported && shared_too) {
        dt_leave_unchecked(c, NULL, c->k->unsupported_pos, "the kernel has %s", c->k->unsupported);
        return false;
    }
    if (shared_too && !place_shared_copies(c, &variant)) return false;
    if (global_too && !dt_plan_copies(c, c->blocks, false)) return false;
    uint64_t shared;
    void *module = dt_load_variant(c, &variant, &shared);
    grid_params params = dt_sweep_params(c);
    params.ordered = UNION_ORDERED;
    double start = ls_clock_ms(LS_CLOCK_WALL);
    bool done = module && (!global_too || dt_run_sweep(c, "ls_copies", &params)) &&
                dt_write_context(c, 1, UINT64_MAX, 0, UINT64_MAX) && dt_clear_report(c) &&
                dt_run_variant(c, module, shared) && (!global_too || dt_run_sweep(c, "ls_union", &params)) &&
                dt_read_report(c) && (!global_too || dt_scatter_union(c));
    done = done && c->device->f->wait(c->device, c->options->timeout, c->diags);
    c->result->run_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    c->result->copies_in_shared = variant.copies_in_shared;
    return done;
}

/* --- All of it -------------------------------------------------------------------------------------------
 */

static void note_objects(check *c) {
    LS_VEC(const char *) pruned = {0};
    for (uint32_t i = 0; i < c->k->object_count; i++) {
        const object *o = &c->k->objects[i];
        if ((o->read || o->written) && o->state == OBJECT_RACE_FREE)
            LS_VEC_PUSH_IN(c->arena, &pruned, ls_arena_strdup(c->arena, o->name));
    }
    c->result->pruned = pruned.items, c->result->pruned_count = pruned.length;
}

/* Objects whose values cannot be compared. */
static void note_atomics(check *c) {
    for (uint32_t i = 0; i < c->k->object_count; i++) {
        const object *o = &c->k->objects[i];
        if ((o->read || o->written) && o->state == OBJECT_ATOMIC && o->mixed &&
            (!o->is_shared || dt_orders_by_memory(c->k)))
            dt_leave_unchecked(c, o->name, NULL, "atomic operations are used on it");
    }
}

static bool run_as_it_is(check *c) {
    c->result->left = c->launch->leave_plain;
    if (c->result->left) return true;
    void *module = dt_original(c);
    double start = ls_clock_ms(LS_CLOCK_WALL);
    bool done = module && launch_module(c, module, c->launch->shared_bytes, false) &&
                c->device->f->wait(c->device, c->options->timeout, c->diags);
    c->result->run_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    return done;
}

uint64_t dt_keep_parts(check *c) {
    uint64_t kept = c->saved_bytes ? dt_take_memory(c, c->saved_bytes) : 0;
    for (uint32_t i = 0; i < c->parts.length && kept; i++)
        if (!c->device->f->copy(c->device, kept + c->parts.items[i].offset, c->parts.items[i].address,
                                c->parts.items[i].size))
            return 0;
    return kept;
}

bool dt_put_parts_back(check *c, uint64_t kept) {
    bool done = true;
    for (uint32_t i = 0; i < c->parts.length && kept; i++)
        done &= c->device->f->copy(c->device, c->parts.items[i].address, kept + c->parts.items[i].offset,
                                   c->parts.items[i].size);
    return done;
}

/* Source lines need further runs; memory is then put back to what the checked run left. */
static void find_lines(check *c, const instrument_options *grid, uint64_t divisor,
                       const instrument_options *block, uint32_t global_records) {
    uint64_t final = dt_keep_parts(c);
    if (global_records) {
        uint32_t all = c->records.length;
        c->records.length = global_records;
        dt_find_global_lines(c, grid, divisor);
        c->records.length = all;
    }
    if (c->records.length > global_records) {
        report_record *all = c->records.items;
        c->records.items += global_records, c->records.length -= global_records;
        dt_find_shared_lines(c, block);
        c->records.items = all, c->records.length += global_records;
    }
    dt_put_parts_back(c, final);
}

static bool is_watched(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->access_count; i++)
        if (k->accesses[i].marked || k->accesses[i].stamped) return true;
    return false;
}

/* Copying is a part of the check's time, and done before other memory is taken. A kernel of which nothing is
 * checked leaves nothing to put back. */
static bool save_parts(check *c) {
    bool any = c->target_bytes || c->options->deterministic || is_watched(c->k);
    for (uint32_t i = 0; i < c->k->region_count; i++)
        any |= c->k->regions[i].writes_shared && !c->k->regions[i].own;
    if (!any) return true;
    if (!dt_take_snapshot(c)) return false;
    double start = ls_clock_ms(LS_CLOCK_WALL);
    bool done = dt_save_parts(c) && c->device->f->wait(c->device, c->options->timeout, c->diags);
    c->result->run_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    return done;
}

/* Whether addresses are to be looked at: where not everything is known to be race-free, and nothing but the
 * block's barriers orders its threads. */
static bool wants_addresses(const check *c) {
    const kernel *k = c->k;
    bool wanted = k->mixed_shared;
    for (uint32_t i = 0; i < k->region_count; i++) wanted |= k->regions[i].checked;
    return wanted && c->warps > 1 && !c->options->no_shared && !c->options->no_lines && !k->unsupported &&
           !dt_orders_by_memory(k) && (!k->once || strstr(k->once, "atomic"));
}

/* What values do not show: two accesses of different warps between the same barriers to one byte of shared
 * memory are a race whatever is in it, and so is a plain access that meets an atomic operation. Looked for
 * once, in some of the blocks. */
static bool look_at_addresses(check *c) {
    kernel *k = c->k;
    if (c->records.length || !wants_addresses(c)) return true;
    double start = ls_clock_ms(LS_CLOCK_WALL), counted = c->result->instrument_ms + c->result->load_ms;
    uint64_t final = k->looked ? 0 : dt_keep_parts(c);
    bool possible = final || !c->saved_bytes, done = true;
    if (!k->looked && possible) done = dt_check_inside(c, true, &k->looked) && dt_put_parts_back(c, final);
    counted = c->result->instrument_ms + c->result->load_ms - counted;
    c->result->instrument_ms += ls_clock_ms(LS_CLOCK_WALL) - start - counted;
    if (done && k->mixed_shared && k->looked < c->blocks)
        dt_leave_unchecked(c, NULL, NULL,
                           "shared memory that atomic operations are used on: plain accesses to the same "
                           "memory were looked for in %llu of %llu blocks",
                           (unsigned long long)k->looked, (unsigned long long)c->blocks);
    return done;
}

/* Everything is known about the launch itself; what goes beyond it is reported. */
static void settle_watched(check *c) {
    for (uint32_t i = 0; i < c->k->region_count; i++) {
        const region *r = &c->k->regions[i];
        c->result->checked_regions += r->writes_shared && !r->own;
        c->result->own_regions += r->own && !r->once;
    }
    c->result->regions = c->k->region_count, c->result->not_rehearsed = c->k->not_rehearsed;
    if (c->k->unseen)
        dt_leave_unchecked(
            c, NULL, c->k->unseen,
            "shared memory: accesses by asynchronous operations (bulk copies, mbarrier) are not checked");
    if (c->watched.inner) c->result->inside_blocks = c->blocks;
}

static bool run_checks(check *c) {
    instrument_options grid = {0}, block = {0};
    uint64_t divisor = 1;
    bool ran = false;
    bool settled = false, found = dt_find_parts(c), saved = found && save_parts(c);
    if (found && !saved && !c->k->call_pos &&
        !c->options->deterministic) { /* in place, there is nothing to copy */
        if (!dt_watch(c, &settled)) return false;
        if (settled) settle_watched(c);
        if (settled) return true;
    }
    if (!saved) {
        ls_diags_add(c->diags, LS_ERROR, NULL, 0, 0, "there is no device memory left for the check");
        return false;
    }
    if (c->k->call_pos || c->options->deterministic) note_atomics(c);
    if (c->k->call_pos) {
        dt_leave_unchecked(c, NULL, c->k->call_pos, "the kernel has %s", c->k->unsupported);
        return run_as_it_is(c);
    }
    if (c->options->deterministic) return run_deterministic(c);
    if (!dt_watch(c, &settled)) return false;
    if (settled) settle_watched(c);
    if (settled) return true;
    note_atomics(c);
    if (!dt_check_global(c, &ran, &grid, &divisor)) return false;
    uint32_t global_records = c->records.length;
    bool ran_grid = ran;
    ran = false;
    if (!check_shared(c, ran_grid, &ran, &block)) return false;
    c->ran_grid = ran_grid, c->ran_block = ran;
    if (ran_grid && !ran && !dt_scatter_union(c)) return false;
    if (!ran && !ran_grid && !run_as_it_is(c)) return false;
    if (!look_at_addresses(c)) return false;
    if (c->records.length) find_lines(c, &grid, divisor, &block, global_records);
    return c->device->f->wait(c->device, c->options->timeout, c->diags);
}

static int by_place(const void *x, const void *y) {
    const report_record *a = x, *b = y;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int by_unit(const void *x, const void *y) {
    const report_record *a = x, *b = y;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

/* The columns of Table VI: how many bytes and warps the records name, each once; or those of the example. */
static void count_racy(check *c) {
    report_record *r = c->records.items;
    uint32_t n = c->records.length;
    if (!n || !c->races.length) return;
    for (uint32_t i = 0; i < c->races.length && c->result->watched; i++) {
        c->result->racy_bytes += c->races.items[i].addresses;
        c->result->racy_warps += c->races.items[i].has_other ? 2 : 1;
    }
    if (c->result->watched) return;
    qsort(r, n, sizeof *r, by_place);
    for (uint32_t i = 0, end; i < n; i = end) {
        uint32_t mask = 0;
        for (end = i; end < n && by_place(&r[end], &r[i]) == 0; end++)
            if (r[end].kind != RACE_INTRA_WARP && r[end].offset != NO_OFFSET) mask |= r[end].mask;
        c->result->racy_bytes += (uint64_t)__builtin_popcount(mask) / 8;
    }
    qsort(r, n, sizeof *r, by_unit);
    for (uint32_t i = 0; i < n; i++) c->result->racy_warps += !i || by_unit(&r[i], &r[i - 1]) != 0;
}

static void finish(check *c, bool done) {
    ls_detect_result *r = c->result;
    count_racy(c);
    dt_publish_races(c);
    r->unchecked = LS_NEW_N(c->arena, ls_detect_unchecked, c->unchecked.length + 1);
    r->unchecked_count = c->unchecked.length;
    if (c->unchecked.length)
        memcpy(r->unchecked, c->unchecked.items, sizeof *r->unchecked * c->unchecked.length);
    r->status = !done                ? LS_DETECT_FAILED
                : r->finding_count   ? LS_DETECT_RACY
                : r->unchecked_count ? LS_DETECT_UNKNOWN
                                     : LS_DETECT_CLEAN;
    if (!done && !r->message && ls_diags_count(c->diags))
        r->message = ls_arena_strdup(c->arena, ls_diags_at(c->diags, ls_diags_count(c->diags) - 1)->message);
}

static void release(check *c) {
    dt_give_memory_back(c);
    dt_leave_kept(c);
    LS_VEC_FREE(&c->parts);
    LS_VEC_FREE(&c->unchecked);
    LS_VEC_FREE(&c->races);
    LS_VEC_FREE(&c->records);
}

/* The caller launches it, watched: everything is made ready for that. */
static bool prepare_for_caller(check *c) {
    ls_detect_device *d = c->device;
    if (!c->launch->start || !c->launch->keep || !d->f->function) return false;
    if (c->launch->captured && (!d->f->aside || !d->f->aside(d, true))) return false;
    bool ready = dt_find_parts(c) && dt_prepare_watch(c);
    if (ready) {
        settle_watched(c);
        finish(c, true);
        dt_prepare_plan(c);
    }
    if (c->launch->captured) ready = d->f->aside(d, false) && ready;
    return ready;
}

/* What is known without a run. */
static void judge_as_it_is(check *c) {
    c->result->left = !prepare_for_caller(c);
    if (!c->result->left) return;
    bool any = c->k->call_pos || c->k->mixed_shared;
    for (uint32_t i = 0; i < c->k->object_count; i++)
        any |= !c->k->objects[i].is_shared && c->k->objects[i].state == OBJECT_TARGET;
    for (uint32_t i = 0; i < c->k->region_count; i++)
        any |= c->k->regions[i].writes_shared && !c->k->regions[i].own;
    note_atomics(c);
    if (any) dt_leave_unchecked(c, NULL, NULL, "%s", c->launch->as_it_is);
    finish(c, true);
}

/* Everything is known to be race-free from the text and the launch's sizes. */
static bool nothing_to_check(const kernel *k) {
    bool any = k->call_pos || k->unsupported || k->unseen || is_watched(k);
    for (uint32_t i = 0; i < k->object_count; i++)
        any |= k->objects[i].state == OBJECT_TARGET && !k->objects[i].is_shared;
    for (uint32_t i = 0; i < k->region_count; i++)
        any |= (k->regions[i].writes_shared && !k->regions[i].own) || k->regions[i].checked;
    return !any;
}

static ls_detect_result *new_result(void) {
    ls_detect_result *result = ls_xmalloc(sizeof *result);
    ls_arena *arena = ls_xmalloc(sizeof *arena);
    ls_arena_init(arena);
    *result = (ls_detect_result){.arena = arena, .store = LS_NEW(arena, ls_store)};
    ls_store_init(result->store);
    return result;
}

static void count_threads(check *c) {
    const ls_detect_launch *launch = c->launch;
    c->threads = launch->block[0] * launch->block[1] * launch->block[2];
    c->warps = (c->threads + 31) / 32;
    c->blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

/* The device is told of the memory that the kernel may access, where it wants to know. */
static void tell_buffers(ls_detect_device *device, const ls_detect_launch *launch) {
    for (uint32_t i = 0; i < launch->buffer_count && device->f->know && !launch->as_it_is; i++)
        device->f->know(device, launch->buffers[i].address, launch->buffers[i].size);
}

static ls_detect_result *check_launch(ls_detect_device *device, const char *ptx, size_t length,
                                      const char *filename, const ls_detect_launch *launch,
                                      const ls_detect_options *options, ls_diags *diags) {
    LS_OWN_OPTIONS(ls_detect_options, options);
    ls_detect_result *result = new_result();
    check c = {.device = device,
               .launch = launch,
               .options = options,
               .diags = diags,
               .arena = result->arena,
               .result = result,
               .ptx = ptx,
               .filename = filename,
               .length = length};
    count_threads(&c);
    if (launch->shared_bytes > ls_most_shared(NULL)) {
        result->status = LS_DETECT_UNSUPPORTED;
        result->message = "the launch asks for more shared memory than a block can have";
        return result;
    }
    tell_buffers(device, launch);
    device->last_plan = NULL; /* its memory is used for this */
    double start = ls_clock_ms(LS_CLOCK_WALL);
    if (launch->leave_plain && launch->keep && !options->deterministic && dt_find_proof(&c)) {
        result->left = result->from_disk = true;
        result->instrument_ms = ls_clock_ms(LS_CLOCK_WALL) - start;
        dt_prepare_plan(&c);
        return result;
    }
    dt_use_kept(&c);
    result->instrument_ms = ls_clock_ms(LS_CLOCK_WALL) - start;
    if (!c.k || !c.threads || !c.blocks) {
        result->status = LS_DETECT_UNSUPPORTED;
        result->message = !c.k ? "the kernel cannot be read" : "an empty launch";
        release(&c);
        return result;
    }
    note_objects(&c);
    if (!nothing_to_check(c.k)) dt_capture(&c);
    if (launch->as_it_is) {
        judge_as_it_is(&c);
        release(&c);
        return result;
    }
    if (launch->leave_plain && !options->deterministic && nothing_to_check(c.k)) {
        result->left = true;
        finish(&c, true);
        if (launch->keep) dt_prepare_plan(&c), dt_keep_proof(&c);
        release(&c);
        return result;
    }
    uint64_t before = device->f->free_memory(device);
    bool done = run_checks(&c);
    uint64_t left = device->f->free_memory(device);
    result->memory_used = before > left ? before - left : 0;
    finish(&c, done);
    if (launch->keep && done) dt_prepare_plan(&c);
    release(&c);
    return result;
}

ls_detect_result *ls_detect_check(ls_detect_device *device, const char *ptx, size_t length,
                                  const char *filename, const ls_detect_launch *launch,
                                  const ls_detect_options *options, ls_diags *diags) {
    LS_GUARDED((ls_diags_no_memory(diags), ls_escape_further(), NULL),
               check_launch(device, ptx, length, filename, launch, options, diags));
}

void ls_detect_result_free(ls_detect_result *result) {
    if (!result) return;
    ls_store_free(result->store);
    ls_arena_free(result->arena);
    free(result->arena);
    free(result);
}

double ls_detect_native(ls_detect_device *device, const char *ptx, size_t length,
                        const ls_detect_launch *launch, uint32_t times, ls_diags *diags) {
    void *module = device->f->load(device, ptx, length, false, diags);
    if (!module) return -1;
    device_launch how = {
        .shared_bytes = launch->shared_bytes, .params = launch->params, .params_size = launch->params_size};
    memcpy(how.grid, launch->grid, sizeof how.grid);
    memcpy(how.block, launch->block, sizeof how.block);
    double start = ls_clock_ms(LS_CLOCK_WALL);
    bool done = true;
    for (uint32_t i = 0; i < times && done; i++)
        done = device->f->launch(device, module, launch->kernel, &how, diags);
    done = done && device->f->wait(device, 0, diags);
    double time = (ls_clock_ms(LS_CLOCK_WALL) - start) / (times ? times : 1);
    device->f->unload(device, module);
    return done ? time : -1;
}

/* --- The device's own functions --------------------------------------------------------------------------
 */

void ls_detect_device_free(ls_detect_device *device) {
    if (!device) return;
    dt_drop_kept(device);
    if (device->sweeps) device->f->unload(device, device->sweeps);
    device->f->free(device);
}

const char *ls_detect_device_name(const ls_detect_device *device) {
    return device->name;
}

uint64_t ls_detect_alloc(ls_detect_device *device, uint64_t size) {
    return device->f->alloc(device, size);
}

void ls_detect_free(ls_detect_device *device, uint64_t address) {
    device->f->release(device, address);
}

bool ls_detect_write(ls_detect_device *device, uint64_t to, const void *from, uint64_t size) {
    return device->f->write(device, to, from, size);
}

bool ls_detect_read(ls_detect_device *device, void *to, uint64_t from, uint64_t size) {
    return device->f->read(device, to, from, size);
}
