/* Races on global memory between units of the grid (002, §4.4, §4.5): the whole kernel is one region, each
 * unit's group has a private copy of the global memory that the kernel writes, in as many rounds as the
 * number of copies asks for. All rounds are put to the device at once and the report is read at the end; only
 * where there is something in it they are run again one by one, to know in which round it was. */
#include "detect/check.h"

#include "base/recover.h"

#include <math.h>
#include <stdlib.h>

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
    LS_SCRATCH(scratch);
    uint8_t *seen = ls_arena_zalloc(&scratch, k->ir->block_count); /* 1: without, 2: behind a barrier */
    LS_VEC(uint32_t) work = {0};
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
    return none;
}

/* Whether the whole kernel may be taken for one region of every warp: no target is used on both sides of a
 * barrier, where a block's warps could pass values on without a race. */
bool dt_warps_are_units(const check *c) {
    const kernel *k = c->k;
    if (k->region_count == 1) return true;
    for (uint32_t g = 0; g < k->object_count; g++) {
        const object *o = &k->objects[g];
        bool open = o->state == OBJECT_TARGET || (o->state == OBJECT_ATOMIC && o->mixed);
        if (o->is_shared || !open || o->group != g) continue;
        for (uint32_t i = 0; i < k->ir->instr_count; i++)
            if (uses_group(k, k->ir->instrs[i], g) && !no_use_behind_barrier(k, k->ir->instrs[i], g))
                return false;
    }
    return true;
}

/* The number of copies with the least expected time: a round is one run or two, and as many passes over all
 * copies; they are written once before. */
static uint64_t choose_copies(uint64_t units, uint64_t bytes, uint64_t most, bool read_write) {
    const double run = 1e-4, bandwidth = 3e12, passes = read_write ? 2 : 1;
    uint64_t best = 0;
    double least = INFINITY;
    for (uint32_t rounds = 1; rounds < 64; rounds++) {
        uint64_t copies = (uint64_t)ceil(pow((double)units, 1.0 / rounds) - 1e-9);
        if (copies < 2) copies = 2;
        while (ls_detect_rounds(units, copies) > rounds) copies++;
        double sweep = (double)(copies + 2) * (double)bytes / bandwidth;
        double time = rounds * passes * (run + sweep) + sweep;
        if (copies <= most && time < least) least = time, best = copies;
        if (copies == 2) break;
    }
    return best;
}

bool dt_plan_copies(check *c, uint64_t units, bool read_write) {
    uint64_t limit = c->options->memory ? c->options->memory : dt_free_memory(c->device) / 10 * 8;
    c->stride = (c->target_bytes + 255) / 256 * 256;
    uint64_t most = limit / c->stride;
    most = most > 1 ? most - 1 : 0; /* the union */
    uint64_t copies =
        c->options->copies ? c->options->copies : choose_copies(units, c->stride, most, read_write);
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
                           "races on global memory: there is not enough memory for the private copies");
        return false;
    }
    return true;
}

grid_params dt_sweep_params(const check *c) {
    return (grid_params){.old = c->snapshot,
                         .united = c->united,
                         .copies = c->copies,
                         .stride = c->stride,
                         .count = c->copy_count,
                         .bytes = c->target_bytes,
                         .report = c->report,
                         .flag = c->flag,
                         .number = c->launch->number,
                         .ordered = c->options->equal_values ? UNION_EQUAL : UNION_CHECKED};
}

static uint32_t count_between(const check *c) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->records.length; i++) count += c->records.items[i].kind != RACE_INTRA_WARP;
    return count;
}

/* Whether both passes left the same in the memory that is not a target: values that a racy read changed may
 * have gone there. */
static bool compare_others(check *c) {
    uint64_t bytes = c->saved_bytes - c->target_bytes;
    if (!bytes) return true;
    if (!dt_keep_others(c, 1)) return false;
    grid_params params = {.old = c->others[0],
                          .united = c->others[0],
                          .copies = c->others[1],
                          .count = 1,
                          .bytes = bytes,
                          .report = c->report,
                          .flag = c->flag,
                          .number = c->launch->number};
    return dt_run_sweep(c, "ls_compare", &params);
}

