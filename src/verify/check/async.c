/* Copies in flight (OpenCL's async_work_group_copy): all threads of a block ask for one copy, which reads and
 * writes its elements at any time until a wait for its event. In a race it stands for itself: any one of its
 * elements may be accessed while other threads do what they do in the same barrier interval. That is all
 * there is to it where every way from the copy reaches a wait for it before the next barrier; else accesses
 * behind the barrier are looked at, and it is unknown where none of them races for sure. All threads of a
 * block must reach copies and waits with the same arguments, as to a barrier. */
#include "verify/check/async.h"
#include "base/recover.h"
#include "verify/check/barriers.h"
#include "verify/check/radix.h"
#include "verify/execute/calls.h"
#include "verify/execute/contents.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/execute/roots.h"
#include "verify/execute/uniform.h"
#include "verify/proof.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

enum { TO, FROM, COUNT, SIZE, TO_STRIDE, FROM_STRIDE, EVENT }; /* arguments */

bool ls_has_copies(const ls_proof *p) {
    for (uint32_t i = 0; i < p->f->instr_count; i++)
        if (ls_call_of(p->f->instrs[i]) == LS_CALL_COPY || ls_call_of(p->f->instrs[i]) == LS_CALL_TOUCH)
            return true;
    return false;
}

static const ls_term *argument(const ls_state *s, const ls_ir_instr *call, uint32_t index) {
    ls_ir_value *v = ls_ir_argument_value(call, index, 0);
    return v ? ls_resize(&s->proof->terms, ls_value_of(s, v), 64, false) : NULL;
}

static bool is_event(ls_terms *t, const ls_term *event) {
    return event->op == LS_T_SYM && ls_sym_of(t, event)->kind == LS_SYM_EVENT;
}

/* A new one, or the one that was given for several copies to share. */
const ls_term *ls_copy_event(ls_state *s, const ls_ir_instr *call, uint32_t width) {
    ls_terms *t = &s->proof->terms;
    const ls_term *given = argument(s, call, EVENT);
    if (given && is_event(t, given)) return ls_resize(t, given, width, false);
    return ls_fresh(s, "event", width, LS_SYM_EVENT);
}

/* --- Accesses --------------------------------------------------------------------------------------------
 */

/* Of an object that is accessed by copies alone: the symbol is its address, or a pointer parameter. */
static const ls_ir_base *make_base(ls_proof *p, const ls_term *symbol, uint8_t space) {
    ls_ir_base base = {.kind = LS_BASE_OBJECT, .space = space, .object = p->f->object_count};
    uint64_t key;
    for (uint32_t o = 0; o < p->f->object_count; o++)
        if (p->object_address[o] == symbol) base.object = o;
    bool parameter = ls_intmap_get(&p->parameter_keys, symbol->value, &key);
    if (parameter) base.object = (uint32_t)(key >> 32);
    if (base.object == p->f->object_count) return NULL;
    const ls_ir_object *object = p->f->objects[base.object];
    if (parameter && (!object->variable || !object->variable->is_pointer)) return NULL;
    if (parameter) base.kind = LS_BASE_PARAM;
    base.id = p->f->base_count + base.object;
    base.name = object->name;
    ls_ir_base *made = LS_NEW(&p->arena, ls_ir_base);
    *made = base;
    return made;
}

typedef struct {
    ls_intmap bases;  /* of their own, by symbol */
    ls_intmap waited; /* wait for several to index in `lists`: their events */
    LS_VEC(ls_term_list) lists;
} copies;

static void free_copies(void *part) {
    copies *c = part;
    for (uint32_t i = 0; i < c->lists.length; i++) LS_VEC_FREE(&c->lists.items[i]);
    LS_VEC_FREE(&c->lists);
    ls_intmap_free(&c->waited);
    ls_intmap_free(&c->bases);
}

static const ls_part COPIES = {sizeof(copies), free_copies};

const ls_ir_base *ls_base_at(ls_proof *p, const ls_term *symbol, uint8_t space) {
    for (uint32_t b = 0; b < p->f->base_count; b++)
        if (ls_base_address(p, p->f->bases[b]) == symbol) return p->f->bases[b];
    bool is_new;
    copies *c = ls_part_of(p, &COPIES);
    uint64_t *place = ls_intmap_at(&c->bases, symbol->value, &is_new);
    if (is_new) *place = (uint64_t)(uintptr_t)make_base(p, symbol, space);
    return (const ls_ir_base *)(uintptr_t)*place;
}

