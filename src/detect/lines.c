/* From addresses to source lines (002, §6.2: "rerunning a warp after a race is detected"). The comparison of
 * copies tells which bytes of which warp are racy; a further run with logging tells who accessed them.
 *
 *   within a block: everything that the block does in the racy interval is logged;
 *   between units, write-write: accesses to the racy words are logged;
 *   between units, read-write: the word that differs was computed from a racy read elsewhere. So first the
 *     unit's accesses to words that other units change are logged, then everybody's to those words.
 *
 * Two logged accesses of different units to one byte, one of them a write, are a race, and their lines are
 * what is reported. */
#include "base/recover.h"
#include "detect/check.h"
#include "finding/store.h"

#include <stdlib.h>

enum { MAX_REGIONS = 4, MAX_WORDS = 64, MAX_SAME = 64 };

/* --- Races -----------------------------------------------------------------------------------------------
 */

/* The calls around an inlined place. */
static const ls_place *keep_calls(check *c, const ls_place *at) {
    if (!at) return NULL;
    ls_place *kept = LS_NEW(c->arena, ls_place);
    *kept = *at;
    kept->file = ls_arena_strdup(c->arena, at->file), kept->at = keep_calls(c, at->at);
    return kept;
}

static void set_place(check *c, race_side *side, uint32_t access) {
    if (access >= c->k->ir->access_count) return;
    const ls_ir_access *a = c->k->ir->accesses[access];
    const ls_place *pos = a->instr->pos;
    side->place = (ls_place){.file = ls_arena_strdup(c->arena, pos->file),
                             .line = pos->line,
                             .column = pos->column,
                             .ptx_line = pos->ptx_line,
                             .at = keep_calls(c, pos->at)};
    side->is_write = a->kind != LS_ACCESS_READ;
}

/* The object at a byte of the segment, or of the copies. */
static const char *object_at(const check *c, bool is_shared, uint64_t offset, uint64_t *inside) {
    *inside = offset;
    for (uint32_t i = 0; i < c->k->object_count && is_shared; i++) {
        const object *o = &c->k->objects[i];
        if (!o->is_shared || offset < o->layout || offset - o->layout >= o->size) continue;
        *inside = offset - o->layout;
        return o->name;
    }
    for (uint32_t i = 0; i < c->parts.length && !is_shared; i++) {
        const part *p = &c->parts.items[i];
        if (offset < p->offset || offset - p->offset >= p->size) continue;
        *inside = offset - p->offset;
        return p->name ? p->name : "global memory";
    }
    return is_shared ? "shared memory" : "global memory";
}

