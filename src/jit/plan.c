/* Rows, basic blocks, liveness of a stream of decoded instructions, and the heads where compiled code is
 * entered: its start, loop headers, what is behind an instruction that is left to the interpreter, and where
 * the lanes part or meet if a branch may divide them. */
#include "jit/plan.h"

#include "emulate/exec.h"

#include <stdlib.h>

/* The time of compilation grows faster than the code. */
enum {
    MOST_INSNS = 1500,
    MOST_ROWS = COMPILED_ROWS,
    MOST_SIDES = 32, /* instructions that are executed under a mask where lanes part */
};

static exec_fn fn_of(const jit_plan *p, uint32_t k) {
    return em_interpreted(p->of, &p->insns[k]);
}

/* --- Rows --- */
static void add_row(jit_plan *p, operand o) {
    bool is_new;
    uint64_t *at = ls_intmap_at(&p->row_of, o.slot, &is_new);
    if (is_new) {
        *at = p->rows.length;
        row r = {.slot = o.slot, .width = o.width, .written = true, .shape = SHAPE_VARYING};
        LS_VEC_PUSH_IN(&p->arena, &p->rows, r);
    } else if (p->rows.items[*at].width != o.width) {
        p->refused = "a register is used with two widths";
    }
}

uint32_t jit_row(const jit_plan *p, uint32_t slot) {
    uint64_t at = 0;
    ls_intmap_get(&p->row_of, slot, &at);
    return (uint32_t)at;
}

static void fix_row(jit_plan *p, uint32_t slot, bool constant, uint64_t bits) {
    uint64_t at;
    if (!ls_intmap_get(&p->row_of, slot, &at)) return;
    row *r = &p->rows.items[at];
    r->written = false;
    r->constant = constant;
    r->bits = bits;
}

/* Rows that are filled before the kernel starts, and that no instruction of it writes. */
static void find_fixed_rows(jit_plan *p) {
    const code *c = p->code;
    for (uint32_t k = 0; k < c->constants.length; k++)
        fix_row(p, c->constants.items[k].slot, true, c->constants.items[k].bits);
    for (uint32_t k = 0; k < c->sregs.length; k++) fix_row(p, c->sregs.items[k].slot, false, 0);
    for (uint32_t k = 0; k < c->frames.length; k++) fix_row(p, c->frames.items[k].slot, false, 0);
    for (uint32_t k = 0; k < c->param_slots.length; k++) fix_row(p, c->param_slots.items[k].slot, false, 0);
    for (uint32_t k = 0; k < c->before_count; k++) fix_row(p, c->before[k].d, false, 0);
    for (uint32_t k = 0; k < p->insn_count; k++)
        for (uint32_t n = 0; n < p->effects[k].write_count; n++) {
            row *r = &p->rows.items[jit_row(p, p->effects[k].writes[n].slot)];
            if (!r->written)
                p->refused = "an instruction writes a register that is set before the kernel starts";
        }
}

static void find_rows(jit_plan *p) {
    p->effects = LS_NEW_N(&p->arena, effect, p->insn_count + 1);
    for (uint32_t k = 0; k < p->insn_count; k++) {
        effect *e = &p->effects[k];
        const bool guarded = e->guarded;
        jit_effect(&p->insns[k], fn_of(p, k), e);
        e->guarded = guarded;
        for (uint32_t n = 0; n < e->read_count; n++) add_row(p, e->reads[n]);
        for (uint32_t n = 0; n < e->write_count; n++) add_row(p, e->writes[n]);
        if (e->deed == DO_SUM) p->rows.items[jit_row(p, e->writes[0].slot)].whole = true;
        for (uint32_t n = 0; e->deed == DO_GUARD && n < (uint32_t)p->insns[k].imm; n++)
            p->effects[k + 1 + n].guarded = true;
    }
}