/* The objects that a pointer may point to: those whose address is a part of it. */
static bool find_bases(ls_proof *p, const ls_term *pointer, uint8_t space, ls_ir_access *a) {
    ls_term_list leaves = {0};
    ls_leaves(&pointer, 1, &leaves);
    a->bases = LS_NEW_N(&p->arena, const ls_ir_base *, leaves.length + 1);
    bool known = true;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        known &= leaf->op == LS_T_SYM && ls_sym_of(&p->terms, leaf)->kind == LS_SYM_INPUT;
        const ls_ir_base *base = known ? ls_base_at(p, leaf, space) : NULL;
        if (base) a->bases[a->base_count++] = base;
    }
    LS_VEC_FREE(&leaves);
    return known && a->base_count;
}

static ls_ir_access *new_access(ls_proof *p, const ls_ir_instr *call, bool writes) {
    ls_ir_access *a = LS_NEW(&p->arena, ls_ir_access);
    *a = (ls_ir_access){.id = p->f->access_count + 2 * call->id + writes,
                        .instr = (ls_ir_instr *)(uintptr_t)call,
                        .kind = writes ? LS_ACCESS_WRITE : LS_ACCESS_READ,
                        .space = LS_SPACE_GENERIC,
                        .semantics = LS_MOD_UNKNOWN,
                        .scope = LS_MOD_UNKNOWN,
                        .count = 1};
    return a;
}

static void add_event(ls_state *s, const ls_ir_instr *call, const ls_term *path, ls_event e) {
    e.when = ls_and(&s->proof->terms, path, ls_guard_of(s, call));
    ls_split_address(s->proof, &e);
    LS_VEC_PUSH(s->events, e);
}

static void add_access(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path,
                       bool writes) {
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    const ls_term *start = argument(s, call, writes ? TO : FROM), *count = argument(s, call, COUNT);
    const ls_term *size = argument(s, call, SIZE),
                  *stride = argument(s, call, writes ? TO_STRIDE : FROM_STRIDE);
    ls_ir_access *a = new_access(p, call, writes);
    bool known = start && count && size && stride && ls_is_const(size) && size->value && size->value <= 128;
    bool local = writes == (ls_ir_builtin(call) == LS_BUILTIN_ASYNC_COPY_TO_LOCAL);
    if (!known || !find_bases(p, start, local ? LS_SPACE_SHARED : LS_SPACE_GLOBAL, a)) {
        ls_unknown(p, call->pos, NULL, "it is not known what memory is copied here");
        return;
    }
    a->bytes = (uint32_t)size->value;
    const ls_term *element = ls_fresh(s, "element", 64, LS_SYM_INPUT);
    ls_add_fact(p, element, ls_ult(t, element, count));
    const ls_term *offset = ls_scale(t, ls_mul(t, element, stride), size->value);
    add_event(
        s, call, path,
        (ls_event){
            .access = a, .state = s, .node = n, .address = ls_add(t, start, offset), .collective = true});
}

/* What an __ensures of a function with a body says of accesses is not modelled; of one without, it is a fact
 * (contracts.c). */
static bool is_promised(const ls_proof *p) {
    bool promised = false;
    for (uint32_t i = 0; i < p->f->instr_count; i++) {
        const ls_ir_instr *other = p->f->instrs[i];
        promised |= ls_call_of(other) == LS_CALL_RETURN && !ls_is_specification(other->call->callee);
    }
    return promised;
}

void ls_stated_fact(ls_proof *p, const ls_event *e, const ls_term *fact) {
    ls_term_list leaves = {0};
    ls_leaves(&e->address, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++)
        if (leaves.items[i]->op == LS_T_SYM && ls_sym_of(&p->terms, leaves.items[i])->key == e->access->instr)
            ls_add_fact(p, leaves.items[i], fact);
    LS_VEC_FREE(&leaves);
}

bool ls_made_access(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path,
                    uint8_t space, const ls_term *offset) {
    ls_proof *p = s->proof;
    ls_ir_access *a = new_access(p, call, ls_ptx_builtin_traits(ls_ir_builtin(call)) & LS_TRAIT_WRITES);
    const ls_term *start = argument(s, call, 0);
    if (!start || !find_bases(p, start, space, a)) return false;
    a->bytes = 1;
    ls_event e = {.access = a, .state = s, .node = n, .address = ls_add(&p->terms, start, offset)};
    if (s->events) add_event(s, call, path, e);
    return true;
}