static bool same_place(const ls_place *a, const ls_place *b) {
    if (!a->file || !b->file) return !a->file && !b->file;
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Adds a race, or its addresses to one of the same kind, lines and variable. */
static void add_race(check *c, race found, uint64_t offset, uint64_t bytes) {
    found.variable = ls_arena_strdup(c->arena, object_at(c, found.is_shared, offset, &found.offset));
    for (uint32_t i = 0; i < c->races.length; i++) {
        race *r = &c->races.items[i];
        bool same =
            same_place(&r->one.place, &found.one.place) && same_place(&r->other.place, &found.other.place);
        bool swapped =
            same_place(&r->one.place, &found.other.place) && same_place(&r->other.place, &found.one.place);
        if (r->kind != found.kind || r->is_shared != found.is_shared || (!same && !swapped) ||
            strcmp(r->variable, found.variable) != 0)
            continue;
        r->addresses += bytes;
        if (found.offset < r->offset) r->offset = found.offset;
        return;
    }
    found.addresses = bytes;
    LS_VEC_PUSH(&c->races, found);
}

/* Conflicts within one store need no further run: the record names the access. */
static void add_lane_conflicts(check *c, bool is_shared) {
    for (uint32_t i = 0; i < c->records.length; i++) {
        const report_record *r = &c->records.items[i];
        if (r->kind != RACE_INTRA_WARP || r->other >= c->k->ir->access_count) continue;
        const ls_ir_access *access = c->k->ir->accesses[r->other];
        race found = {.kind = RACE_INTRA_WARP,
                      .is_shared = is_shared,
                      .one = {.block = (uint32_t)r->block, .warp = r->unit},
                      .has_other = true};
        set_place(c, &found.one, r->other);
        found.other = found.one;
        add_race(c, found, r->offset, (uint64_t)access->bytes * access->count);
    }
}

/* A record for which no two accesses were found. Two warps that wrote the same byte are a race all the same.
 * That a second pass differs from the first may have other causes: a race on other memory, values that change
 * from run to run. */
static void add_unexplained(check *c, bool is_shared, const report_record *r) {
    if (r->kind != RACE_WRITE_WRITE) {
        static const char why[] = "two runs differ, but no two accesses were found that race";
        for (uint32_t i = 0; i < c->unchecked.length; i++)
            if (strstr(c->unchecked.items[i].reason, why)) return;
        dt_leave_unchecked(c, NULL, NULL, "%s memory: %s", is_shared ? "shared" : "global", why);
        return;
    }
    race found = {.kind = (race_kind)r->kind,
                  .is_shared = is_shared,
                  .one = {.block = (uint32_t)r->block, .warp = is_shared ? r->unit : 0},
                  .between_blocks = !is_shared && !c->result->units_are_warps};
    add_race(c, found, r->offset, (uint64_t)__builtin_popcount(r->mask) / 8);
}

/* --- Findings --------------------------------------------------------------------------------------------
 */

static void tell_side(const check *c, ls_finding *f, const race_side *side, bool writes) {
    const uint32_t *grid = c->launch->grid;
    ls_actor actor = {
        .does = writes || side->is_write ? "writes" : "reads",
        .place = side->place,
        .block = {side->block % grid[0], side->block / grid[0] % grid[1], side->block / grid[0] / grid[1]},
        .has_block = true,
        .has_warp = true,
        .warp = side->warp};
    ls_story_actor(f, &actor);
}

static ls_finding *publish(const check *c, const race *r) {
    static const char *const kinds[] = {"write-write", "read-write", "intra-warp"};
    bool lanes = r->kind == RACE_INTRA_WARP;
    const char *between = lanes               ? "lanes of one store"
                          : r->between_blocks ? "threads of different blocks"
                                              : "threads of one block";
    ls_finding *f = ls_finding_new(
        c->result->store, r->is_shared ? LS_RULE_RACE_SHARED : LS_RULE_RACE_GLOBAL, LS_ERROR, r->one.place,
        ls_arena_printf(c->arena, "%s race on '%s' between %s", kinds[lanes ? RACE_WRITE_WRITE : r->kind],
                        r->variable, between));
    if (r->other.place.file && !lanes) {
        ls_finding_relate(f, r->other.place, "%s here by the other warp",
                          r->other.is_write ? "written" : "read");
        ls_finding_relate_calls(f, &r->one.place);
        ls_finding_relate_calls(f, &r->other.place);
    }
    tell_side(c, f, &r->one, lanes);
    if (r->has_other) tell_side(c, f, &r->other, lanes);
    ls_story_object(f, r->variable, NULL, r->offset);
    ls_fields_text(ls_finding_detail(f), "kind", "%s", kinds[r->kind]);
    ls_fields_uint(ls_finding_detail(f), "racy_bytes", r->addresses);
    return f;
}

void dt_publish_races(check *c) {
    ls_finding **end = &c->result->findings;
    for (uint32_t i = 0; i < c->races.length; i++, end = &(*end)->next) *end = publish(c, &c->races.items[i]);
    c->result->finding_count = c->races.length;
}

/* --- The log ---------------------------------------------------------------------------------------------
 */

typedef struct {
    ls_arena *arena;
    log_record *records;
    uint32_t count;
    bool full;
} access_log;

static bool start_log(check *c) {
    if (!c->log) c->log = dt_take_memory(c, LOG_RECORDS + (uint64_t)LOG_CAPACITY * LOG_RECORD_BYTES);
    return c->log && c->device->f->clear(c->device, c->log, 0, LOG_RECORDS);
}

static bool read_log(check *c, access_log *out) {
    uint32_t count = 0;
    *out = (access_log){.arena = out->arena};
    if (!c->device->f->wait(c->device, c->options->timeout, c->diags) ||
        !c->device->f->read(c->device, &count, c->log + LOG_COUNT, sizeof count))
        return false;
    out->full = count > LOG_CAPACITY;
    out->count = out->full ? LOG_CAPACITY : count;
    out->records = ls_arena_alloc(out->arena, sizeof *out->records * (out->count + 1));
    return c->device->f->read(c->device, out->records, c->log + LOG_RECORDS,
                              sizeof *out->records * (uint64_t)out->count);
}

static uint64_t access_bytes(const check *c, const log_record *r) {
    const ls_ir_access *a = c->k->ir->accesses[r->access];
    return a->opaque ? 16 : dt_bytes_of(a);
}

/* --- Pairs -----------------------------------------------------------------------------------------------
 */

typedef struct {
    check *c;
    bool is_shared, inside; /* inside: global memory in one block and interval */
    race_kind kind;
    bool units_are_warps, valued; /* valued: the log has the values of stores */
    uint64_t divisor, copies;     /* between units: which of them share a copy */
    uint64_t suspect;             /* read-write: the warp or copy that reads */
    const report_record *racy;    /* write-write: only these bytes */
    uint32_t racy_count;
} pairing;

typedef struct {
    uint64_t word;
    uint32_t record;
} word_use;

/* Units that use one copy are not compared. */
static uint64_t unit_of(const pairing *p, const log_record *r) {
    if (p->is_shared || p->inside) return r->warp;
    uint64_t unit = p->units_are_warps ? r->block * p->c->warps + r->warp : r->block;
    return unit / p->divisor % p->copies;
}

static uint64_t overlap(const pairing *p, const log_record *a, const log_record *b, uint64_t word) {
    uint64_t from = word * 4, to = from + 4;
    const log_record *both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        uint64_t end = both[i]->offset + access_bytes(p->c, both[i]);
        if (both[i]->offset > from) from = both[i]->offset;
        if (end < to) to = end;
    }
    return to > from ? to - from : 0;
}

