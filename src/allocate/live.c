/* Live intervals over the linear order, and register pressure. Requires webs and references; leaves live_in
 * and live_out of each block, start and end of each web.
 *
 * An interval is the hull of everywhere the variable is live, as in linear scan (Poletto and Sarkar). Most
 * variables never leave their block: those need no data flow, and have no bit in the sets. */
#include "allocate/private.h"

typedef struct {
    job *j;
    uint32_t *global; /* by web: its bit, or NONE */
    uint32_t *web_of; /* by bit */
    uint32_t count;
    ls_bitset *killed; /* by block id: written before it is read */
} flow;

/* A guarded write keeps what was there, unless nothing was. */
static bool keeps(const ls_ir_instr *instr, const job *j, uint32_t w) {
    for (uint32_t k = 0; instr->prior && k < instr->dst_count; k++) {
        const ls_ir_value *prior = instr->prior[k], *result = instr->dst[k].value;
        if (prior && result && j->web_of[result->id] == w && prior->kind != LS_VALUE_UNDEF) return true;
    }
    return false;
}

static bool reads(const job *j, uint32_t p, const reference *ref) {
    return !ref->is_def || (ref->guarded && keeps(j->order[p], j, ref->web));
}

/* --- Which variables cross blocks ------------------------------------------------------------------------
 */
static void find_globals(flow *d) {
    job *j = d->j;
    const ls_ir_block **home = LS_NEW_N(j->arena, const ls_ir_block *, j->web_count + 1);
    d->global = LS_NEW_N(j->arena, uint32_t, j->web_count + 1);
    d->web_of = LS_NEW_N(j->arena, uint32_t, j->web_count + 1);
    for (uint32_t w = 0; w < j->web_count; w++) d->global[w] = NONE;
    for (uint32_t p = 0; p < j->length; p++)
        for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++) {
            const reference *ref = &j->refs[i];
            const ls_ir_block *block = j->order[p]->block;
            bool crosses = home[ref->web] ? home[ref->web] != block : reads(j, p, ref);
            home[ref->web] = block;
            if (!crosses || d->global[ref->web] != NONE) continue;
            d->web_of[d->count] = ref->web;
            d->global[ref->web] = d->count++;
        }
}

/* --- Data flow -------------------------------------------------------------------------------------------
 */
static void fill_block(flow *d, const ls_ir_block *block) {
    job *j = d->j;
    for (uint32_t n = 0; n < block->instr_count; n++) {
        uint32_t p = j->position[block->instrs[n]->id];
        for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++) {
            uint32_t bit = d->global[j->refs[i].web];
            if (bit != NONE && reads(j, p, &j->refs[i]) && !ls_bitset_has(&d->killed[block->id], bit))
                ls_bitset_add(&j->live_in[block->id], bit);
        }
        for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++) {
            uint32_t bit = d->global[j->refs[i].web];
            if (bit != NONE && j->refs[i].is_def && !reads(j, p, &j->refs[i]))
                ls_bitset_add(&d->killed[block->id], bit);
        }
    }
}

static bool flow_block(flow *d, const ls_ir_block *block) {
    job *j = d->j;
    ls_bitset *out = &j->live_out[block->id], *in = &j->live_in[block->id];
    for (uint32_t s = 0; s < block->succ_count; s++) ls_bitset_union(out, &j->live_in[block->succs[s]->id]);
    bool grew = false;
    for (uint32_t i = 0; i < ls_bitset_words(d->count); i++) {
        uint64_t joined = in->words[i] | (out->words[i] & ~d->killed[block->id].words[i]);
        grew |= joined != in->words[i];
        in->words[i] = joined;
    }
    return grew;
}

static void solve(flow *d) {
    job *j = d->j;
    uint32_t blocks = j->f->block_count;
    j->live_in = LS_NEW_N(j->arena, ls_bitset, blocks);
    j->live_out = LS_NEW_N(j->arena, ls_bitset, blocks);
    d->killed = LS_NEW_N(j->arena, ls_bitset, blocks);
    for (uint32_t b = 0; b < blocks; b++) {
        j->live_in[b] = ls_bitset_new(j->arena, d->count);
        j->live_out[b] = ls_bitset_new(j->arena, d->count);
        d->killed[b] = ls_bitset_new(j->arena, d->count);
        fill_block(d, j->f->blocks[b]);
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = blocks; b-- > 0;) again |= flow_block(d, j->f->blocks[b]);
    }
}