/* A guard over something that is left to the interpreter is left to it as a whole. */
static void find_whole_guards(jit_plan *p) {
    for (uint32_t k = 0; k < p->insn_count; k++) {
        effect *e = &p->effects[k];
        for (uint32_t n = 0; e->deed == DO_GUARD && n < (uint32_t)p->insns[k].imm; n++) {
            const uint8_t inner = p->effects[k + 1 + n].deed;
            if (inner == DO_STOP || inner == DO_ACROSS || inner == DO_BRANCH || inner == DO_JUMP ||
                inner == DO_RECONVERGE || inner == DO_GUARD)
                e->deed = DO_STOP;
        }
    }
}

/* --- Blocks --- */
/* Where control goes on behind an instruction that falls through. */
static uint32_t behind(const jit_plan *p, uint32_t k) {
    return p->insns[k].is_guard ? k + 1 + (uint32_t)p->insns[k].imm : k + 1;
}

static bool ends_block(const jit_plan *p, uint32_t k) {
    const uint8_t d = p->effects[k].deed;
    return !p->effects[k].guarded && (d == DO_STOP || d == DO_ACROSS || d == DO_BRANCH || d == DO_JUMP);
}

static uint32_t index_of(const jit_plan *p, const insn *i) {
    return (uint32_t)(i - p->insns);
}

static void mark(const jit_plan *p, bool *leader, uint32_t k) {
    if (k < p->insn_count) leader[k] = true;
}

static void mark_leaders(const jit_plan *p, bool *leader) {
    leader[0] = true;
    for (uint32_t k = 0; k < p->insn_count; k++) {
        const insn *i = &p->insns[k];
        exec_fn fn = fn_of(p, k);
        if (ends_block(p, k)) mark(p, leader, behind(p, k));
        if (fn == em_exec_branch || fn == em_exec_jump) {
            const branch_info *b = i->extra;
            mark(p, leader, index_of(p, b->target));
            if (fn == em_exec_jump) continue;
            mark(p, leader, index_of(p, b->other));
            mark(p, leader, index_of(p, b->reconverge));
        } else if (fn == em_exec_switch) {
            const switch_info *s = i->extra;
            mark(p, leader, index_of(p, s->reconverge));
            for (uint32_t n = 0; n < s->count; n++)
                if (s->targets[n]) mark(p, leader, index_of(p, s->targets[n]));
        }
    }
}

static void add_successor(jit_plan *p, basic_block *b, uint32_t at) {
    if (at >= p->insn_count) return;
    const uint32_t to = p->block_of[at] - 1;
    for (uint32_t k = 0; k < b->successors.length; k++)
        if (b->successors.items[k] == to) return;
    LS_VEC_PUSH_IN(&p->arena, &b->successors, to);
}

/* The block's last instruction, guards with what they cover being one. */
static uint32_t last_of(const jit_plan *p, const basic_block *b) {
    uint32_t k = b->first, last = k;
    for (; k < b->end; k = behind(p, k)) last = k;
    return last;
}

static void link_block(jit_plan *p, basic_block *b) {
    const uint32_t last = last_of(p, b);
    const insn *i = &p->insns[last];
    exec_fn fn = fn_of(p, last);
    b->reconverge = NO_SLOT;
    if (fn == em_exec_branch || fn == em_exec_jump) {
        const branch_info *x = i->extra;
        add_successor(p, b, index_of(p, x->target));
        if (fn == em_exec_jump) return;
        add_successor(p, b, index_of(p, x->other));
        b->reconverge = p->block_of[index_of(p, x->reconverge)] - 1;
    } else if (fn == em_exec_switch) {
        const switch_info *x = i->extra;
        for (uint32_t n = 0; n < x->count; n++)
            if (x->targets[n]) add_successor(p, b, index_of(p, x->targets[n]));
        b->reconverge = p->block_of[index_of(p, x->reconverge)] - 1;
    } else if (fn != em_exec_exit || i->guard != NO_SLOT) {
        add_successor(p, b, behind(p, last));
    }
}

