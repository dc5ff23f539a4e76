/* What a kernel has that is not modelled, or that is stated in a wrong way: known from the IR alone. */
#include "verify/check/modelled.h"
#include "base/recover.h"
#include "ptx/marks.h"
#include "ptx/uses.h"
#include "verify/check/async.h"
#include "verify/check/flights.h"
#include "verify/check/groups.h"
#include "verify/check/ticket_named.h"
#include "verify/check/tickets.h"
#include "verify/execute/calls.h"
#include "verify/execute/cluster_halves.h"
#include "verify/execute/contracts.h"
#include "verify/execute/nodes.h"

typedef LS_VEC(const ls_ir_block *) blocks;

/* A number of threads that is the block's, where that is known. */
static bool counts_all(const ls_proof *p, const ls_ir_operand *count) {
    const uint32_t *block = p->options->block;
    uint64_t threads;
    bool constant = count->value && ls_ir_constant(count->value, &threads);
    return constant && block[0] && threads == (uint64_t)block[0] * block[1] * block[2];
}

/* A barrier of all threads of the block, whichever of the sixteen it is: as all threads reach the same
 * barriers in the same order (barriers.c), none is ever in use for two purposes. */
static void check_barrier_form(ls_proof *p, const ls_ir_instr *i) {
    if (ls_is_cluster_barrier(i)) return;
    uint64_t id = 0;
    bool named = i->src_count >= 1 && i->src[0].value && ls_ir_constant(i->src[0].value, &id);
    bool reduces = i->form->opcode->barrier == LS_BARRIER_BLOCK_RED;
    bool counts = i->src_count > (reduces ? 2u : 1u);
    if (named && i->guard.kind == LS_IR_ABSENT && (!counts || counts_all(p, &i->src[1]))) return;
    if (ls_is_partial(p, i)) return; /* groups.c */
    const char *what = !named                          ? "whose number is not a constant"
                       : i->guard.kind != LS_IR_ABSENT ? "that is executed under a predicate"
                                                       : "of only some of the block's threads";
    ls_unknown(p, i->pos, counts ? "give the block's size (--block)" : NULL,
               "a barrier %s is not modelled (%s)", what, i->form->text);
    p->unmodelled_sync |= LS_SYNC_ANYWHERE;
}

/* The instructions that some path reaches after a call that may synchronise. */
typedef struct {
    bool *behind; /* by instruction; NULL: there is no such call */
} calls;

static calls *calls_of(const ls_proof *p) {
    static const ls_part KIND = {sizeof(calls), NULL};
    return ls_part_of(p, &KIND);
}

static void mark_from(const ls_proof *p, const ls_ir_block *b, uint32_t first, blocks *work) {
    bool *behind = calls_of(p)->behind;
    for (uint32_t k = first; k < b->instr_count; k++) behind[b->instrs[k]->id] = true;
    for (uint32_t k = 0; k < b->succ_count; k++) LS_VEC_PUSH(work, b->succs[k]);
}

static void mark_behind(const ls_proof *p, const ls_ir_instr *call) {
    LS_SCRATCH(scratch);
    bool *seen = ls_arena_zalloc(&scratch, p->f->block_count + 1);
    blocks work = {0};
    uint32_t at = 0;
    while (call->block->instrs[at] != call) at++;
    mark_from(p, call->block, at + 1, &work);
    while (work.length) {
        const ls_ir_block *b = work.items[--work.length];
        if (!seen[b->id]) mark_from(p, b, 0, &work);
        seen[b->id] = true;
    }
    LS_VEC_FREE(&work);
}

bool ls_is_before_calls(const ls_proof *p, const ls_ir_instr *i) {
    const bool *behind = calls_of(p)->behind;
    return !behind || !behind[i->id];
}

static void unmodelled_call(ls_proof *p, const ls_ir_instr *i) {
    const uint32_t apart = LS_TRAIT_INVARIANT | LS_TRAIT_SYSTEM | LS_TRAIT_RUNTIME; /* do not synchronise */
    ls_unknown(p, i->pos, NULL, "call of '%s', which is not modelled", i->call->name);
    if (ls_ptx_builtin_traits(ls_ir_builtin(i)) & apart) return;
    p->unmodelled_sync |= LS_SYNC_BEHIND_CALLS;
    calls *c = calls_of(p);
    if (!c->behind) c->behind = LS_NEW_N(&p->arena, bool, p->f->instr_count + 1);
    mark_behind(p, i);
}