static bool is_racy_word(const pairing *p, uint64_t word) {
    if (!p->racy) return true;
    for (uint32_t i = 0; i < p->racy_count; i++)
        if (p->racy[i].kind == p->kind && p->racy[i].offset / 4 == word) return true;
    return false;
}

static bool writes(const pairing *p, const log_record *r) {
    return p->c->k->ir->accesses[r->access]->kind != LS_ACCESS_READ;
}

static bool is_atomic(const pairing *p, const log_record *r) {
    return p->c->k->ir->accesses[r->access]->kind == LS_ACCESS_ATOMIC;
}

/* Whether the write is behind what the warps of its group know to have ended: a product that they executed
 * together. */
static bool is_behind(const pairing *p, const log_record *product, const log_record *write) {
    const ls_ir_access *read = p->c->k->ir->accesses[product->access];
    if (!is_product(read) || product->warp / 4 != write->warp / 4 ||
        is_product(p->c->k->ir->accesses[write->access]))
        return false;
    return (int16_t)((write->lane >> 16) - product->lane) > 0;
}

/* Whether a and b race: then they are added. */
static bool try_pair(const pairing *p, const log_record *a, const log_record *b, uint64_t word) {
    uint64_t bytes = overlap(p, a, b, word), unit = unit_of(p, a);
    if (!bytes || unit == unit_of(p, b) || !writes(p, b)) return false;
    if (is_atomic(p, a) && is_atomic(p, b)) return false;
    if (p->is_shared && p->inside && is_behind(p, a, b)) return false;
    bool plain = !is_atomic(p, a) && !is_atomic(p, b);
    if ((p->inside || p->valued) && plain && writes(p, a) && a->value == b->value)
        return false; /* nothing depends on who is last */
    if (p->kind == RACE_WRITE_WRITE ? !writes(p, a)
                                    : writes(p, a) || (unit != p->suspect && p->suspect != UNKNOWN_UNIT))
        return false;
    race found = {.kind = p->kind,
                  .is_shared = p->is_shared,
                  .one = {.block = (uint32_t)a->block, .warp = a->warp},
                  .other = {.block = (uint32_t)b->block, .warp = b->warp},
                  .has_other = true,
                  .between_blocks = a->block != b->block};
    set_place(p->c, &found.one, a->access);
    set_place(p->c, &found.other, b->access);
    uint64_t first = word * 4 > a->offset ? word * 4 : a->offset;
    add_race(p->c, found, first, bytes);
    p->c->pairs++;
    return true;
}