static void find_blocks(jit_plan *p) {
    bool *leader = LS_NEW_N(&p->arena, bool, p->insn_count + 1);
    mark_leaders(p, leader);
    p->block_of = LS_NEW_N(&p->arena, uint32_t, p->insn_count + 1);
    for (uint32_t k = 0; k < p->insn_count; k++) {
        if (!leader[k]) continue;
        if (p->effects[k].guarded) p->refused = "a jump under a predicate";
        basic_block b = {.first = k, .end = p->insn_count, .reconverge = NO_SLOT};
        if (p->blocks.length) p->blocks.items[p->blocks.length - 1].end = k;
        LS_VEC_PUSH_IN(&p->arena, &p->blocks, b);
        p->block_of[k] = p->blocks.length;
    }
    for (uint32_t b = 0; b < p->blocks.length; b++) link_block(p, &p->blocks.items[b]);
}

uint32_t jit_block_at(const jit_plan *p, const insn *i) {
    return p->block_of[index_of(p, i)] - 1;
}

/* More than plain instructions, which are executed under any mask. */
static bool needs_whole(uint8_t d) {
    return d == DO_STOP || d == DO_ACROSS || d == DO_BRANCH || d == DO_FENCES;
}

/* Adds what is on the way from a block to where the lanes meet; false where that is not a plain way. */
static bool is_short_side(const jit_plan *p, uint32_t from, uint32_t meet, uint32_t *length) {
    for (uint32_t n = from; n != meet; n = p->blocks.items[n].successors.items[0]) {
        const basic_block *b = &p->blocks.items[n];
        const uint32_t last = last_of(p, b);
        *length += b->end - b->first;
        if (b->successors.length != 1 || *length > MOST_SIDES || b->end == b->first) return false;
        for (uint32_t k = b->first; k < b->end; k++) {
            const uint8_t d = p->effects[k].deed;
            if (needs_whole(d) ||
                (d == DO_JUMP && (k != last || ((const branch_info *)p->insns[k].extra)->backward)))
                return false;
        }
    }
    return true;
}

/* One of its ways leads back, which counts for the turn's budget. */
static bool goes_back(const jit_plan *p, uint32_t k) {
    const branch_info *b = p->insns[k].extra;
    return b->backward || (p->effects[k].deed == DO_BRANCH && b->other <= &p->insns[k]);
}

bool jit_has_short_sides(const jit_plan *p, uint32_t k) {
    const branch_info *b = p->insns[k].extra;
    const uint32_t meet = jit_block_at(p, b->reconverge);
    uint32_t length = 0;
    if (goes_back(p, k) || b->reconverge <= &p->insns[k]) return false;
    return is_short_side(p, jit_block_at(p, b->target), meet, &length) &&
           is_short_side(p, jit_block_at(p, b->other), meet, &length);
}

bool jit_is_own_loop(const jit_plan *p, uint32_t k) {
    const branch_info *b = p->insns[k].extra;
    if (p->effects[k].deed != DO_BRANCH || !b->backward || b->other != b->reconverge ||
        b->other <= &p->insns[k])
        return false;
    const basic_block *own = &p->blocks.items[jit_block_at(p, b->target)],
                      *behind = &p->blocks.items[jit_block_at(p, b->other)];
    if (last_of(p, own) != k || own->end - own->first > MOST_SIDES) return false;
    for (uint32_t n = own->first; n < k; n++) {
        const uint8_t d = p->effects[n].deed;
        if (needs_whole(d) || d == DO_JUMP || d == DO_RECONVERGE) return false;
    }
    for (uint32_t r = 0; r < p->rows.length; r++)
        if (ls_bitset_has(&own->written, r) && ls_bitset_has(&behind->live, r) && behind->in[r] >= 0)
            return false;
    return true;
}

