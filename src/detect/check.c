/* A launch is checked: first between units of the grid (002, §4.4, §4.5: the whole kernel is one region, each
 * unit's group has a private copy of the global memory that the kernel writes, in as many rounds as the
 * number of copies asks for), then within blocks (§4.1, §4.2: the instrumented kernel does both passes of
 * every barrier interval by itself). What the kernel leaves in memory is what it leaves without the detector.
 */
#include "detect/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double dt_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void dt_leave_unchecked(check *c, const char *what, const ls_ir_pos *pos, const char *format, ...) {
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

static void copy_constants(check *c, void *module) {
    for (uint32_t i = 0; i < c->k->ir->object_count && c->launch->symbol; i++) {
        const ls_ir_object *o = c->k->ir->objects[i];
        if (o->kind != LS_OBJECT_CONST) continue;
        uint64_t size = 0, from = c->launch->symbol(c->launch->symbol_context, o->symbol->name, &size);
        uint64_t to = c->device->f->symbol(c->device, module, o->symbol->name, NULL);
        if (from && to) c->device->f->copy(c->device, to, from, size);
    }
}

void *dt_load_variant(check *c, const instrument_options *options, uint64_t *shared) {
    double start = dt_now_ms();
    size_t length;
    kernel *k = dt_kernel_load(c->ptx, c->length, c->filename, c->launch, c->options, c->diags);
    if (!k) return NULL;
    if (shared)
        *shared = options->mode == MODE_BLOCK ? dt_instrumented_shared(k, options) : c->launch->shared_bytes;
    instrument_options how = *options;
    how.has_redux = c->device->has_redux;
    char *text = dt_instrument(k, &how, &length);
    dt_kernel_free(k);
    c->result->instrument_ms += dt_now_ms() - start;
    start = dt_now_ms();
    void *module = c->device->f->load(c->device, text, length, c->diags);
    free(text);
    if (module) copy_constants(c, module);
    c->result->load_ms += dt_now_ms() - start;
    return module;
}

void dt_drop_variant(check *c, void *module) {
    if (module) c->device->f->unload(c->device, module);
}

static bool launch_module(check *c, void *module, uint64_t shared, bool with_context) {
    size_t at = context_position(c);
    char *params = ls_arena_zalloc(c->arena, at + 8);
    if (c->launch->params_size) memcpy(params, c->launch->params, c->launch->params_size);
    if (with_context) memcpy(params + at, &c->context, 8);
    device_launch launch = {
        .shared_bytes = (uint32_t)shared, .params = params, .timeout = c->options->timeout};
    launch.params_size = with_context ? at + 8 : c->launch->params_size;
    memcpy(launch.grid, c->launch->grid, sizeof launch.grid);
    memcpy(launch.block, c->launch->block, sizeof launch.block);
    c->result->launches++;
    return c->device->f->launch(c->device, module, c->launch->kernel, &launch, c->diags);
}

bool dt_run_variant(check *c, void *module, uint64_t shared) {
    return launch_module(c, module, shared, true);
}

/* --- Between units ---------------------------------------------------------------------------------------
 */

static bool uses_group(const kernel *k, const ls_ir_instr *instr, uint32_t group) {
    for (uint32_t i = 0; i < instr->access_count; i++) {
        const access_info *info = &k->accesses[instr->accesses[i].id];
        if (info->in_global && (info->object == LS_IR_NONE || k->objects[info->object].group == group))
            return true;
    }
    return false;
}

/* Goes through a block from an instruction on; false where the group is used behind a barrier. */
static bool walk(const kernel *k, const ls_ir_block *block, uint32_t first, uint32_t group, bool *behind) {
    for (uint32_t i = first; i < block->instr_count; i++) {
        const ls_ir_instr *instr = block->instrs[i];
        if (is_barrier(instr)) *behind = true;
        if (*behind && uses_group(k, instr, group)) return false;
    }
    return true;
}