/* Reads what compare_others reported. */
static bool read_others(check *c) {
    uint32_t before = c->records.length;
    if (!dt_read_report(c)) return false;
    for (uint32_t i = before; i < c->records.length; i++) {
        c->records.items[i].offset += c->target_bytes;
        c->records.items[i].unit = UNKNOWN_UNIT;
    }
    return true;
}

static bool first_pass(check *c, const rounds_plan *p, uint32_t round) {
    grid_params params = dt_sweep_params(c);
    bool last = round + 1 == p->most;
    params.after = p->read_write ? AFTER_SECOND_PASS : last ? AFTER_NOTHING : AFTER_ORIGINALS;
    return (!round || dt_restore_parts(c, false, true)) &&
           dt_run_variant(c, round ? p->second : p->first, c->launch->shared_bytes) &&
           dt_run_sweep(c, "ls_union", &params);
}

static bool second_pass(check *c, const rounds_plan *p) {
    grid_params params = dt_sweep_params(c);
    return dt_keep_others(c, 0) && dt_restore_parts(c, false, true) &&
           dt_run_variant(c, p->second, c->launch->shared_bytes) && dt_run_sweep(c, "ls_compare", &params);
}

/* All rounds at once; *clean: nothing was found but conflicts within one store. */
static bool run_at_once(check *c, const rounds_plan *p, bool *clean) {
    grid_params params = dt_sweep_params(c);
    bool done = (c->queued || (dt_write_contexts(c, p->most) && dt_clear_report(c))) &&
                dt_run_sweep(c, "ls_copies", &params);
    for (uint32_t round = 0; round < p->most && done; round++) {
        dt_use_context(c, round);
        done = first_pass(c, p, round) && (!p->read_write || (second_pass(c, p) && compare_others(c)));
    }
    if (!c->queued) done = done && dt_read_report(c);
    *clean = !count_between(c);
    if (*clean) c->result->rounds_run = p->most;
    return done;
}

/* One round by itself. */
static bool run_round(check *c, const rounds_plan *p, uint32_t round) {
    uint64_t divisor = ls_detect_divisor(c->copy_count, c->result->rounds, round);
    if (!dt_write_context(c, divisor, UINT64_MAX, 0, UINT64_MAX) || !dt_clear_report(c)) return false;
    if (!first_pass(c, p, round) || !dt_read_report(c)) return false;
    c->result->rounds_run++;
    if (count_between(c) || !p->read_write) return true;
    if (!dt_clear_report(c) || !second_pass(c, p) || !dt_read_report(c)) return false;
    return count_between(c) || (dt_clear_report(c) && compare_others(c) && read_others(c));
}

static bool run_one_by_one(check *c, const rounds_plan *p) {
    grid_params params = dt_sweep_params(c);
    c->records.length = 0;
    if (!dt_restore_parts(c, false, true) || !dt_run_sweep(c, "ls_copies", &params)) return false;
    for (uint32_t round = 0; round < p->most; round++) {
        if (!run_round(c, p, round)) return false;
        if (count_between(c)) return true;
    }
    return true;
}

static bool run_rounds(check *c, const rounds_plan *p) {
    bool clean;
    return run_at_once(c, p, &clean) && (clean || run_one_by_one(c, p));
}

bool dt_queue_rounds(check *c) {
    bool clean;
    return run_at_once(c, &c->rounds, &clean);
}

static bool has_fence(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->instr_count; i++)
        if (k->ir->instrs[i]->form->opcode->fence == LS_FENCE_THREADS) return true;
    return false;
}

/* Whether the second pass makes sense; false in *any: not even the first. reads: it is asked for. */
static bool second_pass_compares(check *c, bool reads, bool *any) {
    const kernel *k = c->k;
    *any = !k->cluster_barrier;
    if (k->cluster_barrier)
        dt_leave_unchecked(c, NULL, k->cluster_barrier,
                           "races on global memory: the blocks of a cluster wait for each other");
    if (!k->once || k->cluster_barrier) return *any;
    bool atomics = strstr(k->once, "atomic") != NULL;
    *any = (atomics || strstr(k->once, "clock") || strstr(k->once, "call")) && !has_fence(k);
    if (reads || !*any)
        dt_leave_unchecked(c, NULL, k->once_pos, "%s on global memory: the kernel has %s",
                           *any ? "read-write races" : "races", k->once);
    return false;
}