/* __reads_from and __writes_to: the thread may access any byte of the object. */
void ls_stated_access(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path) {
    ls_proof *p = s->proof;
    bool local = ls_ptx_builtin_traits(ls_ir_builtin(call)) & LS_TRAIT_LOCAL;
    const ls_term *byte = ls_fresh(s, "byte", 64, LS_SYM_INPUT);
    ls_sym_of(&p->terms, byte)->key = call;
    bool known = ls_made_access(s, n, call, path, local ? LS_SPACE_SHARED : LS_SPACE_GLOBAL, byte);
    if (known && !is_promised(p)) return;
    ls_unknown(p, call->pos, NULL, "it is not known what memory the function accesses");
    p->unmodelled_sync |= LS_SYNC_ANYWHERE;
}

void ls_copy_accesses(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path) {
    if (!s->events) return;
    add_access(s, n, call, path, false);
    add_access(s, n, call, path, true);
}

/* --- Waiting ---------------------------------------------------------------------------------------------
 */

/* Whether the call waits for the event, in the arbitrary iteration. */
static bool waits_for(ls_proof *p, const ls_ir_instr *wait, const ls_term *event) {
    if (ls_call_of(wait) != LS_CALL_WAIT || wait->guard.kind != LS_IR_ABSENT) return false;
    if (ls_ir_builtin(wait) == LS_BUILTIN_WAIT_EVENT) {
        const ls_term *one = argument(p->whole, wait, 0);
        return one == event;
    }
    uint64_t index = wait->id, place;
    const copies *c = ls_part_of(p, &COPIES);
    if (!ls_intmap_get(&c->waited, index, &place)) return false;
    const ls_term_list *list = &c->lists.items[place];
    for (uint32_t i = 0; i < list->length; i++)
        if (list->items[i] == event) return true;
    return false;
}

/* The events in a list in the thread's own memory, as it is when the wait is executed. */
void ls_note_wait(ls_state *s, const ls_ir_instr *wait) {
    ls_proof *p = s->proof;
    const ls_term *count = argument(s, wait, 0), *list = argument(s, wait, 1);
    if (s != p->whole || ls_ir_builtin(wait) != LS_BUILTIN_WAIT_EVENTS) return;
    if (!count || !list || !ls_is_const(count) || count->value > 64) return;
    ls_ir_access a = {0};
    if (!find_bases(p, list, LS_SPACE_LOCAL, &a) || a.base_count != 1 || a.bases[0]->id >= p->f->base_count)
        return;
    ls_term_list events = {0};
    for (uint64_t i = 0; i < (uint32_t)count->value; i++) {
        const ls_term *at = ls_add(&p->terms, list, ls_const(&p->terms, 64, 8 * i));
        const ls_term *event = ls_memory_peek(s, wait->block, a.bases[0], at, 8);
        if (event) LS_VEC_PUSH(&events, event);
    }
    bool is_new;
    copies *c = ls_part_of(p, &COPIES);
    *ls_intmap_at(&c->waited, wait->id, &is_new) = c->lists.length;
    LS_VEC_PUSH(&c->lists, events);
}

/* Every path from the call reaches a wait before it reaches a barrier, starts another iteration, or ends. */
static bool is_waited_for(ls_proof *p, const ls_node *node, const ls_ir_instr *call, const ls_term *event) {
    bool *seen = LS_NEW_N(&p->arena, bool, p->node_count + 1), good = true;
    LS_VEC(const ls_node *) work = {0};
    LS_VEC_PUSH(&work, node);
    while (work.length && good) {
        const ls_node *n = work.items[--work.length];
        bool waited = false;
        for (uint32_t k = n->first; k < n->end && !waited; k++) {
            const ls_ir_instr *i = n->block->instrs[k];
            waited = (n != node || i->id > call->id) && waits_for(p, i, event);
        }
        if (waited) continue;
        good = !n->barrier && n->block->succ_count;
        for (uint32_t k = 0; k < n->block->succ_count && good; k++) {
            const ls_ir_block *to = n->block->succs[k];
            uint32_t next = p->first_node[to->id];
            good = !(to->is_loop_header && ls_ir_dominates(to, n->block));
            if (good && !seen[next]) LS_VEC_PUSH(&work, p->nodes[next]);
            seen[next] = true;
        }
    }
    LS_VEC_FREE(&work);
    return good;
}