/* Whether no use of the group can come after the given one with a barrier in between. */
static bool no_use_behind_barrier(const kernel *k, const ls_ir_instr *from, uint32_t group) {
    uint8_t *seen = ls_xmalloc(k->ir->block_count); /* 1: without, 2: behind a barrier */
    LS_VEC(uint32_t) work = {0};
    memset(seen, 0, k->ir->block_count);
    uint32_t at = 0;
    while (from->block->instrs[at] != from) at++;
    bool behind = false, none = walk(k, from->block, at + 1, group, &behind);
    const ls_ir_block *block = from->block;
    while (none) {
        for (uint32_t s = 0; s < block->succ_count; s++) {
            uint32_t next = block->succs[s]->id;
            uint8_t mark = behind ? 2 : 1;
            if (seen[next] & mark) continue;
            seen[next] |= mark;
            LS_VEC_PUSH(&work, next * 2 + behind);
        }
        if (!work.length) break;
        uint32_t item = work.items[--work.length];
        block = k->ir->blocks[item / 2];
        behind = item & 1;
        none = walk(k, block, 0, group, &behind);
    }
    LS_VEC_FREE(&work);
    free(seen);
    return none;
}

/* Whether the whole kernel may be taken for one region of every warp: no target is used on both sides of a
 * barrier, where a block's warps could pass values on without a race. */
static bool warps_are_units(const check *c) {
    const kernel *k = c->k;
    if (k->region_count == 1) return true;
    for (uint32_t g = 0; g < k->object_count; g++) {
        if (k->objects[g].is_shared || k->objects[g].state != OBJECT_TARGET || k->objects[g].group != g)
            continue;
        for (uint32_t i = 0; i < k->ir->instr_count; i++)
            if (uses_group(k, k->ir->instrs[i], g) && !no_use_behind_barrier(k, k->ir->instrs[i], g))
                return false;
    }
    return true;
}

/* The number of copies with the least expected time: a round is two runs, and some passes over all copies. */
static uint64_t choose_copies(uint64_t units, uint64_t bytes, uint64_t most) {
    const double run = 1e-4, bandwidth = 2e12;
    uint64_t best = 0;
    double least = INFINITY;
    for (uint32_t rounds = 1; rounds < 64; rounds++) {
        uint64_t copies = (uint64_t)ceil(pow((double)units, 1.0 / rounds) - 1e-9);
        if (copies < 2) copies = 2;
        while (ls_detect_rounds(units, copies) > rounds) copies++;
        double time = rounds * (2 * run + 6.0 * (double)copies * (double)bytes / bandwidth);
        if (copies <= most && time < least) least = time, best = copies;
        if (copies == 2) break;
    }
    return best;
}

static bool plan_copies(check *c, uint64_t units) {
    uint64_t limit = c->options->memory ? c->options->memory : c->device->f->free_memory(c->device) / 10 * 8;
    c->stride = (c->target_bytes + 255) / 256 * 256;
    uint64_t most = limit / c->stride;
    most = most > 1 ? most - 1 : 0; /* the union */
    uint64_t copies = c->options->copies ? c->options->copies : choose_copies(units, c->stride, most);
    if (c->options->deterministic) copies = units;
    if (copies > units) copies = units;
    if (copies < 2 || copies > most) {
        dt_leave_unchecked(
            c, NULL, NULL,
            "races on global memory: %llu copies of %llu bytes do not fit into the memory limit",
            (unsigned long long)(copies < 2 ? 2 : copies), (unsigned long long)c->stride);
        return false;
    }
    c->copy_count = copies;
    c->united = dt_take_memory(c, c->stride);
    c->copies = dt_take_memory(c, c->stride * copies);
    if (!c->united || !c->copies) {
        dt_leave_unchecked(c, NULL, NULL,
                           "races on global memory: there is no memory for the private copies");
        return false;
    }
    return true;
}

static grid_params sweep_params(const check *c) {
    return (grid_params){.old = c->snapshot,
                         .united = c->united,
                         .copies = c->copies,
                         .stride = c->stride,
                         .count = c->copy_count,
                         .bytes = c->target_bytes,
                         .report = c->report};
}