/* --- Intervals -------------------------------------------------------------------------------------------
 */
static void extend(job *j, uint32_t w, uint32_t point) {
    web *v = &j->webs[w];
    if (v->start == NONE || point < v->start) v->start = point;
    if (point > v->end) v->end = point;
}

static void fill_intervals(flow *d) {
    job *j = d->j;
    for (uint32_t p = 0; p < j->length; p++) {
        const ls_ir_instr *instr = j->order[p];
        const ls_ir_value *guard = instr->guard.kind == LS_IR_ABSENT ? NULL : instr->guard.value;
        for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++)
            extend(j, j->refs[i].web, PHASES * p + (j->refs[i].is_def ? PHASE_WRITE : PHASE_READ));
        /* Results are stored under the guard. */
        if (guard && instr->dst_count && j->web_of[guard->id] != NONE)
            extend(j, j->web_of[guard->id], PHASES * p + PHASE_STORE);
    }
    for (uint32_t b = 0; b < j->f->block_count; b++) {
        const ls_ir_block *block = j->f->blocks[b];
        if (!block->instr_count) continue;
        uint32_t first = j->position[block->instrs[0]->id];
        uint32_t last = j->position[block->instrs[block->instr_count - 1]->id];
        for (uint32_t i = ls_bitset_next(&j->live_in[b], 0); i < d->count;
             i = ls_bitset_next(&j->live_in[b], i + 1))
            extend(j, d->web_of[i], PHASES * first);
        for (uint32_t i = ls_bitset_next(&j->live_out[b], 0); i < d->count;
             i = ls_bitset_next(&j->live_out[b], i + 1))
            extend(j, d->web_of[i], PHASES * last + PHASE_STORE);
    }
}

/* --- Pressure: words and predicates that are live at once, exactly -----------------------------------------
 */
typedef struct {
    ls_bitset live; /* of webs */
    uint32_t words, predicates;
} pressure;

static void set_live(const job *j, pressure *now, uint32_t w, bool live) {
    if (ls_bitset_has(&now->live, w) == live) return;
    uint32_t words = j->webs[w].words, predicates = !words;
    if (live) {
        ls_bitset_add(&now->live, w);
        now->words += words;
        now->predicates += predicates;
    } else {
        ls_bitset_remove(&now->live, w);
        now->words -= words;
        now->predicates -= predicates;
    }
}

static void note_pressure(const job *j, const pressure *now) {
    if (now->words > j->out->pressure) j->out->pressure = now->words;
    if (now->predicates > j->out->predicates) j->out->predicates = now->predicates;
}

static void pressure_of_block(flow *d, const ls_ir_block *block, pressure *now) {
    job *j = d->j;
    const ls_bitset *out = &j->live_out[block->id];
    for (uint32_t w = ls_bitset_next(&now->live, 0); w < j->web_count; w = ls_bitset_next(&now->live, w + 1))
        set_live(j, now, w, false);
    for (uint32_t i = ls_bitset_next(out, 0); i < d->count; i = ls_bitset_next(out, i + 1))
        set_live(j, now, d->web_of[i], true);
    note_pressure(j, now);
    for (uint32_t n = block->instr_count; n-- > 0;) {
        uint32_t p = j->position[block->instrs[n]->id];
        for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++)
            if (j->refs[i].is_def) set_live(j, now, j->refs[i].web, true);
        note_pressure(j, now);
        j->pressure_at[p] = now->words;
        for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++)
            if (!reads(j, p, &j->refs[i])) set_live(j, now, j->refs[i].web, false);
        for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++)
            if (reads(j, p, &j->refs[i])) set_live(j, now, j->refs[i].web, true);
        note_pressure(j, now);
        if (now->words > j->pressure_at[p]) j->pressure_at[p] = now->words;
    }
}

void ls_fill_liveness(job *j) {
    flow d = {.j = j};
    find_globals(&d);
    j->global = d.global;
    solve(&d);
    fill_intervals(&d);
    j->pressure_at = LS_NEW_N(j->arena, uint32_t, j->length + 1);
    pressure now = {.live = ls_bitset_new(j->arena, j->web_count)};
    for (uint32_t b = 0; b < j->f->block_count; b++) pressure_of_block(&d, j->f->blocks[b], &now);
}