/* --- Liveness --- */
static void live_before(const jit_plan *p, uint32_t k, ls_bitset *live) {
    const effect *e = &p->effects[k];
    if (e->unknown)
        for (uint32_t r = 0; r < p->rows.length; r++) ls_bitset_add(live, r);
    for (uint32_t n = 0; !e->guarded && n < e->write_count; n++)
        ls_bitset_remove(live, jit_row(p, e->writes[n].slot));
    for (uint32_t n = 0; e->guarded && n < e->write_count; n++)
        ls_bitset_add(live, jit_row(p, e->writes[n].slot));
    for (uint32_t n = 0; n < e->read_count; n++) ls_bitset_add(live, jit_row(p, e->reads[n].slot));
}

static void live_behind(const jit_plan *p, const basic_block *b, ls_bitset *live) {
    for (uint32_t k = 0; k < b->successors.length; k++)
        ls_bitset_union(live, &p->blocks.items[b->successors.items[k]].live);
    /* The next block of threads finds in the frame what this one has left: so does one that reads what it has
     * not written. */
    if (fn_of(p, last_of(p, b)) == em_exec_exit) ls_bitset_union(live, &p->blocks.items[p->entry].live);
}

ls_bitset *jit_live_in_block(jit_plan *p, ls_arena *arena, const basic_block *b) {
    ls_bitset *sets = LS_NEW_N(arena, ls_bitset, b->end - b->first + 1);
    for (uint32_t k = 0; k <= b->end - b->first; k++) sets[k] = ls_bitset_new(arena, p->rows.length);
    live_behind(p, b, &sets[b->end - b->first]);
    for (uint32_t k = b->end - b->first; k--;) {
        ls_bitset_union(&sets[k], &sets[k + 1]);
        live_before(p, b->first + k, &sets[k]);
    }
    return sets;
}

static void find_live(jit_plan *p) {
    for (uint32_t b = 0; b < p->blocks.length; b++) {
        basic_block *x = &p->blocks.items[b];
        x->live = ls_bitset_new(&p->arena, p->rows.length);
        x->forced = ls_bitset_new(&p->arena, p->rows.length);
        x->mixed = ls_bitset_new(&p->arena, p->rows.length);
        x->written = ls_bitset_new(&p->arena, p->rows.length);
        for (uint32_t k = x->first; k < x->end; k++) {
            const effect *e = &p->effects[k];
            for (uint32_t n = 0; n < e->write_count; n++)
                ls_bitset_add(&x->written, jit_row(p, e->writes[n].slot));
            for (uint32_t r = 0; e->unknown && r < p->rows.length; r++)
                if (p->rows.items[r].written) ls_bitset_add(&x->written, r);
        }
    }
    ls_bitset live = ls_bitset_new(&p->arena, p->rows.length);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = p->blocks.length; b--;) {
            basic_block *x = &p->blocks.items[b];
            memset(live.words, 0, ls_bitset_words(live.bits) * sizeof *live.words);
            live_behind(p, x, &live);
            for (uint32_t k = x->end; k-- > x->first;) live_before(p, k, &live);
            changed |= ls_bitset_union(&x->live, &live);
        }
    }
}

/* --- What is computed, and what is loaded --- */
static bool reads_loaded(const jit_plan *p, const effect *e) {
    for (uint32_t n = 0; n < e->read_count; n++)
        if (p->rows.items[jit_row(p, e->reads[n].slot)].loaded) return true;
    return false;
}

/* Whatever calls the interpreter may bring something from memory. */
static void find_loaded(jit_plan *p) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < p->insn_count; k++) {
            const effect *e = &p->effects[k];
            const bool brings = e->deed == DO_ACCESS || e->deed == DO_CALL || e->deed == DO_ACROSS ||
                                e->deed == DO_STOP || reads_loaded(p, e);
            for (uint32_t n = 0; brings && n < e->write_count; n++) {
                row *r = &p->rows.items[jit_row(p, e->writes[n].slot)];
                changed |= !r->loaded;
                r->loaded = true;
            }
        }
    }
}