static void check_instr(ls_proof *p, const ls_ir_instr *i) {
    uint32_t effects = i->form->opcode->effects;
    if (i->unknown) {
        ls_unknown(p, i->pos, NULL, "instruction %s is not known", i->form->text);
    } else if (i->call) {
        ls_call_kind kind = ls_call_of(i);
        if (!i->call->name) return; /* perhaps it is not reached: indirect.c */
        if (p->options->pure_externals && ls_call_is_external(i))
            ls_scope_line(
                p, "assumes that functions without a body only compute",
                "assumes that '%s', which has no body here, accesses no memory and does not synchronise",
                i->call->name);
        else if (kind == LS_CALL_UNKNOWN || kind == LS_CALL_SYNC)
            unmodelled_call(p, i);
    } else if (ls_is_handed(p, i)) {
        p->unmodelled_sync |= LS_SYNC_ANYWHERE; /* as those below */
    } else if (ls_is_barrier(i)) {
        check_barrier_form(p, i);
    } else if (ls_is_ticketed(i)) {
        p->unmodelled_sync |= LS_SYNC_ANYWHERE; /* for checks that do not know about tickets */
    } else if (ls_is_cluster_arrival(i)) {
        return; /* the wait behind it stands for both */
    } else if (effects & LS_BARRIER) {
        ls_unknown(p, i->pos, NULL, "synchronisation with %s is not modelled", i->form->text);
        p->unmodelled_sync |= LS_SYNC_ANYWHERE;
    } else if (i->op == LS_OP_MAPA && !p->remote) {
        ls_unknown(p, i->pos, NULL, "the shared memory of another block of the cluster (%s) is not modelled",
                   i->form->text);
    } else if ((effects & LS_ASYNC) && !ls_is_flight(i)) {
        ls_unknown(p, i->pos, NULL, "asynchronous %s is not modelled", i->form->text);
    } else if ((effects & LS_WRITES_MEMORY) && !i->access_count) {
        ls_unknown(p, i->pos, NULL, "%s writes memory in a way that is not modelled", i->form->text);
    }
}

/* Facts that functions __axiom… state would have to be assumed. */
static void check_axioms(ls_proof *p) {
    if (!ls_ptx_has_axioms(p->f->module)) return;
    ls_unknown(p, NULL, "state it with __requires in the kernel", "__axiom is not modelled");
    p->unmodelled_sync |= LS_SYNC_ANYWHERE;
}

/* Where a number becomes a pointer (the front end says where), it is not known what it points to: a pointer's
 * own object would have to be followed through arithmetic on numbers. */
static void check_pointers(ls_proof *p, const ls_ptx_block *block) {
    const ls_ptx_loc *loc = NULL;
    for (uint32_t i = 0; i < block->count; i++) {
        const ls_ptx_stmt *stmt = &block->stmts[i];
        if (stmt->kind == LS_STMT_LOC) loc = stmt->loc;
        if (stmt->kind == LS_STMT_BLOCK) check_pointers(p, stmt->block);
        if (stmt->kind != LS_STMT_PRAGMA || !strstr(stmt->text, LS_PRAGMA_POINTER)) continue;
        const char *file = loc ? ls_ptx_file_path(p->f->module, loc->file) : NULL;
        ls_place pos = {.file = file ? file : "?", .line = loc ? loc->line : 0};
        if (loc) pos.column = loc->column;
        ls_unknown(p, &pos, "compute with the pointer itself", "an integer is converted to a pointer here");
    }
}

/* … in the kernel or in a function that was expanded in it: any of the module's. */
static void check_made_pointers(ls_proof *p) {
    const ls_ptx_module *module = p->f->module;
    if (p->f->ptx->body && p->f->ptx->is_entry) check_pointers(p, p->f->ptx->body);
    for (uint32_t i = 0; i < module->plain_count; i++)
        if (module->plain[i]->body) check_pointers(p, module->plain[i]->body);
}

/* Every path from the loop's header reaches the block before it leaves the loop or starts another iteration.
 */
static bool is_always_reached(const ls_proof *p, const ls_ir_loop *loop, const ls_ir_block *block) {
    LS_SCRATCH(scratch);
    bool *seen = ls_arena_zalloc(&scratch, p->f->block_count + 1), always = true;
    blocks work = {0};
    LS_VEC_PUSH(&work, loop->header);
    while (work.length && always) {
        const ls_ir_block *b = work.items[--work.length];
        if (b == block || seen[b->id]) continue;
        seen[b->id] = true;
        always = b->succ_count > 0;
        for (uint32_t k = 0; k < b->succ_count; k++) {
            always &= b->succs[k] != loop->header && ls_ir_loop_contains(loop, b->succs[k]);
            LS_VEC_PUSH(&work, b->succs[k]);
        }
    }
    LS_VEC_FREE(&work);
    return always;
}

