/* Findings: one for each rule, pair of instructions and variant while the kernel runs; at the end those at
 * the same pair of source lines become one, with the sum of their counts. */
#include "emulate/check/checkers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Where an instruction stands, and the calls that were inlined around it. */
static ls_place copy_pos(machine *m, const ls_place *p, uint32_t depth) {
    ls_place to = *p;
    to.at = NULL;
    if (p->at && depth < 8) {
        ls_place *at = LS_NEW(&m->arena, ls_place);
        *at = copy_pos(m, p->at, depth + 1);
        to.at = at;
    }
    return to;
}

ls_place em_pos(machine *m, uint32_t index) {
    return copy_pos(m, m->emulator->sites.items[index].pos, 0);
}

static uint64_t key_of(ls_rule rule, uint32_t at, uint32_t other, uint32_t variant) {
    return ((uint64_t)at << 36) ^ ((uint64_t)other << 8) ^ ((uint64_t)rule << 4) ^ variant;
}

static seen_finding *place_of(worker *k, uint64_t key) {
    return &k->seen[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (SEEN - 1)];
}

bool em_seen_again(worker *k, ls_rule rule, uint32_t at, uint32_t other, uint32_t variant, uint32_t times) {
    const uint64_t key = key_of(rule, at, other, variant);
    seen_finding *s = place_of(k, key);
    if (!s->found || s->key != key || s->rule != rule) return false;
    s->count += times;
    return true;
}

void em_remember(worker *k, found *f) {
    seen_finding *s = place_of(k, f->key);
    if (s->found) s->found->finding.count += s->count;
    *s = (seen_finding){.key = f->key, .rule = f->finding.rule, .found = f};
}

/* A worker comes upon what is in its blocks in their order: the first of all workers' first ones is what a
 * single worker comes upon first. */
bool em_is_example(const machine *m, found *f, const block_run *b) {
    const bool ordered = m->parallel && m->options.schedule == LS_SCHEDULE_RR;
    if (f->told && !(ordered && b->index < f->block)) return false;
    f->told = true;
    f->block = b->index;
    f->finding.story = NULL;
    return true;
}

/* What the workers have counted by themselves. */
static void add_up_seen(machine *m) {
    for (uint32_t n = 0; n < m->worker_count; n++)
        for (uint32_t k = 0; k < SEEN; k++) {
            seen_finding *s = &m->workers[n].seen[k];
            if (s->found) s->found->finding.count += s->count;
            *s = (seen_finding){0};
        }
}