static uint32_t count_between(const check *c) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->records.length; i++)
        count += c->records.items[i].kind != LS_DETECT_INTRA_WARP;
    return count;
}

/* Whether both passes left the same in the memory that is not a target: values that a racy read changed may
 * have gone there. */
static bool compare_others(check *c) {
    uint64_t bytes = c->saved_bytes - c->target_bytes;
    uint32_t before = c->records.length;
    if (!bytes) return true;
    if (!dt_keep_others(c, 1)) return false;
    grid_params params = {.old = c->others[0],
                          .united = c->others[0],
                          .copies = c->others[1],
                          .count = 1,
                          .bytes = bytes,
                          .report = c->report};
    if (!dt_clear_report(c) || !dt_run_sweep(c, "ls_compare", &params) || !dt_read_report(c)) return false;
    for (uint32_t i = before; i < c->records.length; i++) {
        c->records.items[i].offset += c->target_bytes;
        c->records.items[i].unit = UNKNOWN_UNIT;
    }
    return true;
}

/* One round: both passes. False where a launch failed. */
static bool run_round(check *c, void *first, void *second, uint32_t round, bool read_write) {
    uint64_t shared = c->launch->shared_bytes;
    grid_params params = sweep_params(c);
    uint64_t divisor = ls_detect_divisor(c->copy_count, c->result->rounds, round);
    if (!dt_write_context(c, divisor, UINT64_MAX, 0, UINT64_MAX) || !dt_clear_report(c)) return false;
    if (round && !dt_restore_parts(c, false, true)) return false;
    if (!dt_run_variant(c, first, shared) || !dt_run_sweep(c, "ls_union", &params) || !dt_read_report(c))
        return false;
    c->result->rounds_run++;
    if (count_between(c) || !read_write) return true;
    if (!dt_keep_others(c, 0) || !dt_restore_parts(c, false, true) || !dt_clear_report(c)) return false;
    if (!dt_run_variant(c, second, shared) || !dt_run_sweep(c, "ls_compare", &params) || !dt_read_report(c))
        return false;
    return count_between(c) || compare_others(c);
}

static bool run_rounds(check *c, void *first, void *second, bool read_write) {
    grid_params params = sweep_params(c);
    uint32_t most =
        c->options->rounds && c->options->rounds < c->result->rounds ? c->options->rounds : c->result->rounds;
    if (!dt_run_sweep(c, "ls_copies", &params)) return false;
    for (uint32_t round = 0; round < most; round++) {
        if (!run_round(c, round ? second : first, second, round, read_write)) return false;
        if (count_between(c)) return true;
        if (!read_write && !dt_run_sweep(c, "ls_copies", &params)) return false;
    }
    return true;
}

static bool has_fence(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->instr_count; i++)
        if (k->ir->instrs[i]->op == LS_OP_MEMBAR || k->ir->instrs[i]->op == LS_OP_FENCE) return true;
    return false;
}

/* Whether the second pass makes sense; false in *any: not even the first. */
static bool second_pass_compares(check *c, bool *any) {
    const kernel *k = c->k;
    *any = true;
    if (!k->once) return true;
    bool atomics = strstr(k->once, "atomic") != NULL;
    *any = (atomics || strstr(k->once, "clock") || strstr(k->once, "call")) && !has_fence(k);
    dt_leave_unchecked(c, NULL, k->once_pos, "%s on global memory: the kernel has %s",
                       *any ? "read-write races" : "races", k->once);
    return false;
}

