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

/* Under the lock. */
found *em_find_finding(machine *m, ls_rule rule, uint32_t at, uint32_t other, uint32_t variant) {
    uint64_t key = ((uint64_t)at << 36) ^ ((uint64_t)other << 8) ^ ((uint64_t)rule << 4) ^ variant;
    found **slot = &m->finding_table[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
    for (found *f = *slot; f; f = f->next)
        if (f->key == key && f->finding.rule == rule) return f;
    found *f = LS_NEW(&m->arena, found);
    f->key = key;
    f->finding.rule = rule;
    f->finding.pos = em_pos(m, at);
    if (other != at) f->finding.other = em_pos(m, other);
    f->next = *slot;
    *slot = f;
    m->finding_count++;
    return f;
}

ls_emu_thread em_thread_of(const machine *m, uint32_t block, uint32_t warp_index, uint32_t lane) {
    const uint32_t *g = m->launch->grid, *b = m->launch->block;
    uint32_t thread = warp_index * m->warp_size + lane;
    return (ls_emu_thread){{block % g[0], block / g[0] % g[1], block / g[0] / g[1]},
                           {thread % b[0], thread / b[0] % b[1], thread / b[0] / b[1]}};
}

void em_name_address(const machine *m, ls_ptx_space space, uint64_t address, ls_emu_finding *f) {
    ls_emulator *e = m->emulator;
    f->has_address = true;
    f->address = address;
    if (space == LS_SPACE_GLOBAL) {
        const allocation *a = em_find(e, address), *before = a;
        for (uint32_t k = 0; !a && k < e->space->allocations.length; k++) /* an overrun: of which one? */
            if (e->space->allocations.items[k]->lo <= address &&
                address - e->space->allocations.items[k]->hi < 64 << 10)
                before = e->space->allocations.items[k];
        if (before) {
            f->variable = before->name;
            f->address = address - before->lo;
        }
    } else if (space == LS_SPACE_SHARED) {
        const shared_variable *best = NULL;
        for (uint32_t k = 0; k < e->shared.length; k++)
            if (e->shared.items[k].offset <= address && (!best || e->shared.items[k].offset > best->offset))
                best = &e->shared.items[k];
        if (best) {
            f->variable = best->name;
            f->address = address - best->offset;
        }
    }
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

static void fill_counts(ls_emu_finding *f, const memory_stats *t) {
    f->count = f->accesses = t->accesses;
    f->sectors = t->sectors, f->lines = t->lines, f->ideal_sectors = t->ideal, f->turns = t->turns;
    f->worst = t->worst;
    memcpy(f->bank_counts, t->bank_counts, sizeof f->bank_counts);
}

static const char *access_word(const machine *m, uint32_t at) {
    const ls_ptx_instr *instr = m->emulator->sites.items[at].ast;
    const char *name = instr && instr->form && instr->form->opcode ? instr->form->opcode->name : "";
    if (!strncmp(name, "atom", 4) || !strncmp(name, "red", 3)) return "atomic access";
    return !strncmp(name, "st", 2) ? "write" : "read";
}

/* Of the sites that `costly` speaks of, one finding each. */
typedef const char *costly(ls_arena *arena, const memory_stats *t, const char *access);

static void cost_findings(machine *m, ls_rule rule, costly *say) {
    for (uint32_t k = 0; k < m->emulator->memory_sites; k++) {
        memory_stats t = total_memory(m, k);
        uint32_t at = m->emulator->site_of_memory.items[k];
        const char *access = access_word(m, at), *message = say(&m->arena, &t, access);
        if (!message) continue;
        found *f = em_find_finding(m, rule, at, at, 0);
        f->finding.level = LS_WARNING;
        fill_counts(&f->finding, &t);
        f->finding.access = access;
        f->finding.message = message;
    }
}

static const char *conflicts(ls_arena *arena, const memory_stats *t, const char *access) {
    if (t->turns <= t->ideal) return NULL;
    return ls_arena_printf(arena,
                           "bank conflict in this %s of shared memory: %u-way at worst, %.2f turns per "
                           "access instead of %.2f",
                           access, t->worst, (double)t->turns / (double)t->accesses,
                           (double)t->ideal / (double)t->accesses);
}

/* One sector more is the price of a base that is not aligned; twice as many is a pattern. */
static const char *scattered(ls_arena *arena, const memory_stats *t, const char *access) {
    if (t->sectors <= t->ideal + t->accesses || t->sectors < t->ideal + t->ideal / 2) return NULL;
    return ls_arena_printf(
        arena, "uncoalesced %s: %.2f sectors of 32 bytes (%.2f lines of 128) per access, %.2f would do",
        access, (double)t->sectors / (double)t->accesses, (double)t->lines / (double)t->accesses,
        (double)t->ideal / (double)t->accesses);
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

/* The second place of a finding; one that has none is between a line and itself. */
static const ls_place *second(const ls_emu_finding *f) {
    return f->other.file ? &f->other : &f->pos;
}

static bool is_race(ls_rule rule) {
    return rule == LS_RULE_RACE_SHARED || rule == LS_RULE_RACE_GLOBAL;
}

/* One defect is one finding: of a race between two lines it does not matter which of them came first, nor
 * that some of the values were the same. */
static bool same_lines(const ls_emu_finding *a, const ls_emu_finding *b) {
    if (a->rule != b->rule) return false;
    if (!is_race(a->rule) && a->level != b->level) return false;
    if (same_place(&a->pos, &b->pos) && same_place(second(a), second(b))) return true;
    return is_race(a->rule) && same_place(&a->pos, second(b)) && same_place(second(a), &b->pos);
}

static bool is_count(ls_rule rule) {
    return rule == LS_RULE_BANK_CONFLICT || rule == LS_RULE_COALESCING;
}

static int by_place(const void *x, const void *y) {
    const ls_emu_finding *a = x, *b = y;
    if (a->level != b->level) return a->level > b->level ? -1 : 1;
    if (a->pos.line != b->pos.line) return a->pos.line < b->pos.line ? -1 : 1;
    if (a->pos.ptx_line != b->pos.ptx_line) return a->pos.ptx_line < b->pos.ptx_line ? -1 : 1;
    if (a->other.line != b->other.line) return a->other.line < b->other.line ? -1 : 1;
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
static void merge(ls_emu_result *r, const ls_emu_finding *all, uint32_t n, uint64_t *most) {
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = 0;
        while (at < r->finding_count && (is_count(all[k].rule) || !same_lines(&r->findings[at], &all[k])))
            at++;
        if (at == r->finding_count) r->finding_count++;
        ls_emu_finding *to = &r->findings[at];
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
static void drop_consequences(ls_emu_result *r) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < r->finding_count; k++) {
        const ls_emu_finding *f = &r->findings[k];
        bool drop = false;
        for (uint32_t n = 0; n < r->finding_count && f->rule == LS_RULE_MEMORY_UNINITIALIZED && !drop; n++) {
            const ls_emu_finding *race = &r->findings[n];
            drop = is_race(race->rule) && race->level == LS_ERROR &&
                   (same_place(&race->pos, &f->pos) || same_place(second(race), &f->pos));
        }
        if (!drop) r->findings[kept++] = *f;
    }
    r->finding_count = kept;
}

void em_collect(machine *m, ls_emu_result *r) {
    em_checkers_end(m, r);
    for (uint32_t k = 0; k < m->emulator->sites.length; k++) r->divergent_branches += times_divergent(m, k);
    for (uint32_t k = 0; k < m->emulator->memory_sites; k++) {
        memory_stats t = total_memory(m, k);
        if (t.sectors) r->global_accesses += t.accesses, r->global_sectors += t.sectors;
    }
    ls_arena *arena = &m->arena;
    r->findings = LS_NEW_N(arena, ls_emu_finding, m->finding_count + 1);
    ls_emu_finding *all = LS_NEW_N(arena, ls_emu_finding, m->finding_count + 1);
    uint32_t n = 0;
    for (uint32_t k = 0; k < FINDING_BUCKETS; k++)
        for (const found *f = m->finding_table[k]; f; f = f->next) all[n++] = f->finding;
    qsort(all, n, sizeof *all, by_place);
    merge(r, all, n, LS_NEW_N(arena, uint64_t, n + 1));
    drop_consequences(r);
    collect_lines(m, r, arena);
    if (m->desc_overflow)
        em_note(m, "race checking ended early: more than %u accesses of warps", m->desc_capacity);
    if (m->shadow_failed) em_note(m, "races were not looked for in all of global memory: no memory for it");
    r->notes = m->notes.items;
    r->note_count = m->notes.length;
}
