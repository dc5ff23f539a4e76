/* Copies in flight (OpenCL's async_work_group_copy): all threads of a block ask for one copy, which reads and
 * writes its elements at any time until a wait for its event. In a race it stands for itself: any one of its
 * elements may be accessed while other threads do what they do in the same barrier interval. That is all
 * there is to it where every way from the copy comes to a wait for it before the next barrier, where all
 * threads ask for it, and where they ask for the same; else it is unknown. */
#include "verify/calls.h"
#include "verify/proof.h"

enum { TO, FROM, COUNT, SIZE, TO_STRIDE, FROM_STRIDE, EVENT }; /* arguments */

bool ls_has_copies(const ls_proof *p) {
    for (uint32_t i = 0; i < p->f->instr_count; i++)
        if (ls_call_of(p->f->instrs[i]) == LS_CALL_COPY) return true;
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

static const ls_ir_base *base_at(ls_proof *p, const ls_term *symbol, uint8_t space) {
    for (uint32_t b = 0; b < p->f->base_count; b++)
        if (ls_base_address(p, p->f->bases[b]) == symbol) return p->f->bases[b];
    bool is_new;
    uint64_t *place = ls_intmap_at(&p->copy_bases, symbol->value, &is_new);
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
        const ls_ir_base *base = known ? base_at(p, leaf, space) : NULL;
        if (base) a->bases[a->base_count++] = base;
    }
    LS_VEC_FREE(&leaves);
    return known && a->base_count;
}

static void add_access(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path,
                       bool writes) {
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    const ls_term *start = argument(s, call, writes ? TO : FROM), *count = argument(s, call, COUNT);
    const ls_term *size = argument(s, call, SIZE),
                  *stride = argument(s, call, writes ? TO_STRIDE : FROM_STRIDE);
    ls_ir_access *a = LS_NEW(&p->arena, ls_ir_access);
    *a = (ls_ir_access){.id = p->f->access_count + 2 * call->id + writes,
                        .instr = (ls_ir_instr *)(uintptr_t)call,
                        .kind = writes ? LS_ACCESS_WRITE : LS_ACCESS_READ,
                        .space = LS_SPACE_GENERIC,
                        .semantics = LS_MOD_UNKNOWN,
                        .scope = LS_MOD_UNKNOWN,
                        .count = 1};
    bool known = start && count && size && stride && ls_is_const(size) && size->value && size->value <= 128;
    bool local = writes == !strcmp(call->call->name, "__lockstep_async_copy_to_local");
    if (!known || !find_bases(p, start, local ? LS_SPACE_SHARED : LS_SPACE_GLOBAL, a)) {
        ls_unknown(p, call->pos, NULL, "it is not known what memory is copied here");
        return;
    }
    a->bytes = (uint32_t)size->value;
    const ls_term *element = ls_fresh(s, "element", 64, LS_SYM_INPUT);
    ls_add_fact(p, element, ls_ult(t, element, count));
    const ls_term *offset = ls_scale(t, ls_mul(t, element, stride), size->value);
    ls_event e = {
        .access = a, .state = s, .node = n, .address = ls_add(t, start, offset), .collective = true};
    e.when = ls_and(t, path, ls_guard_of(s, call));
    ls_split_address(p, &e);
    LS_VEC_PUSH(s->events, e);
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
    if (!strcmp(wait->call->name, "__lockstep_wait_event")) {
        const ls_term *one = argument(p->whole, wait, 0);
        return one == event;
    }
    uint64_t index = wait->id, place;
    if (!ls_intmap_get(&p->waited, index, &place)) return false;
    const ls_term_list *list = &p->waited_lists.items[place];
    for (uint32_t i = 0; i < list->length; i++)
        if (list->items[i] == event) return true;
    return false;
}

/* The events in a list in the thread's own memory, as it is when the wait is executed. */
void ls_note_wait(ls_state *s, const ls_ir_instr *wait) {
    ls_proof *p = s->proof;
    const ls_term *count = argument(s, wait, 0), *list = argument(s, wait, 1);
    if (s != p->whole || strcmp(wait->call->name, "__lockstep_wait_events")) return;
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
    *ls_intmap_at(&p->waited, wait->id, &is_new) = p->waited_lists.length;
    LS_VEC_PUSH(&p->waited_lists, events);
}

/* Every way from behind the call comes to a wait before it comes to a barrier, goes round, or ends. */
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

static bool all_ask_the_same(const ls_proof *p, const ls_ir_instr *call) {
    bool same = call->guard.kind == LS_IR_ABSENT && ls_reached_together(p, call->block);
    for (uint32_t a = 0; a < EVENT; a++) {
        const ls_ir_value *v = ls_ir_argument_value(call, a, 0);
        same &= v && !p->divergent[v->id];
    }
    return same;
}

/* Needs `whole` and what was found out about barriers. */
void ls_check_copies(ls_proof *p) {
    const uint32_t *block = p->options->block;
    for (uint32_t n = 0; n < p->node_count; n++)
        for (uint32_t k = p->nodes[n]->first; k < p->nodes[n]->end && p->whole->reach[n]; k++) {
            const ls_ir_instr *i = p->nodes[n]->block->instrs[k];
            if (ls_call_of(i) != LS_CALL_COPY) continue;
            const ls_term *event =
                i->dst_count == 1 && i->dst[0].value ? ls_value_of(p->whole, i->dst[0].value) : NULL;
            if (!all_ask_the_same(p, i))
                ls_unknown(p, i->pos, NULL, "no proof that all threads of a block ask for the same copy");
            if (!event || !is_waited_for(p, p->nodes[n], i, event))
                ls_unknown(p, i->pos, NULL, "no wait for this copy on every way to the next barrier");
            if (block[0] && (uint64_t)block[0] * block[1] * block[2] == 1)
                ls_unknown(p, i->pos, NULL, "a copy beside a single thread is not modelled");
        }
}
