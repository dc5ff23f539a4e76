/* The lock-step construction (000, §4.2, Table 3): the predicated program, each statement of which now does
 * the work of all threads. A statement becomes the vector statement of the table; blocks and gotos stay, but
 * the loop closes when no thread wants to go back: back needs some thread, exit all. */
#include "model/predicate.h"

#include <assert.h>

/* Table 3a: by the kind of the predicated statement. */
static const struct {
    uint8_t of_private, of_shared;
} table3a[] = {
    [LS_KS_ASSIGN] = {LS_KS_VECTOR_ASSIGN, LS_KS_PSI},
    [LS_KS_HAVOC] = {LS_KS_VECTOR_HAVOC, LS_KS_VECTOR_HAVOC},
    [LS_KS_ASSUME] = {LS_KS_ASSUME_ALL, LS_KS_ASSUME_ALL},
    [LS_KS_ASSERT] = {LS_KS_ASSERT_ALL, LS_KS_ASSERT_ALL},
    [LS_KS_SKIP] = {LS_KS_SKIP, LS_KS_SKIP},
    [LS_KS_BARRIER] = {LS_KS_BARRIER_ASSERT, LS_KS_BARRIER_ASSERT},
    [LS_KS_CHOOSE] = {LS_KS_VECTOR_CHOOSE, LS_KS_VECTOR_CHOOSE},
};

static ls_kstmt vectorise(const ls_kblock *block, const ls_kstmt *stmt) {
    assert(stmt->kind < sizeof table3a / sizeof *table3a);
    ls_kstmt made = *stmt;
    bool shared = stmt->var && stmt->var->class == LS_KC_SHARED;
    made.kind = shared ? table3a[stmt->kind].of_shared : table3a[stmt->kind].of_private;
    /* Table 3b: the block back (which stands for no block of the kernel) assumes v_active = B_head */
    if (block->source == LS_GRAPH_NONE && stmt->value->op == LS_KX_EQ) made.kind = LS_KS_ASSUME_ANY;
    return made;
}

ls_kprog *ls_kernel_lockstep(const ls_kprog *predicated) {
    assert(predicated->form == LS_KF_PREDICATED);
    ls_kprog *out = ls_kprog_new(predicated->ctx, predicated->name, predicated->file);
    out->form = LS_KF_LOCKSTEP;
    out->kernel = predicated->kernel;
    out->stmt_count = predicated->stmt_count;
    out->active = predicated->active, out->next = predicated->next;
    for (uint32_t b = 0; b < predicated->blocks.length; b++) {
        const ls_kblock *from = &predicated->blocks.items[b];
        uint32_t to = ls_kblock_new(out, from->label);
        out->blocks.items[to].loc = from->loc;
        out->blocks.items[to].source = from->source;
        for (uint32_t i = 0; i < from->stmts.length; i++)
            ls_kblock_add(out, to, vectorise(from, &from->stmts.items[i]));
        for (uint32_t k = 0; k < from->targets.length; k++) ls_kblock_goto(out, to, from->targets.items[k]);
    }
    return out;
}