/* Under the lock. */
found *em_find_finding(machine *m, ls_rule rule, uint32_t at, uint32_t other, uint32_t variant) {
    const uint64_t key = key_of(rule, at, other, variant);
    found **slot = &m->finding_table[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
    for (found *f = *slot; f; f = f->next)
        if (f->key == key && f->finding.rule == rule) return f;
    found *f = LS_NEW(&m->arena, found);
    f->key = key;
    f->finding.store = &m->store;
    f->finding.rule = rule;
    f->finding.place = em_pos(m, at);
    if (other != at) {
        f->finding.related = LS_NEW(&m->arena, ls_related);
        f->finding.related->place = em_pos(m, other);
    }
    f->next = *slot;
    *slot = f;
    m->finding_count++;
    return f;
}

ls_actor em_actor(const machine *m, uint32_t block, uint32_t warp_index, uint32_t lane) {
    const uint32_t *g = m->launch->grid, *b = m->launch->block;
    uint32_t thread = warp_index * m->warp_size + lane;
    return (ls_actor){.block = {block % g[0], block / g[0] % g[1], block / g[0] / g[1]},
                      .thread = {thread % b[0], thread / b[0] % b[1], thread / b[0] / b[1]},
                      .has_block = true,
                      .has_thread = true};
}

static void tell(ls_finding *f, ls_actor who, const char *does, const ls_place *at) {
    who.does = does;
    who.place = *at;
    ls_story_actor(f, &who);
}

void em_tell_other(ls_finding *f, ls_actor who, const char *does) {
    tell(f, who, does, ls_finding_other(f));
    f->story->in_order = ls_rule_is_race(f->rule);
}

void em_tell_thread(ls_finding *f, ls_actor who, const char *does) {
    tell(f, who, does, &f->place);
}

void em_say_other(ls_finding *f, const char *message) {
    if (f->related) f->related->message = message;
}

void em_name_address(const machine *m, ls_ptx_space space, uint64_t address, ls_finding *f) {
    ls_emulator *e = m->emulator;
    const char *name = NULL;
    uint64_t start = 0;
    if (space == LS_SPACE_GLOBAL) {
        const allocation *a = em_find(e, address), *before = a;
        for (uint32_t k = 0; !a && k < e->space->allocations.length; k++) /* an overrun: of which one? */
            if (e->space->allocations.items[k]->lo <= address &&
                address - e->space->allocations.items[k]->hi < 64 << 10)
                before = e->space->allocations.items[k];
        if (before) name = before->name, start = before->lo;
    } else if (space == LS_SPACE_SHARED) {
        const shared_variable *best = NULL;
        for (uint32_t k = 0; k < e->shared.length; k++)
            if (e->shared.items[k].offset <= address && (!best || e->shared.items[k].offset > best->offset))
                best = &e->shared.items[k];
        if (best) name = best->name, start = best->offset;
        if (e->tensor_memory && address >= m->tensor_base) name = "tensor memory", start = m->tensor_base;
    }
    ls_story_object(f, name, NULL, address - start);
}

void em_note(machine *m, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    LS_VEC_PUSH(&m->notes, ls_arena_strdup(&m->arena, text));
}

/* --- Counts of all workers --- */
static memory_stats total_memory(const machine *m, uint32_t k) {
    memory_stats t = {0};
    for (uint32_t n = 0; n < m->worker_count; n++) {
        const memory_stats *s = &m->workers[n].memory[k];
        t.accesses += s->accesses, t.sectors += s->sectors, t.lines += s->lines;
        t.ideal += s->ideal, t.turns += s->turns;
        if (s->worst > t.worst) {
            t.worst = s->worst;
            memcpy(t.bank_counts, s->bank_counts, sizeof t.bank_counts);
        }
    }
    return t;
}

static double per_access(uint64_t count, const memory_stats *t) {
    return (double)count / (double)t->accesses;
}

static void put_costs(ls_finding *f, const memory_stats *t, uint32_t banks) {
    ls_fields *detail = ls_finding_detail(f);
    f->count = t->accesses;
    ls_fields_uint(detail, "accesses", t->accesses);
    if (f->rule == LS_RULE_COALESCING) {
        ls_fields_real(detail, "sectors_per_access", per_access(t->sectors, t));
        ls_fields_real(detail, "lines_per_access", per_access(t->lines, t));
        ls_fields_real(detail, "least_sectors_per_access", per_access(t->ideal, t));
        return;
    }
    ls_fields_real(detail, "turns_per_access", per_access(t->turns, t));
    ls_fields_uint(detail, "degree", t->worst);
    ls_fields *list = ls_fields_list(detail, "banks");
    for (uint32_t k = 0; k < banks; k++) ls_fields_uint(list, NULL, t->bank_counts[k]);
}

static const char *access_word(const machine *m, uint32_t at) {
    const ls_ptx_instr *instr = m->emulator->sites.items[at].ast;
    const ls_ptx_opcode *opcode = instr && instr->form ? instr->form->opcode : NULL;
    uint32_t effects = opcode ? opcode->effects : 0;
    if (opcode && (opcode->copy == LS_COPY_BULK || opcode->tensor == LS_TENSOR_MAP)) return "copy";
    if (effects & LS_ATOMIC) return "atomic access";
    return (effects & LS_WRITES_MEMORY) && !(effects & LS_READS_MEMORY) ? "write" : "read";
}

/* Of the sites that `costly` mentions, one finding each. */
typedef const char *costly(ls_arena *arena, const memory_stats *t, const char *access);

static void cost_findings(machine *m, ls_rule rule, costly *say) {
    for (uint32_t k = 0; k < m->emulator->memory_sites; k++) {
        memory_stats t = total_memory(m, k);
        uint32_t at = m->emulator->site_of_memory.items[k];
        const char *access = access_word(m, at), *message = say(&m->arena, &t, access);
        if (!message) continue;
        found *f = em_find_finding(m, rule, at, at, 0);
        f->finding.level = LS_WARNING;
        put_costs(&f->finding, &t, m->options.banks);
        ls_finding_key(&f->finding, "%s", access); /* a read and a write of one line are two */
        f->finding.message = message;
    }
}

static const char *conflicts(ls_arena *arena, const memory_stats *t, const char *access) {
    if (t->turns <= t->ideal) return NULL;
    return ls_arena_printf(
        arena,
        "bank conflict in this %s of shared memory: %u-way at worst, %.2f passes per access instead of %.2f",
        access, t->worst, per_access(t->turns, t), per_access(t->ideal, t));
}

/* One sector more is the price of a base that is not aligned; twice as many is a pattern. */
static const char *scattered(ls_arena *arena, const memory_stats *t, const char *access) {
    if (t->sectors <= t->ideal + t->accesses || t->sectors < t->ideal + t->ideal / 2) return NULL;
    if (!t->lines) /* of copies, sectors alone are counted */
        return ls_arena_printf(arena,
                               "uncoalesced %s: %.2f sectors of 32 bytes per copy, %.2f would be enough",
                               access, per_access(t->sectors, t), per_access(t->ideal, t));
    return ls_arena_printf(
        arena,
        "uncoalesced %s: %.2f sectors of 32 bytes (%.2f lines of 128) per access, %.2f would be enough",
        access, per_access(t->sectors, t), per_access(t->lines, t), per_access(t->ideal, t));
}

void em_bank_findings(machine *m, ls_emu_result *r) {
    (void)r;
    cost_findings(m, LS_RULE_BANK_CONFLICT, conflicts);
}

void em_coalescing_findings(machine *m, ls_emu_result *r) {
    (void)r;
    cost_findings(m, LS_RULE_COALESCING, scattered);
}

static uint64_t times_divergent(const machine *m, uint32_t at) {
    uint64_t divergent = 0;
    for (uint32_t n = 0; n < m->worker_count; n++)
        if (m->workers[n].branches) divergent += m->workers[n].branches[at].divergent;
    return divergent;
}

void em_branch_findings(machine *m, ls_emu_result *r) {
    (void)r;
    for (uint32_t k = 0; k < m->emulator->sites.length; k++) {
        uint64_t divergent = times_divergent(m, k);
        if (!divergent) continue;
        found *f = em_find_finding(m, LS_RULE_DIVERGENCE_BRANCH, k, k, 0);
        f->finding.level = LS_NOTE;
        f->finding.count = divergent;
        f->finding.message = "the lanes of a warp disagreed on this branch";
    }
}

/* --- The result --- */
static bool same_place(const ls_place *a, const ls_place *b) {
    return a->line == b->line && !strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

/* One defect is one finding: of a race between two lines it does not matter which of them came first, nor
 * that some of the values were the same. */
static bool same_lines(const ls_finding *a, const ls_finding *b) {
    if (a->rule != b->rule) return false;
    if (!ls_rule_is_race(a->rule) && a->level != b->level) return false;
    if (same_place(&a->place, &b->place) && same_place(ls_finding_other(a), ls_finding_other(b))) return true;
    return ls_rule_is_race(a->rule) && same_place(&a->place, ls_finding_other(b)) &&
           same_place(ls_finding_other(a), &b->place);
}

static bool is_count(ls_rule rule) {
    return rule == LS_RULE_BANK_CONFLICT || rule == LS_RULE_COALESCING;
}

static int by_place(const void *x, const void *y) {
    const ls_finding *a = x, *b = y;
    if (a->level != b->level) return a->level > b->level ? -1 : 1;
    if (a->place.line != b->place.line) return a->place.line < b->place.line ? -1 : 1;
    if (a->place.ptx_line != b->place.ptx_line) return a->place.ptx_line < b->place.ptx_line ? -1 : 1;
    uint32_t x_other = a->related ? a->related->place.line : 0,
             y_other = b->related ? b->related->place.line : 0;
    if (x_other != y_other) return x_other < y_other ? -1 : 1;
    return (int)a->rule - (int)b->rule;
}

static void collect_lines(machine *m, ls_emu_result *r, ls_arena *arena) {
    if (!m->workers[0].counts) return;
    uint32_t n = m->emulator->sites.length;
    r->lines = LS_NEW_N(arena, ls_emu_line, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        ls_emu_line line = {.pos = em_pos(m, k)};
        for (uint32_t t = 0; t < m->worker_count; t++) {
            line.warp_instructions += m->workers[t].counts[k];
            line.lane_instructions += m->workers[t].lanes[k];
        }
        if (!line.warp_instructions) continue;
        r->warp_instructions += line.warp_instructions;
        r->lane_instructions += line.lane_instructions;
        uint32_t at = 0;
        while (at < r->line_count &&
               (r->lines[at].pos.line != line.pos.line || strcmp(r->lines[at].pos.file, line.pos.file)))
            at++;
        if (at == r->line_count) {
            r->lines[r->line_count++] = line;
        } else {
            r->lines[at].warp_instructions += line.warp_instructions;
            r->lines[at].lane_instructions += line.lane_instructions;
        }
    }
}

/* Of those that become one, the one that was seen most often is the example. */
static void merge(ls_emu_result *r, const ls_finding *all, uint32_t n, uint64_t *most) {
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = 0;
        while (at < r->finding_count && (is_count(all[k].rule) || !same_lines(&r->findings[at], &all[k])))
            at++;
        if (at == r->finding_count) r->finding_count++;
        ls_finding *to = &r->findings[at];
        uint64_t sum = to->count + all[k].count;
        if (!to->count || (all[k].count > most[at] && all[k].level == to->level)) {
            *to = all[k];
            most[at] = all[k].count;
        }
        to->count = sum;
    }
    qsort(r->findings, r->finding_count, sizeof *r->findings, by_place);
}

/* A read that comes before the write it races with finds nothing written: the race is the defect. */
static bool is_consequence(const ls_finding *f, const ls_finding *race) {
    return f->rule == LS_RULE_MEMORY_UNINITIALIZED && ls_rule_is_race(race->rule) &&
           race->level == LS_ERROR &&
           (same_place(&race->place, &f->place) || same_place(ls_finding_other(race), &f->place));
}

static void drop_consequences(ls_emu_result *r) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < r->finding_count; k++) {
        bool drop = false;
        for (uint32_t n = 0; n < r->finding_count && !drop; n++)
            drop = is_consequence(&r->findings[k], &r->findings[n]);
        if (!drop) r->findings[kept++] = r->findings[k];
    }
    r->finding_count = kept;
}