static int by_word(const void *x, const void *y) {
    const word_use *a = x, *b = y;
    if (a->word != b->word) return a->word < b->word ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

/* Uses of one word: those of the same access and unit are one; two accesses are paired once a word. */
static void pair_word(const pairing *p, const access_log *log, const word_use *uses, uint32_t count) {
    const log_record *distinct[MAX_SAME];
    struct {
        uint32_t a, b;
    } paired[MAX_SAME];
    uint32_t n = 0, pairs = 0;
    for (uint32_t i = 0; i < count && n < MAX_SAME; i++) {
        const log_record *r = &log->records[uses[i].record];
        bool known = false;
        for (uint32_t j = 0; j < n && !known; j++)
            known = distinct[j]->access == r->access && unit_of(p, distinct[j]) == unit_of(p, r);
        if (!known) distinct[n++] = r;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n && pairs < MAX_SAME; j++) {
            uint32_t a = distinct[i]->access, b = distinct[j]->access;
            bool known = false;
            for (uint32_t k = 0; k < pairs; k++)
                known |= (paired[k].a == a && paired[k].b == b) || (paired[k].a == b && paired[k].b == a);
            if (known || !try_pair(p, distinct[i], distinct[j], uses[0].word)) continue;
            paired[pairs].a = a, paired[pairs].b = b, pairs++;
        }
}

static void find_pairs(const pairing *p, const access_log *log) {
    LS_VEC(word_use) uses = {0};
    for (uint32_t i = 0; i < log->count; i++) {
        const log_record *r = &log->records[i];
        if (r->access >= p->c->k->ir->access_count) continue;
        uint64_t bytes = access_bytes(p->c, r);
        if (!bytes) continue; /* discard and the like: how much they touch is not known here */
        uint64_t last = (r->offset + bytes - 1) / 4;
        for (uint64_t word = r->offset / 4; word <= last; word++)
            if (is_racy_word(p, word)) LS_VEC_PUSH(&uses, ((word_use){word, i}));
    }
    if (uses.length) qsort(uses.items, uses.length, sizeof *uses.items, by_word);
    for (uint32_t i = 0, end; i < uses.length; i = end) {
        for (end = i + 1; end < uses.length && uses.items[end].word == uses.items[i].word;) end++;
        pair_word(p, log, uses.items + i, end - i);
    }
    LS_VEC_FREE(&uses);
}

/* --- Within a block --------------------------------------------------------------------------------------
 */

static bool log_interval(check *c, void *module, uint64_t shared, const report_record *r, access_log *log) {
    return dt_restore_parts(c, true, true) && start_log(c) && dt_clear_report(c) &&
           dt_write_context(c, 1, r->block, r->epoch, UINT64_MAX) && dt_run_variant(c, module, shared) &&
           read_log(c, log);
}

/* The records of one interval of one block. */
static void pair_interval(check *c, const report_record *first, const access_log *log) {
    pairing p = {.c = c, .is_shared = true, .kind = (race_kind)first->kind};
    if (p.kind == RACE_WRITE_WRITE) {
        LS_VEC(report_record) racy = {0};
        for (uint32_t i = 0; i < c->records.length; i++) {
            const report_record *r = &c->records.items[i];
            if (r->kind == first->kind && r->block == first->block && r->epoch == first->epoch)
                LS_VEC_PUSH(&racy, *r);
        }
        p.racy = racy.items, p.racy_count = racy.length;
        find_pairs(&p, log);
        LS_VEC_FREE(&racy);
        return;
    }
    uint64_t done = 0; /* warps, as bits */
    for (uint32_t i = 0; i < c->records.length; i++) {
        const report_record *r = &c->records.items[i];
        if (r->kind != first->kind || r->block != first->block || r->epoch != first->epoch) continue;
        if (r->unit < 64 && (done >> r->unit & 1)) continue;
        done |= r->unit < 64 ? UINT64_C(1) << r->unit : 0;
        p.suspect = r->unit;
        find_pairs(&p, log);
    }
}

void dt_find_shared_lines(check *c, const instrument_options *options) {
    uint32_t seen[MAX_REGIONS], count = 0;
    instrument_options variant = *options;
    variant.log = true, variant.intra_warp = false;
    uint64_t shared = 0;
    add_lane_conflicts(c, true);
    void *module = c->options->no_lines ? NULL : dt_load_variant(c, &variant, &shared);
    for (uint32_t i = 0; i < c->records.length; i++) {
        const report_record *r = &c->records.items[i];
        bool known = r->kind == RACE_INTRA_WARP;
        for (uint32_t s = 0; s < count; s++) known |= seen[s] == r->region * 4 + r->kind;
        if (known || count == MAX_REGIONS) continue;
        seen[count++] = r->region * 4 + r->kind;
        LS_SCRATCH(scratch);
        access_log log = {.arena = &scratch};
        uint64_t before = c->pairs;
        if (module && log_interval(c, module, shared, r, &log)) pair_interval(c, r, &log);
        if (c->pairs == before) add_unexplained(c, true, r);
    }
}

/* --- On global memory, within blocks ---------------------------------------------------------------------
 */

static int by_interval(const void *x, const void *y) {
    const log_record *a = x, *b = y;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    return a->epoch < b->epoch ? -1 : a->epoch > b->epoch;
}

/* One launch on one copy for all, with everything logged that the blocks from `first` on do. */
static bool log_blocks(check *c, void *module, bool shared, uint64_t first, uint64_t count, access_log *log) {
    uint64_t copies = c->copy_count;
    grid_params params = dt_sweep_params(c);
    params.count = c->copy_count = 1;
    bool done = dt_restore_parts(c, true, true) && start_log(c) && dt_clear_report(c) &&
                (shared || dt_run_sweep(c, "ls_copies", &params)) &&
                dt_write_context(c, 1, first, count, UINT64_MAX) &&
                dt_run_variant(c, module, c->launch->shared_bytes) && read_log(c, log);
    c->copy_count = copies;
    return done;
}

static void pair_intervals(check *c, bool shared, access_log *log) {
    if (log->count) qsort(log->records, log->count, sizeof *log->records, by_interval);
    for (uint32_t i = 0, end; i < log->count; i = end) {
        for (end = i + 1; end < log->count && by_interval(&log->records[end], &log->records[i]) == 0;) end++;
        access_log one = {.records = log->records + i, .count = end - i};
        for (int kind = RACE_WRITE_WRITE; kind <= RACE_READ_WRITE; kind++) {
            pairing p = {.c = c,
                         .is_shared = shared,
                         .inside = true,
                         .kind = (race_kind)kind,
                         .suspect = UNKNOWN_UNIT};
            find_pairs(&p, &one);
        }
    }
}

/* Block after block, as many at once as the log has room for. */
bool dt_check_inside(check *c, bool shared, uint64_t *checked) {
    enum { MOST_RUNS = 8, FEW_RUNS = 2, MOST_MS = 200 };
    double start = ls_clock_ms(LS_CLOCK_WALL);
    instrument_options variant = {
        .mode = MODE_GRID, .log = true, .inside = true, .threads = c->threads, .warps = c->warps};
    variant.in_shared = shared;
    void *module = dt_load_variant(c, &variant, NULL);
    uint64_t count = 1;
    uint32_t runs = shared ? FEW_RUNS : MOST_RUNS;
    bool done = module != NULL;
    *checked = 0;
    for (uint32_t run = 0; run < runs && *checked < c->blocks && done; run++) {
        if (run > 1 && ls_clock_ms(LS_CLOCK_WALL) - start > MOST_MS) break;
        LS_SCRATCH(scratch);
        access_log log = {.arena = &scratch};
        done = log_blocks(c, module, shared, *checked, count, &log);
        bool full = log.full;
        if (done && !full) {
            pair_intervals(c, shared, &log);
            *checked += count < c->blocks - *checked ? count : c->blocks - *checked;
            uint64_t each = log.count / count + 1, room = LOG_CAPACITY / each * 3 / 4;
            count = room < 1 ? 1 : room;
        }
        if (full && count == 1) break;
        if (full) count /= 2;
    }
    return done;
}

/* --- Between units ---------------------------------------------------------------------------------------
 */

static bool log_run(check *c, void *module, uint64_t divisor, uint64_t group, access_log *log) {
    grid_params params = dt_sweep_params(c);
    return dt_restore_parts(c, true, true) && start_log(c) && dt_clear_report(c) &&
           dt_run_sweep(c, "ls_copies", &params) && dt_write_context(c, divisor, UINT64_MAX, 0, group) &&
           dt_run_variant(c, module, c->launch->shared_bytes) && read_log(c, log);
}

/* Marks in the map the words that others than the users of that copy change; or that anyone changes. */
static bool map_changes_of_others(check *c, void *plain, uint64_t divisor, uint64_t copy) {
    grid_params params = dt_sweep_params(c), changed = params;
    params.ordered = UNION_ORDERED; /* no reports */
    changed.copies = copy == UNKNOWN_UNIT ? c->united : c->copies + copy * c->stride;
    changed.united = c->map, changed.count = 1;
    return dt_restore_parts(c, true, true) && dt_clear_report(c) && dt_run_sweep(c, "ls_copies", &params) &&
           dt_write_context(c, divisor, UINT64_MAX, 0, UINT64_MAX) &&
           dt_run_variant(c, plain, c->launch->shared_bytes) && dt_run_sweep(c, "ls_union", &params) &&
           dt_run_sweep(c, "ls_changed", &changed);
}

typedef struct {
    uint64_t at[MAX_WORDS];
    uint32_t count;
} word_list;

static void add_word(word_list *list, uint64_t word) {
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] == word) return;
    if (list->count < MAX_WORDS) list->at[list->count++] = word;
}

