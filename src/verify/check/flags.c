/* OpenCL's barrier(flags) where threads pass different flags: each thread asks for a fence of its own. An
 * access before the barrier by a thread whose flags do not name its memory is not ordered before what others
 * do behind it, whatever theirs are. That is all that is found out here: where the first thread has a fence
 * and the second has none, it is left open, and a kernel with such a barrier is never proved. */
#include "verify/check/flags.h"
#include "verify/check/fences.h"
#include "verify/execute/lower.h"
#include "verify/execute/nodes.h"

/* Which of the two accesses comes before the barrier, the other behind it: 1 or 2; 0: neither. -1: it is in a
 * loop, or they may come in any order. */
static int first_of(ls_proof *p, const ls_node *n, const ls_event *a, const ls_event *b) {
    bool before[2], behind[2];
    const ls_ir_instr *access[2] = {a->access->instr, b->access->instr};
    for (int k = 0; k < 2; k++) {
        before[k] = ls_follows(p, access[k], n->barrier);
        behind[k] = ls_follows(p, n->barrier, access[k]);
    }
    if (n->block->loop || (before[0] && behind[0]) || (before[1] && behind[1])) return -1;
    if (before[0] && behind[1]) return 1;
    return before[1] && behind[0] ? 2 : 0;
}

void ls_query_past_flags(ls_query *q, const ls_event *a, const ls_event *b, uint8_t memory) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    uint32_t given = q->conjuncts.length;
    bool any = false, known = true;
    for (uint32_t i = 0; i < p->node_count && q->view.same_block; i++) {
        const ls_ir_value *value = ls_open_flags(p->nodes[i]);
        int first = value ? first_of(p, p->nodes[i], a, b) : 0;
        any |= first != 0;
        known &= first >= 0;
        if (first <= 0) continue;
        const ls_term *flags = ls_value_of(p->whole, value), *bits = ls_const(t, flags->width, memory);
        const ls_term *none = ls_eq(t, ls_binary(t, LS_T_AND, flags, bits), ls_const(t, flags->width, 0));
        ls_query_add(q, (uint32_t)first, none, NULL);
    }
    if (!any || (known && ls_query_solve(q) == LS_SAT)) return;
    q->conjuncts.length = given;
    ls_query_solve(q);
    q->view.doubtful = "which memory a barrier orders";
}
