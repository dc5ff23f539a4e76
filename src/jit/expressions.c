/* What a row has at the start of each block, as an expression of rows that no instruction writes: an analysis
 * of one thread, which holds of every lane, however they came there. Where lanes that a branch has divided
 * meet again, a row with such an expression is as if they had not been (shapes.c). */
#include "jit/plan.h"

#include "emulate/decode/rules.h"

/* One that was seen before, or a new one; EXPRESSION_OTHER: there are too many. */
static int32_t interned(jit_plan *p, const expression *x) {
    enum { MOST = 1024 };
    for (uint32_t k = 0; k < p->expressions.length; k++)
        if (!memcmp(&p->expressions.items[k], x, sizeof *x)) return (int32_t)k;
    if (p->expressions.length >= MOST) return EXPRESSION_OTHER;
    LS_VEC_PUSH_IN(&p->arena, &p->expressions, *x);
    return (int32_t)p->expressions.length - 1;
}

/* Rules' operations depend on nothing but their operands. */
static int32_t result(jit_plan *p, uint32_t k, const int32_t *state) {
    const insn *i = &p->insns[k];
    const effect *e = &p->effects[k];
    const uint8_t rule = em_rules[i->op].rule;
    if (e->guarded || e->read_count > 3) return EXPRESSION_OTHER;
    if (e->deed != DO_SUM && (e->deed != DO_ROW || rule == RULE_NONE)) return EXPRESSION_OTHER;
    expression x = {
        i->op, e->deed == DO_SUM ? i->b : 0, {EXPRESSION_OTHER, EXPRESSION_OTHER, EXPRESSION_OTHER}};
    for (uint32_t n = 0; n < e->read_count; n++) {
        x.of[n] = state[jit_row(p, e->reads[n].slot)];
        if (x.of[n] < 0) return EXPRESSION_OTHER;
    }
    if (rule == RULE_MOVE) return x.of[0];
    if ((rule == RULE_ADD || rule == RULE_MUL) && x.of[0] > x.of[1]) {
        const int32_t a = x.of[0];
        x.of[0] = x.of[1];
        x.of[1] = a;
    }
    return interned(p, &x);
}

static void through(jit_plan *p, const basic_block *b, int32_t *state) {
    for (uint32_t k = b->first; k < b->end; k++) {
        const effect *e = &p->effects[k];
        const int32_t made = e->unknown ? EXPRESSION_OTHER : result(p, k, state);
        for (uint32_t r = 0; e->unknown && r < p->rows.length; r++)
            if (p->rows.items[r].written) state[r] = EXPRESSION_OTHER;
        for (uint32_t n = 0; n < e->write_count; n++)
            state[jit_row(p, e->writes[n].slot)] = e->write_count == 1 ? made : EXPRESSION_OTHER;
    }
}

static bool arrive(const jit_plan *p, basic_block *b, const int32_t *state) {
    bool changed = false;
    for (uint32_t r = 0; r < p->rows.length; r++) {
        if (b->has[r] == state[r] || b->has[r] == EXPRESSION_OTHER) continue;
        b->has[r] = b->has[r] == EXPRESSION_UNSEEN ? state[r] : EXPRESSION_OTHER;
        changed = true;
    }
    return changed;
}

void jit_find_expressions(jit_plan *p) {
    int32_t *state = LS_NEW_N(&p->arena, int32_t, p->rows.length + 1);
    bool *reached = LS_NEW_N(&p->arena, bool, p->blocks.length + 1);
    for (uint32_t n = 0; n < p->blocks.length; n++) {
        p->blocks.items[n].has = LS_NEW_N(&p->arena, int32_t, p->rows.length + 1);
        for (uint32_t r = 0; r < p->rows.length; r++) p->blocks.items[n].has[r] = EXPRESSION_UNSEEN;
    }
    for (uint32_t r = 0; r < p->rows.length; r++) {
        const expression leaf = {0, r, {EXPRESSION_OTHER, EXPRESSION_OTHER, EXPRESSION_OTHER}};
        state[r] = p->rows.items[r].written ? EXPRESSION_OTHER : interned(p, &leaf);
    }
    reached[p->entry] = arrive(p, &p->blocks.items[p->entry], state) || !p->rows.length;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < p->blocks.length; n++) {
            const basic_block *x = &p->blocks.items[n];
            if (!reached[n]) continue;
            memcpy(state, x->has, p->rows.length * sizeof *state);
            through(p, x, state);
            for (uint32_t k = 0; k < x->successors.length; k++) {
                const uint32_t to = x->successors.items[k];
                changed |= arrive(p, &p->blocks.items[to], state) || !reached[to];
                reached[to] = true;
            }
        }
    }
}