/* True where global memory was checked or need not be; *ran: the kernel has been run. */
static bool check_global(check *c, bool *ran, instrument_options *used, uint64_t *divisor) {
    bool any;
    if (!c->target_bytes) return true;
    bool warps = warps_are_units(c);
    uint64_t units = warps ? c->blocks * c->warps : c->blocks;
    c->result->units = units, c->result->units_are_warps = warps;
    if (!warps)
        dt_leave_unchecked(
            c, NULL, NULL,
            "races on global memory between warps of one block: it is used on both sides of a barrier");
    bool read_write = second_pass_compares(c, &any);
    if (units < 2 && !c->options->no_intra_warp)
        dt_leave_unchecked(c, NULL, NULL,
                           "conflicts within one store to global memory: there is only one unit");
    if (units < 2 || !any || !plan_copies(c, units)) return true;
    c->result->rounds = ls_detect_rounds(units, c->copy_count);
    c->result->copies = c->copy_count;
    instrument_options variant = {
        .mode = MODE_GRID, .units_are_warps = warps, .threads = c->threads, .warps = c->warps};
    instrument_options lanes = variant;
    lanes.intra_warp = !c->options->no_intra_warp;
    void *second = dt_load_variant(c, &variant, NULL);
    void *first = lanes.intra_warp ? dt_load_variant(c, &lanes, NULL) : second;
    c->start = dt_now_ms() - c->result->run_ms;
    bool done = first && second && run_rounds(c, first, second, read_write);
    c->result->run_ms = dt_now_ms() - c->start;
    c->result->probability = ls_detect_probability(units, c->copy_count, c->result->rounds_run);
    *divisor = ls_detect_divisor(c->copy_count, c->result->rounds,
                                 c->result->rounds_run ? c->result->rounds_run - 1 : 0);
    *used = variant;
    *ran = true;
    if (first != second) dt_drop_variant(c, first);
    dt_drop_variant(c, second);
    return done;
}

/* --- Within blocks ---------------------------------------------------------------------------------------
 */

static bool regions_to_check(check *c) {
    bool any = false;
    for (uint32_t i = 0; i < c->k->region_count; i++) {
        const region *r = &c->k->regions[i];
        if (r->once && r->writes_shared)
            dt_leave_unchecked(c, NULL, r->once_pos,
                               "shared memory between two barriers: the interval has %s, so it "
                               "cannot be run twice",
                               r->once);
        any |= r->checked || (r->writes_shared && c->warps == 1 && !c->options->no_intra_warp);
        c->result->checked_regions += r->checked;
    }
    c->result->regions = c->k->region_count;
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
    c->scratch = dt_take_memory(c, c->k->segment * c->warps * c->blocks);
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
    c->undo = dt_take_memory(c, entries * threads * 16);
    if (!c->undo) dt_leave_unchecked(c, NULL, NULL, "shared memory: no memory for undoing global stores");
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
                                  .intra_warp = !c->options->no_intra_warp};
    if (!place_shared_copies(c, &variant) || !place_undo_log(c)) return true;
    uint64_t shared;
    void *module = dt_load_variant(c, &variant, &shared);
    c->start = dt_now_ms() - c->result->run_ms;
    c->result->shared_bytes = (uint32_t)shared;
    c->result->copies_in_shared = variant.copies_in_shared;
    bool done = module && (!before || dt_restore_parts(c, true, true)) &&
                dt_write_context(c, 1, UINT64_MAX, 0, UINT64_MAX) && dt_clear_report(c) &&
                dt_run_variant(c, module, shared) && dt_read_report(c);
    c->result->run_ms = dt_now_ms() - c->start;
    *used = variant;
    *ran = true;
    dt_drop_variant(c, module);
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
    if (global_too && !plan_copies(c, c->blocks)) return false;
    uint64_t shared;
    void *module = dt_load_variant(c, &variant, &shared);
    grid_params params = sweep_params(c);
    params.ordered = 1;
    c->start = dt_now_ms();
    bool done = module && (!global_too || dt_run_sweep(c, "ls_copies", &params)) &&
                dt_write_context(c, 1, UINT64_MAX, 0, UINT64_MAX) && dt_clear_report(c) &&
                dt_run_variant(c, module, shared) && (!global_too || dt_run_sweep(c, "ls_union", &params)) &&
                dt_read_report(c) && (!global_too || dt_scatter_union(c));
    done = done && c->device->f->wait(c->device, c->options->timeout, c->diags);
    c->result->run_ms = dt_now_ms() - c->start;
    c->result->copies_in_shared = variant.copies_in_shared;
    dt_drop_variant(c, module);
    return done;
}