/* --- Agreement -------------------------------------------------------------------------------------------
 */

/* Each event is another one, and all threads have the same. */
static const ls_term *numbered(ls_subst *subst, const ls_term *symbol) {
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    return sym->kind == LS_SYM_EVENT ? ls_const(subst->ctx, symbol->width, sym->origin + 1) : symbol;
}

static void report(ls_proof *p, const ls_ir_instr *call, ls_query *q, ls_answered answer, const char *what) {
    if (answer == LS_SAT && ls_query_confirmed(q)) {
        ls_finding *f = ls_find(p, LS_RULE_BARRIER_DIVERGENCE, LS_ERROR, call->pos,
                                "threads of a block can disagree on %s", what);
        ls_query_witness(q, f, NULL);
    } else if (answer != LS_UNSAT) {
        ls_unknown(p, call->pos, NULL, "no proof that all threads of a block agree on %s", what);
    }
    ls_query_end(q);
}

/* Two threads that are there in the same iteration give the same. */
static void check_argument(ls_proof *p, const ls_node *n, const ls_ir_instr *call, uint32_t index,
                           const char *what) {
    const ls_ir_value *v = ls_ir_argument_value(call, index, 0);
    const ls_term *value = argument(p->whole, call, index), *reach = p->whole->reach[n->id];
    if (!v || !value) {
        ls_unknown(p, call->pos, NULL, "no proof that all threads of a block agree on %s", what);
        return;
    }
    ls_subst subst = {.ctx = &p->terms, .replace = numbered};
    value = ls_substitute(&subst, value);
    ls_subst_free(&subst);
    if (!p->divergent[v->id] || ls_is_const(value)) return;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .together = true, .a = n->block, .b = n->block});
    ls_query_add(&q, 1, reach, value);
    ls_query_add(&q, 2, reach, value);
    ls_query_distinct(&q);
    const ls_term *same = ls_eq(&p->terms, ls_query_term(&q, 1, value), ls_query_term(&q, 2, value));
    ls_query_claim(&q, ls_not(&p->terms, same));
    ls_answered answer = ls_query_solve(&q);
    report(p, call, &q, answer, what);
}

/* OpenCL has all threads of a block reach it, with the same arguments. */
static void check_agreement(ls_proof *p, const ls_node *n, const ls_ir_instr *call) {
    LS_SCRATCH(scratch);
    bool copy = ls_call_of(call) == LS_CALL_COPY, *closure = ls_arena_zalloc(&scratch, p->f->block_count + 1);
    ls_control_closure(p, n->block, closure);
    for (uint32_t b = 0; b < p->f->block_count; b++) {
        if (!closure[b] || !p->divergent_branch[b]) continue;
        ls_query q;
        ls_answered answer = ls_ask_agreement(p, p->f->blocks[b], LS_WARPS_ANY, &q);
        report(p, call, &q, answer, copy ? "asking for this copy" : "this wait");
    }
    if (call->guard.kind != LS_IR_ABSENT)
        ls_unknown(p, call->pos, NULL,
                   "no proof that all threads of a block execute this copy or wait together");
    bool list = !copy && ls_ir_builtin(call) == LS_BUILTIN_WAIT_EVENTS; /* each has one of its own */
    for (uint32_t a = 0; a < (copy ? EVENT + 1u : 1u); a++)
        check_argument(p, n, call, a, copy ? "what is to be copied" : list ? "the number" : "the event");
}

/* --- Copies that are not waited for ----------------------------------------------------------------------
 */

/* Nodes that are reached from behind the call without a wait for it, and those that are reached from a wait.
 */
static void find_unwaited(ls_proof *p, const ls_node *node, const ls_ir_instr *call, const ls_term *event,
                          bool *before, bool *behind) {
    LS_VEC(uint32_t) work = {0};
    bool first = true;
    LS_VEC_PUSH(&work, node->id);
    while (work.length) {
        const ls_node *n = p->nodes[work.items[--work.length]];
        bool waited = !first && behind[n->id];
        for (uint32_t k = n->first; k < n->end; k++) {
            const ls_ir_instr *i = n->block->instrs[k];
            waited |= (!first || i->id > call->id) && waits_for(p, i, event);
        }
        first = false;
        bool *reached = waited ? behind : before;
        uint32_t count = n->barrier ? 1 : n->block->succ_count;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t next = n->barrier ? n->id + 1 : p->first_node[n->block->succs[k]->id];
            if (reached[next]) continue;
            reached[next] = true;
            LS_VEC_PUSH(&work, next);
        }
    }
    LS_VEC_FREE(&work);
}