/* --- Heads --- */
static void find_heads(jit_plan *p) {
    p->blocks.items[p->entry].is_head = true;
    for (uint32_t b = 0; b < p->blocks.length; b++) {
        basic_block *x = &p->blocks.items[b];
        const uint32_t last = last_of(p, x);
        const uint8_t end = p->effects[last].deed;
        /* lanes that part on short sides meet again in compiled code */
        const bool parts = x->diverges && (end != DO_BRANCH || !jit_has_short_sides(p, last));
        for (uint32_t k = 0; k < x->successors.length; k++) {
            basic_block *to = &p->blocks.items[x->successors.items[k]];
            to->is_head |= end == DO_STOP || (to->first <= last && ends_block(p, last));
            to->is_masked_head |= end == DO_ACROSS || parts;
        }
        if (parts) p->blocks.items[x->reconverge].is_head = true;
    }
}

const basic_block *jit_behind_barrier(const jit_plan *p, uint32_t k) {
    const insn *i = &p->insns[k];
    const compiled *c = p->of;
    if (p->effects[k].guarded || fn_of(p, k) != em_exec_barrier || i->guard != NO_SLOT) return NULL;
    const barrier_info *x = i->extra;
    const row *id = &p->rows.items[jit_row(p, x->id.slot)];
    if (x->kind != BARRIER_SYNC || x->has_count || x->cluster || !x->fixed || id->slot != x->id.slot ||
        !id->constant || id->bits >= CLUSTER_BARRIER)
        return NULL;
    const uint32_t head = k + 1 < p->insn_count ? c->head_of[k + 1] : 0;
    return head && !c->heads[head - 1].masked_only ? &p->blocks.items[p->block_of[k + 1] - 1] : NULL;
}

bool jit_is_kept(const jit_plan *p, const basic_block *behind, uint32_t r) {
    const row *x = &p->rows.items[r];
    return x->written && x->width != WIDTH_PRED && behind->in[r] >= 0 && ls_bitset_has(&behind->live, r);
}

static void shape_to(const jit_plan *p, const row *x, int32_t shape, lane_shape *out) {
    out->slot = x->slot;
    out->width = x->width;
    memcpy(out->offsets, p->shapes.items[shape], sizeof out->offsets);
}

static void give_kept(jit_plan *p, compiled *c) {
    for (uint32_t k = 0; k < p->insn_count; k++) {
        const basic_block *b = jit_behind_barrier(p, k);
        if (!b || !b->reached) continue;
        compiled_head *h = &c->heads[c->head_of[k + 1] - 1];
        h->kept = h->kept ? h->kept : calloc(p->rows.length + 1, sizeof *h->kept);
        h->kept_count = 0;
        if (!h->kept) {
            p->refused = "out of memory";
            return;
        }
        for (uint32_t r = 0; r < p->rows.length; r++)
            if (jit_is_kept(p, b, r)) shape_to(p, &p->rows.items[r], b->in[r], &h->kept[h->kept_count++]);
    }
}

/* Sums of 32 bits are as they are; those of 64 may come from such a one that was extended. */
bool jit_is_doubted(const jit_plan *p, const basic_block *b, uint32_t r) {
    const row *x = &p->rows.items[r];
    return x->written && x->width == 8 && b->in[r] > SHAPE_UNIFORM && ls_bitset_has(&b->live, r);
}

static void give_doubted(jit_plan *p, compiled *c) {
    for (uint32_t k = 0; k < c->head_count; k++) {
        compiled_head *h = &c->heads[k];
        const basic_block *b = &p->blocks.items[p->block_of[h->insn] - 1];
        uint32_t count = 0;
        for (uint32_t r = 0; r < p->rows.length; r++) count += jit_is_doubted(p, b, r);
        h->doubted = count ? calloc(count, sizeof *h->doubted) : NULL;
        if (count && !h->doubted) {
            p->refused = "out of memory";
            return;
        }
        for (uint32_t r = 0; r < p->rows.length; r++)
            if (jit_is_doubted(p, b, r))
                shape_to(p, &p->rows.items[r], b->in[r], &h->doubted[h->doubted_count++]);
    }
}