/* --- All of it -------------------------------------------------------------------------------------------
 */

static void note_objects(check *c) {
    LS_VEC(const char *) pruned = {0};
    for (uint32_t i = 0; i < c->k->object_count; i++) {
        const object *o = &c->k->objects[i];
        if (!o->read && !o->written) continue;
        if (o->state == OBJECT_ATOMIC)
            dt_leave_unchecked(c, o->name, NULL, "atomic operations are used on it");
        else if (o->state == OBJECT_RACE_FREE)
            LS_VEC_PUSH_IN(c->arena, &pruned, ls_arena_strdup(c->arena, o->name));
    }
    c->result->pruned = pruned.items, c->result->pruned_count = pruned.length;
}

static bool run_as_it_is(check *c) {
    if (!c->original) c->original = c->device->f->load(c->device, c->ptx, c->length, c->diags);
    return c->original && launch_module(c, c->original, c->launch->shared_bytes, false) &&
           c->device->f->wait(c->device, c->options->timeout, c->diags);
}

/* Source lines need further runs; memory is then put back to what the checked run left. */
static void find_lines(check *c, const instrument_options *grid, uint64_t divisor,
                       const instrument_options *block, uint32_t global_records) {
    uint64_t final = c->saved_bytes ? dt_take_memory(c, c->saved_bytes) : 0;
    bool kept = final != 0;
    for (uint32_t i = 0; i < c->parts.length && kept; i++)
        kept = c->device->f->copy(c->device, final + c->parts.items[i].offset, c->parts.items[i].address,
                                  c->parts.items[i].size);
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
    for (uint32_t i = 0; i < c->parts.length && kept; i++)
        c->device->f->copy(c->device, c->parts.items[i].address, final + c->parts.items[i].offset,
                           c->parts.items[i].size);
}