/* --- While the launch runs --- */
static bool is_new_error(const machine *m, const found *f) {
    if (f->passed || f->finding.level != LS_ERROR || !f->finding.message) return false;
    for (uint32_t k = 0; k < FINDING_BUCKETS; k++)
        for (const found *other = m->finding_table[k]; other; other = other->next)
            if (is_consequence(&f->finding, &other->finding)) return false;
    return true;
}

void em_tell_so_far(machine *m) {
    static const double PAUSE = 1;
    const double now = ls_clock_seconds(LS_CLOCK_WALL);
    if (!m->next_so_far) m->next_so_far = m->started_wall + PAUSE;
    if (now < m->next_so_far) return;
    m->next_so_far = now + PAUSE;
    pthread_mutex_lock(&m->lock);
    for (uint32_t k = 0; k < FINDING_BUCKETS; k++)
        for (found *f = m->finding_table[k]; f; f = f->next)
            if (is_new_error(m, f)) {
                f->passed = true;
                m->options.so_far(m->options.progress_context, &f->finding);
            }
    pthread_mutex_unlock(&m->lock);
}

void em_collect(machine *m, ls_emu_result *r) {
    add_up_seen(m);
    em_checkers_end(m, r);
    for (uint32_t k = 0; k < m->emulator->sites.length; k++) r->divergent_branches += times_divergent(m, k);
    for (uint32_t k = 0; k < m->emulator->memory_sites; k++) {
        memory_stats t = total_memory(m, k);
        if (t.sectors) r->global_accesses += t.accesses, r->global_sectors += t.sectors;
    }
    ls_arena *arena = &m->arena;
    r->findings = LS_NEW_N(arena, ls_finding, m->finding_count + 1);
    ls_finding *all = LS_NEW_N(arena, ls_finding, m->finding_count + 1);
    uint32_t n = 0;
    for (uint32_t k = 0; k < FINDING_BUCKETS; k++)
        for (const found *f = m->finding_table[k]; f; f = f->next) all[n++] = f->finding;
    qsort(all, n, sizeof *all, by_place);
    merge(r, all, n, LS_NEW_N(arena, uint64_t, n + 1));
    drop_consequences(r);
    for (uint32_t k = 0; k < r->finding_count; k++)
        r->findings[k].next = k + 1 < r->finding_count ? &r->findings[k + 1] : NULL;
    collect_lines(m, r, arena);
    if (m->desc_overflow)
        em_note(m, "race checking ended early: more than %u accesses of warps", m->desc_capacity);
    if (m->shadow_failed)
        em_note(m, "races were not looked for in all of global memory: there was not enough memory for it");
    r->notes = m->notes.items;
    r->note_count = m->notes.length;
}