static bool map_words(check *c, const word_list *words) {
    bool done = c->device->f->clear(c->device, c->map, 0, c->target_bytes / 4 + 16);
    for (uint32_t i = 0; i < words->count && done; i++)
        done = c->device->f->write(c->device, c->map + words->at[i], &(uint8_t){1}, 1);
    return done;
}

/* The words that the suspect reads and others change. */
static bool suspect_words(check *c, void *plain, void *logging, uint64_t divisor, uint64_t copy,
                          word_list *words) {
    LS_SCRATCH(scratch);
    access_log log = {.arena = &scratch};
    bool done = map_changes_of_others(c, plain, divisor, copy) &&
                log_run(c, logging, divisor, copy * c->stride, &log);
    for (uint32_t i = 0; i < log.count && done; i++) {
        const log_record *r = &log.records[i];
        if (r->access >= c->k->ir->access_count || c->k->ir->accesses[r->access]->kind != LS_ACCESS_READ)
            continue;
        uint64_t last = (r->offset + access_bytes(c, r) - 1) / 4;
        for (uint64_t word = r->offset / 4; word <= last; word++) add_word(words, word);
    }
    return done && words->count;
}

static void log_and_pair(check *c, pairing *p, void *logging, const word_list *words) {
    LS_SCRATCH(scratch);
    access_log log = {.arena = &scratch};
    if (map_words(c, words) && log_run(c, logging, p->divisor, UINT64_MAX, &log)) find_pairs(p, &log);
}