/* Whether the kernel may read what it may write: else a race is between writes, and one pass shows it. */
static bool reads_targets(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->access_count; i++)
        if (k->ir->accesses[i]->kind != LS_ACCESS_WRITE && dt_access_may_target(k, k->ir->accesses[i], false))
            return true;
    return false;
}

bool dt_blocks_are_own(check *c) {
    for (uint32_t i = 0; i < c->k->region_count; i++)
        if (!dt_region_is_own(c->k, &c->k->regions[i], c->launch, false)) return false;
    return true;
}

/* Where warps are no units, since a block's warps may pass values on at barriers: their accesses are logged
 * by barrier interval. */
static bool check_inside(check *c) {
    static const char what[] = "races on global memory between warps of one block";
    uint64_t checked = 0;
    if (c->warps < 2 || dt_blocks_are_own(c)) return true;
    if (c->k->once || has_fence(c->k) || c->k->unsupported || c->options->no_lines) {
        dt_leave_unchecked(c, NULL, NULL, "%s: it is used on both sides of a barrier, and the kernel has %s",
                           what,
                           c->k->once          ? c->k->once
                           : c->k->unsupported ? c->k->unsupported
                                               : "fences");
        return true;
    }
    double start = ls_clock_ms(LS_CLOCK_WALL);
    bool done = dt_check_inside(c, false, &checked);
    c->result->run_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    c->result->inside_blocks = checked;
    if (done && checked < c->blocks)
        dt_leave_unchecked(c, NULL, NULL, "%s: looked for in %llu of %llu blocks", what,
                           (unsigned long long)checked, (unsigned long long)c->blocks);
    return done;
}

/* True where global memory was checked or need not be; *ran: the kernel has been run. */
bool dt_check_global(check *c, bool *ran, instrument_options *used, uint64_t *divisor) {
    bool any;
    if (!c->target_bytes) return true;
    bool warps = dt_warps_are_units(c);
    uint64_t units = warps ? c->blocks * c->warps : c->blocks;
    c->result->units = units, c->result->units_are_warps = warps;
    bool reads = reads_targets(c->k), repeats = second_pass_compares(c, reads, &any);
    if (units < 2 && !c->options->no_intra_warp)
        dt_leave_unchecked(
            c, NULL, NULL,
            "conflicts within one store to global memory: the launch has only one warp or block");
    if (units < 2 && !warps)
        return dt_plan_copies(c, 2, false) ? check_inside(c) && dt_restore_parts(c, true, true) : true;
    rounds_plan p = {.read_write = reads && repeats};
    if (units < 2 || !any || !dt_plan_copies(c, units, p.read_write)) return true;
    c->result->rounds = ls_detect_rounds(units, c->copy_count);
    c->result->copies = c->copy_count;
    p.most =
        c->options->rounds && c->options->rounds < c->result->rounds ? c->options->rounds : c->result->rounds;
    instrument_options variant = {
        .mode = MODE_GRID, .units_are_warps = warps, .threads = c->threads, .warps = c->warps};
    instrument_options lanes = variant;
    lanes.intra_warp = !c->options->no_intra_warp;
    p.second = dt_load_variant(c, &variant, NULL);
    p.first = lanes.intra_warp ? dt_load_variant(c, &lanes, NULL) : p.second;
    if (!dt_take_contexts(c, p.most)) return true;
    if (!dt_load_sweeps(c)) return false;
    c->rounds = p;
    double start = ls_clock_ms(LS_CLOCK_WALL);
    bool done = p.first && p.second && run_rounds(c, &p);
    c->result->run_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    c->result->probability = ls_detect_probability(units, c->copy_count, c->result->rounds_run);
    *divisor = ls_detect_divisor(c->copy_count, c->result->rounds,
                                 c->result->rounds_run ? c->result->rounds_run - 1 : 0);
    *used = variant;
    *ran = true;
    return done && (warps || check_inside(c));
}