/* An access to what is being copied, of a thread that has passed a barrier since, but no wait. */
static bool races_behind(ls_proof *p, const ls_event *copy, const ls_event *e) {
    bool write = copy->access->kind == LS_ACCESS_WRITE || e->access->kind == LS_ACCESS_WRITE;
    if (!write || copy->access->base_count != 1 || e->access->base_count != 1 || e->access->other_bases ||
        !ls_same_object(p, copy->access->bases[0], e->access->bases[0]))
        return false;
    ls_query q;
    ls_terms *t = &p->terms;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = copy->node->block, .b = e->node->block});
    ls_query_add(&q, 1, copy->when, copy->address);
    ls_query_add(&q, 2, copy->when, NULL);
    ls_query_add(&q, 2, e->when, e->address);
    ls_query_distinct(&q);
    const ls_term *from = ls_resize(t, ls_query_term(&q, 1, copy->address), 64, false),
                  *to = ls_resize(t, ls_query_term(&q, 2, e->address), 64, false);
    ls_query_claim(&q, ls_eq(t, from, to));
    bool found = ls_query_solve(&q) == LS_SAT && ls_query_confirmed(&q);
    if (found) {
        bool shared = e->access->bases[0]->space == LS_SPACE_SHARED;
        ls_finding *f =
            ls_find(p, shared ? LS_RULE_RACE_SHARED : LS_RULE_RACE_GLOBAL, LS_ERROR, copy->access->instr->pos,
                    "'%s' is accessed while it is being copied", ls_base_name(p, e->access->bases[0]));
        ls_finding_relate(f, *e->access->instr->pos, "access here, before a wait for the copy");
        ls_query_witness(&q, f, NULL);
        ls_witness_object(f, ls_base_name(p, e->access->bases[0]));
    }
    ls_query_end(&q);
    return found;
}

static void check_unwaited(ls_proof *p, const ls_node *node, const ls_ir_instr *call, const ls_term *event) {
    LS_SCRATCH(scratch);
    bool *before = ls_arena_zalloc(&scratch, 2 * (size_t)p->node_count + 2), *behind = before + p->node_count;
    if (event) find_unwaited(p, node, call, event, before, behind);
    bool found = false;
    for (uint32_t c = 0; c < p->whole_events.length && event && !node->block->loop; c++)
        for (uint32_t i = 0; i < p->whole_events.length && !found; i++) {
            const ls_event *copy = &p->whole_events.items[c], *e = &p->whole_events.items[i];
            bool meanwhile = before[e->node->id] && !behind[e->node->id];
            if (copy->access->instr == call && e->access->instr != call && meanwhile)
                found = races_behind(p, copy, e);
        }
    if (!found)
        ls_unknown(p, call->pos, NULL, "on some path to the next barrier nothing waits for this copy");
}

/* Needs `whole` and what was found out about barriers. */
void ls_check_copies(ls_proof *p) {
    const uint32_t *block = p->options->block;
    for (uint32_t n = 0; n < p->node_count && p->has_copies; n++)
        for (uint32_t k = p->nodes[n]->first; k < p->nodes[n]->end && p->whole->reach[n]; k++) {
            const ls_ir_instr *i = p->nodes[n]->block->instrs[k];
            ls_call_kind kind = ls_call_of(i);
            if (kind == LS_CALL_COPY || kind == LS_CALL_WAIT) check_agreement(p, p->nodes[n], i);
            if (kind != LS_CALL_COPY) continue;
            const ls_term *event =
                i->dst_count == 1 && i->dst[0].value ? ls_value_of(p->whole, i->dst[0].value) : NULL;
            if (!event || !is_waited_for(p, p->nodes[n], i, event)) check_unwaited(p, p->nodes[n], i, event);
            if (block[0] && (uint64_t)block[0] * block[1] * block[2] == 1)
                ls_unknown(p, i->pos, NULL,
                           "an asynchronous copy in a block of a single thread is not modelled");
        }
}