void dt_find_global_lines(check *c, const instrument_options *options, uint64_t divisor) {
    instrument_options variant = *options;
    variant.log = true;
    pairing p = {
        .c = c, .units_are_warps = options->units_are_warps, .divisor = divisor, .copies = c->copy_count};
    word_list words = {0};
    const report_record *first = NULL;
    add_lane_conflicts(c, false);
    for (uint32_t i = 0; i < c->records.length; i++) {
        const report_record *r = &c->records.items[i];
        if (r->kind == RACE_INTRA_WARP) continue;
        if (!first) first = r;
        if (r->kind == first->kind) add_word(&words, r->offset / 4);
    }
    if (!first) return;
    uint64_t before = c->pairs;
    p.kind = (race_kind)first->kind, p.suspect = first->unit;
    if (!c->options->no_lines) {
        c->map = dt_take_memory(c, c->target_bytes / 4 + 16);
        void *logging = c->map ? dt_load_variant(c, &variant, NULL) : NULL;
        void *plain = c->map && p.kind == RACE_READ_WRITE ? dt_load_variant(c, options, NULL) : NULL;
        bool ready = logging != NULL;
        if (ready && p.kind == RACE_READ_WRITE && p.suspect == UNKNOWN_UNIT) {
            LS_SCRATCH(scratch);
            access_log log = {.arena = &scratch};
            if (plain && map_changes_of_others(c, plain, divisor, UNKNOWN_UNIT) &&
                log_run(c, logging, divisor, UINT64_MAX, &log))
                find_pairs(&p, &log);
            ready = false;
        } else if (ready && p.kind == RACE_READ_WRITE) {
            words.count = 0;
            ready = plain && suspect_words(c, plain, logging, divisor, first->unit, &words);
        }
        if (ready) log_and_pair(c, &p, logging, &words);
    }
    for (uint32_t i = 0; i < c->records.length && c->pairs == before; i++)
        if (c->records.items[i].kind == first->kind) add_unexplained(c, false, &c->records.items[i]);
}