static bool run_checks(check *c) {
    instrument_options grid = {0}, block = {0};
    uint64_t divisor = 1;
    bool ran = false;
    if (!dt_find_parts(c) || !dt_save_parts(c)) {
        ls_diags_add(c->diags, LS_ERROR, NULL, 0, 0, "there is no device memory left for the check");
        return false;
    }
    if (c->k->call_pos) {
        dt_leave_unchecked(c, NULL, c->k->call_pos, "the kernel has %s", c->k->unsupported);
        return run_as_it_is(c);
    }
    if (c->options->deterministic) return run_deterministic(c);
    if (!check_global(c, &ran, &grid, &divisor)) return false;
    uint32_t global_records = c->records.length;
    bool ran_grid = ran;
    ran = false;
    if (!check_shared(c, ran_grid, &ran, &block)) return false;
    if (ran_grid && !ran && !dt_scatter_union(c)) return false;
    if (!ran && !ran_grid && !run_as_it_is(c)) return false;
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

/* The columns of Table VI: how many bytes and warps the records name, each once. */
static void count_racy(check *c) {
    report_record *r = c->records.items;
    uint32_t n = c->records.length;
    if (!n || !c->races.length) return;
    qsort(r, n, sizeof *r, by_place);
    for (uint32_t i = 0, end; i < n; i = end) {
        uint32_t mask = 0;
        for (end = i; end < n && by_place(&r[end], &r[i]) == 0; end++)
            if (r[end].kind != LS_DETECT_INTRA_WARP && r[end].offset != NO_OFFSET) mask |= r[end].mask;
        c->result->racy_bytes += (uint64_t)__builtin_popcount(mask) / 8;
    }
    qsort(r, n, sizeof *r, by_unit);
    for (uint32_t i = 0; i < n; i++) c->result->racy_warps += !i || by_unit(&r[i], &r[i - 1]) != 0;
}

static void finish(check *c, bool done) {
    ls_detect_result *r = c->result;
    count_racy(c);
    r->races = LS_NEW_N(c->arena, ls_detect_race, c->races.length + 1);
    r->race_count = c->races.length;
    if (c->races.length) memcpy(r->races, c->races.items, sizeof *r->races * c->races.length);
    r->unchecked = LS_NEW_N(c->arena, ls_detect_unchecked, c->unchecked.length + 1);
    r->unchecked_count = c->unchecked.length;
    if (c->unchecked.length)
        memcpy(r->unchecked, c->unchecked.items, sizeof *r->unchecked * c->unchecked.length);
    r->status = !done                ? LS_DETECT_FAILED
                : r->race_count      ? LS_DETECT_RACY
                : r->unchecked_count ? LS_DETECT_UNKNOWN
                                     : LS_DETECT_CLEAN;
    if (!done && !r->message && ls_diags_count(c->diags))
        r->message = ls_arena_strdup(c->arena, ls_diags_at(c->diags, ls_diags_count(c->diags) - 1)->message);
}

static void release(check *c) {
    dt_give_memory_back(c);
    if (c->original) c->device->f->unload(c->device, c->original);
    dt_kernel_free(c->k);
    LS_VEC_FREE(&c->parts);
    LS_VEC_FREE(&c->unchecked);
    LS_VEC_FREE(&c->races);
    LS_VEC_FREE(&c->records);
}

ls_detect_result *ls_detect_check(ls_detect_device *device, const char *ptx, size_t length,
                                  const char *filename, const ls_detect_launch *launch,
                                  const ls_detect_options *options, ls_diags *diags) {
    static const ls_detect_options none = {0};
    ls_detect_result *result = ls_xmalloc(sizeof *result);
    ls_arena *arena = ls_xmalloc(sizeof *arena);
    ls_arena_init(arena);
    *result = (ls_detect_result){.arena = arena};
    check c = {.device = device,
               .launch = launch,
               .options = options ? options : &none,
               .diags = diags,
               .arena = arena,
               .result = result,
               .ptx = ptx,
               .filename = filename,
               .length = length};
    c.threads = launch->block[0] * launch->block[1] * launch->block[2];
    c.warps = (c.threads + 31) / 32;
    c.blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    for (uint32_t i = 0; i < launch->buffer_count && device->f->know; i++)
        device->f->know(device, launch->buffers[i].address, launch->buffers[i].size);
    double start = dt_now_ms();
    c.k = dt_kernel_load(ptx, length, filename, launch, c.options, diags);
    result->instrument_ms = dt_now_ms() - start;
    if (!c.k || !c.threads || !c.blocks) {
        result->status = LS_DETECT_UNSUPPORTED;
        result->message = !c.k ? "the kernel cannot be read" : "an empty launch";
        release(&c);
        return result;
    }
    note_objects(&c);
    finish(&c, run_checks(&c));
    release(&c);
    return result;
}

void ls_detect_result_free(ls_detect_result *result) {
    if (!result) return;
    ls_arena_free(result->arena);
    free(result->arena);
    free(result);
}

double ls_detect_native(ls_detect_device *device, const char *ptx, size_t length,
                        const ls_detect_launch *launch, uint32_t times, ls_diags *diags) {
    void *module = device->f->load(device, ptx, length, diags);
    if (!module) return -1;
    device_launch how = {
        .shared_bytes = launch->shared_bytes, .params = launch->params, .params_size = launch->params_size};
    memcpy(how.grid, launch->grid, sizeof how.grid);
    memcpy(how.block, launch->block, sizeof how.block);
    double start = dt_now_ms();
    bool done = true;
    for (uint32_t i = 0; i < times && done; i++)
        done = device->f->launch(device, module, launch->kernel, &how, diags);
    done = done && device->f->wait(device, 0, diags);
    double time = (dt_now_ms() - start) / (times ? times : 1);
    device->f->unload(device, module);
    return done ? time : -1;
}

/* --- The device's own functions --------------------------------------------------------------------------
 */

void ls_detect_device_free(ls_detect_device *device) {
    if (!device) return;
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