static void give_heads(jit_plan *p, compiled *c) {
    c->head_of = calloc(p->insn_count + 1, sizeof *c->head_of);
    c->heads = calloc(p->blocks.length + 1, sizeof *c->heads);
    if (!c->head_of || !c->heads) {
        p->refused = "out of memory";
        return;
    }
    for (uint32_t b = 0; b < p->blocks.length; b++) {
        const basic_block *x = &p->blocks.items[b];
        if (!x->reached || !(x->is_head || x->is_masked_head)) continue;
        const uint8_t first = p->effects[x->first].deed;
        if (first == DO_STOP) continue; /* there is nothing to be run */
        c->heads[c->head_count++] = (compiled_head){.insn = x->first, .masked_only = !x->is_head};
    }
    for (uint32_t h = 0; h < c->head_count; h++) c->head_of[c->heads[h].insn] = h + 1;
}

static void give_shapes(jit_plan *p, compiled *c) {
    c->shapes = calloc(p->rows.length + 1, sizeof *c->shapes);
    c->costs = calloc(p->memory_sites + 1, sizeof *c->costs);
    if (!c->shapes || !c->costs) {
        p->refused = "out of memory";
        return;
    }
    for (uint32_t r = 0; r < p->rows.length; r++) {
        const row *x = &p->rows.items[r];
        if (x->written || x->constant || x->shape == SHAPE_VARYING || x->width == WIDTH_PRED) continue;
        shape_to(p, x, x->shape, &c->shapes[c->shape_count++]);
    }
}

/* Of the warp's own state, with what compiled code does of it. */
static bool changes_warp(const jit_plan *p, uint32_t k) {
    const uint8_t d = p->effects[k].deed;
    const bool jumps = d == DO_BRANCH || d == DO_JUMP;
    return d == DO_CALL || d == DO_ACROSS || d == DO_FENCES || p->effects[k].slow ||
           (jumps && goes_back(p, k));
}

static void find_changes(const jit_plan *p, compiled *c) {
    const insn *end = NULL;
    bool others = false;
    for (uint32_t k = 0; k < p->insn_count; k++) {
        const insn *i = &p->insns[k];
        c->changes |= changes_warp(p, k);
        if (p->effects[k].deed != DO_STOP) continue;
        others |= em_interpreted(c, i) != em_exec_exit;
        if (i->guard == NO_SLOT) end = i;
    }
    if (!c->changes && !others) c->alone = end;
}

/* How far it is from the row of a warp to that of the next one; false: one way or another, or not in whole
 * accesses. */
static bool find_step(const block_run *b, block_reach *x) {
    enum { FAR = 1 << 24 };
    const uint32_t count = b->warps[0].machine->warps_per_block;
    const uint64_t first = *slot64(&b->warps[0], x->slot);
    x->step = count > 1 ? (int64_t)(*slot64(&b->warps[1], x->slot) - first) : 0;
    for (uint32_t n = 0; n < count; n++)
        if (*slot64(&b->warps[n], x->slot) != first + (uint64_t)x->step * n) return false;
    return x->step % x->bytes == 0 && x->step > -FAR && x->step < FAR;
}

/* Accesses of a kernel whose blocks follow each other, at rows that are the same in all blocks but for a
 * value of the block: few of them. */