/* --- Watched in place --------------------------------------------------------------------------------------
 */

/* The map: a word for each place of global memory that units have met at. */
static bool map_places(check *c, const instrument_options *options) {
    uint64_t seen[MAX_WORDS];
    uint32_t count = 0;
    if (!options->stamps) return true;
    c->map = dt_take_memory(c, c->plane);
    bool done = c->map && c->device->f->clear(c->device, c->map, 0, c->plane);
    for (uint32_t i = 0; i < c->records.length && done && count < MAX_WORDS; i++) {
        const report_record *r = &c->records.items[i];
        uint64_t place = dt_stamp_place(r->offset, options->granule);
        bool known = r->other != CONFLICT_GLOBAL || r->kind == RACE_INTRA_WARP || place >= c->plane;
        for (uint32_t s = 0; s < count; s++) known |= seen[s] == place;
        if (known) continue;
        seen[count++] = place;
        done = c->device->f->write(c->device, c->map + place, &(uint32_t){1}, 4);
    }
    return done;
}

/* The first block in which warps met in shared memory. */
static uint64_t racy_block(const check *c) {
    for (uint32_t i = 0; i < c->records.length; i++)
        if (c->records.items[i].other == CONFLICT_SHARED && c->records.items[i].kind != RACE_INTRA_WARP)
            return c->records.items[i].block;
    return UINT64_MAX;
}

/* Those of shared memory first; how many they are. */
static uint32_t part_log(const check *c, access_log *log) {
    uint32_t shared = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        log_record r = log->records[i];
        if (r.access >= c->k->ir->access_count || !c->k->accesses[r.access].marked) continue;
        log->records[i] = log->records[shared], log->records[shared++] = r;
    }
    return shared;
}

/* One run with a log of the block and the places that the records name. */
void dt_find_watched_lines(check *c, const instrument_options *options) {
    instrument_options variant = *options;
    LS_SCRATCH(scratch);
    access_log log = {.arena = &scratch};
    uint64_t shared = 0;
    variant.log = true, variant.intra_warp = false;
    add_lane_conflicts(c, false);
    void *module = dt_load_variant(c, &variant, &shared);
    bool done = module && map_places(c, options) && dt_restore_parts(c, true, true) && start_log(c) &&
                dt_clear_report(c) && dt_write_context(c, 1, racy_block(c), 0, UINT64_MAX) &&
                dt_run_variant(c, module, shared) && read_log(c, &log);
    c->map = 0;
    if (done) {
        uint32_t in_shared = part_log(c, &log);
        access_log one = {.records = log.records, .count = in_shared};
        pair_intervals(c, true, &one);
        access_log rest = {.records = log.records + in_shared, .count = log.count - in_shared};
        for (int kind = RACE_WRITE_WRITE; kind <= RACE_READ_WRITE; kind++) {
            pairing p = {.c = c,
                         .kind = (race_kind)kind,
                         .units_are_warps = options->units_are_warps,
                         .valued = true,
                         .divisor = 1,
                         .copies = UINT64_MAX,
                         .suspect = UNKNOWN_UNIT};
            find_pairs(&p, &rest);
        }
        if (options->inner) pair_intervals(c, false, &rest);
    }
}