/* An invariant is of the loop at whose head it stands; what it branches on itself lies between. */
static void check_invariant(ls_proof *p, const ls_ir_instr *i) {
    ls_ptx_builtin builtin = ls_ir_builtin(i);
    bool invariant = builtin == LS_BUILTIN_INVARIANT || builtin == LS_BUILTIN_GLOBAL_INVARIANT;
    const ls_ir_loop *loop = i->block->loop;
    if (invariant && !p->options->no_annotations && (!loop || !is_always_reached(p, loop, i->block)))
        ls_mistake(p, i->pos, "%s is not at the head of a loop: put it before the loop's condition",
                   i->call->name);
}

/* The type in __return_val_TYPE is as wide as what the function returns. */
static void check_result_type(ls_proof *p, const ls_ir_instr *i) {
    static const struct {
        const char *type;
        uint32_t bytes;
    } types[] = {{"int", 4}, {"bool", 1}, {"float", 4}, {"double", 8}, {"long", 8}, {"ptr", 8}};
    const char *type = ls_call_of(i) == LS_CALL_RESULT ? i->call->name + strlen("__return_val_") : NULL;
    const ls_ptx_function *f = p->f->ptx;
    if (!type || i->pos->at || f->return_count != 1 || f->returns[0]->dimension_count) return;
    uint32_t bytes = ls_ptx_type_bits((ls_ptx_type)f->returns[0]->type) / 8; /* 4 for all that is smaller */
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (!strcmp(type, types[k].type) && (types[k].bytes > 4) != (bytes > 4))
            ls_mistake(p, i->pos, "%s, but the function returns %u bytes", i->call->name, bytes);
}

static void check_loads(ls_proof *p) {
    for (uint32_t i = 0; i < p->f->access_count && p->options->shared_loads; i++)
        if (p->f->accesses[i]->kind == LS_ACCESS_ATOMIC)
            ls_mistake(
                p, p->f->accesses[i]->instr->pos,
                "--loads shared: with atomic operations in the kernel, threads need not load the same value");
}

static void check_mistakes(ls_proof *p) {
    for (uint32_t i = 0; i < p->f->instr_count; i++) {
        check_invariant(p, p->f->instrs[i]);
        check_result_type(p, p->f->instrs[i]);
    }
    check_loads(p);
}

void ls_check_modelled(ls_proof *p) {
    check_mistakes(p);
    check_axioms(p);
    check_made_pointers(p);
    ls_check_promises(p);
    for (uint32_t i = 0; i < p->f->instr_count; i++) check_instr(p, p->f->instrs[i]);
    if (p->f->irreducible_count)
        ls_unknown(p, p->f->irreducible[0].to->instr_count ? p->f->irreducible[0].to->instrs[0]->pos : NULL,
                   NULL, "control flow is irreducible (a loop with two entries)");
}

/* --- Annotations -----------------------------------------------------------------------------------------
 */

/* The bracket is that of an invariant at a barrier, whose loads count (barrier_facts.c). */
static bool is_at_barrier(const ls_ir_block *b, uint32_t open) {
    for (uint32_t k = open + 1; k < b->instr_count; k++) {
        const ls_ir_instr *i = b->instrs[k];
        if (ls_call_of(i) == LS_CALL_AT_BARRIER) return true;
        if (ls_ir_builtin(i) == LS_BUILTIN_NON_TEMPORAL_LOADS_END) return false;
    }
    return false;
}

/* Loads between the brackets belong to an annotation. */
void ls_find_annotations(ls_proof *p) {
    p->annotation = LS_NEW_N(&p->arena, bool, p->f->instr_count + 1);
    for (uint32_t b = 0; b < p->f->block_count; b++) {
        bool inside = false;
        for (uint32_t k = 0; k < p->f->blocks[b]->instr_count; k++) {
            const ls_ir_instr *i = p->f->blocks[b]->instrs[k];
            ls_ptx_builtin builtin = ls_ir_builtin(i);
            if (builtin == LS_BUILTIN_NON_TEMPORAL_LOADS_BEGIN) inside = !is_at_barrier(p->f->blocks[b], k);
            if (builtin == LS_BUILTIN_NON_TEMPORAL_LOADS_END) inside = false;
            p->annotation[i->id] = inside && i->op == LS_OP_LD;
        }
    }
}