static void give_reaches(const jit_plan *p, const block_run *b, compiled *c) {
    uint32_t count = 0;
    c->reaches = calloc(MOST_REACHES, sizeof *c->reaches);
    for (uint32_t k = 0; c->reaches && k < p->insn_count; k++) {
        if (p->effects[k].deed != DO_ACCESS) continue;
        const mem_access *m = p->insns[k].extra;
        const row *r = &p->rows.items[jit_row(p, m->address)];
        if (m->space == LS_SPACE_SHARED || r->written || r->width != 8 || r->shape < 0) continue;
        block_reach x = {.insn = k, .slot = m->address, .bytes = (uint32_t)m->bytes * m->count};
        for (uint32_t l = 0; l < CHUNK; l++) {
            const int64_t at = p->shapes.items[r->shape][l];
            x.low = at < x.low ? at : x.low;
            x.high = at > x.high ? at : x.high;
        }
        if (count == MOST_REACHES) return; /* they may as well look one by one */
        if (find_step(b, &x)) c->reaches[count++] = x;
    }
    if (c->reaches) c->reach_count = count;
}

/* --- Where intervals end --- */
/* The ends of compiled code that a warp may reach from a block: they are noted by instruction as reached from
 * the head, and counted; *end: the last one. */
static uint32_t find_ends_from(jit_plan *p, uint32_t n, uint32_t head, ls_bitset *seen, uint32_t *end) {
    const basic_block *b = &p->blocks.items[n];
    uint32_t count = 0;
    if (ls_bitset_has(seen, n)) return 0;
    ls_bitset_add(seen, n);
    for (uint32_t k = b->first; k < b->end; k++) {
        if (p->effects[k].deed != DO_STOP) continue;
        p->sources[k] = p->sources[k] ? NO_SLOT : head + 1;
        *end = k;
        return 1;
    }
    for (uint32_t k = 0; k < b->successors.length; k++)
        count += find_ends_from(p, b->successors.items[k], head, seen, end);
    return count;
}

static void find_ends(jit_plan *p, compiled *c) {
    bool any = false;
    for (uint32_t k = 0; k < p->insn_count && !any; k++) any = jit_behind_barrier(p, k);
    if (!any) return;
    p->sources = LS_NEW_N(&p->arena, uint32_t, p->insn_count + 1);
    for (uint32_t h = 0; h < c->head_count; h++) {
        ls_bitset seen = ls_bitset_new(&p->arena, p->blocks.length);
        uint32_t end = 0;
        if (c->heads[h].masked_only) continue;
        if (find_ends_from(p, p->block_of[c->heads[h].insn] - 1, h, &seen, &end) == 1 &&
            jit_behind_barrier(p, end))
            c->heads[h].end = &p->insns[end];
    }
}

jit_plan *jit_plan_new(compiled *c, const block_run *b) {
    jit_plan *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    ls_arena_init(&p->arena);
    p->of = c;
    p->code = b->warps[0].machine->kernel;
    p->checks = b->warps[0].machine->options.checks;
    p->memory_sites = b->warps[0].machine->emulator->memory_sites;
    p->block_width = b->warps[0].machine->launch->block[0];
    p->insns = c->insns;
    p->insn_count = c->insn_count;
    if (p->insn_count > MOST_INSNS || !p->insn_count) {
        p->refused = "the kernel is too long";
        return p;
    }
    find_rows(p);
    find_whole_guards(p);
    find_fixed_rows(p);
    if (p->rows.length > MOST_ROWS) p->refused = "the kernel has too many registers";
    if (p->refused) return p;
    find_blocks(p);
    p->entry =
        p->block_of[index_of(p, p->insns == p->code->insns ? p->code->entry : p->code->affine_entry)] - 1;
    find_live(p);
    find_loaded(p);
    jit_find_expressions(p);
    jit_find_shapes(p, b);
    find_heads(p);
    give_heads(p, c);
    if (!p->refused) give_kept(p, c);
    if (!p->refused) give_doubted(p, c);
    if (!p->refused) give_shapes(p, c);
    if (!p->refused) find_ends(p, c);
    find_changes(p, c);
    if (c->alone) give_reaches(p, b, c);
    return p;
}

void jit_plan_free(jit_plan *p) {
    if (!p) return;
    ls_intmap_free(&p->row_of);
    ls_arena_free(&p->arena);
    free(p);
}
