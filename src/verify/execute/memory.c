/* Accesses that go where they must not, by themselves: out of an array whose size is known or
 * stated (--size, __requires_size) or allocated by the host code, to a constant address such as null, with
 * --null through a parameter that is null, or writing constant memory. */
#include "verify/execute/memory.h"
#include "verify/check/contract.h"
#include "verify/check/data.h"
#include "verify/check/overflow.h"
#include "verify/execute/allocations.h"
#include "verify/execute/assume.h"
#include "verify/execute/clusters.h"
#include "verify/execute/lower.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

#include "ptx/origin.h"

/* A thread reaches it (and, if `bad` is given, `bad` holds there). */
static void begin(ls_proof *p, const ls_event *e, const ls_term *bad, ls_query *q) {
    const ls_ir_block *block = e->node->block;
    ls_query_begin(q, (ls_view){.p = p, .same_block = true, .a = block, .b = block});
    ls_query_add(q, 1, e->when, e->address);
    ls_query_claim(q, p->launch);
    if (bad) ls_query_claim(q, ls_query_term(q, 1, bad));
}

/* An error is looked for, but it is soon seen that there is none; or none without an overflow of index
 * arithmetic, which is not reported. A search for one would be in vain. */
static bool is_in_vain(ls_proof *p, const ls_event *e, ls_query *q, ls_answered *answer) {
    const uint32_t given = q->conjuncts.length;
    const ls_question soon = {.aim = LS_AIM_SOON, .quick = true};
    if (p->options->exact_overflow) return false;
    *answer = ls_query_ask(q, soon);
    if (*answer == LS_UNSAT) return true;
    ls_without_overflow(&p->terms, ls_query_term(q, 1, e->address), &q->conjuncts);
    const bool overflows = ls_query_ask(q, soon) == LS_UNSAT;
    q->conjuncts.length = given;
    return overflows && ls_overflow_standing(p, e) != LS_BROKEN;
}

/* Whether that can be. */
static ls_answered ask(ls_proof *p, const ls_event *e, ls_query *q, ls_question question) {
    ls_answered answer;
    if (question.aim == LS_AIM_MODEL && is_in_vain(p, e, q, &answer)) return answer;
    answer = ls_query_ask(q, question);
    const ls_term *address = ls_query_term(q, 1, e->address);
    if (answer == LS_UNSAT || p->options->exact_overflow) return answer;
    if (answer == LS_UNDECIDED && (question.aim == LS_AIM_MODEL || question.aim == LS_AIM_FORM))
        return answer;
    ls_standing standing = ls_overflow_standing(p, e);
    if (standing == LS_BROKEN) return answer;
    ls_without_overflow(&p->terms, address, &q->conjuncts);
    answer = ls_query_ask(q, question);
    if (answer == LS_UNSAT && standing == LS_CONTRACT) p->assumed |= LS_ASSUMED_NO_OVERFLOW;
    return answer;
}

/* Of a variable, whose size the emulator knows as well. */
static bool is_variable(const ls_event *e) {
    return e->access->base_count == 1 && e->access->bases[0]->kind == LS_BASE_OBJECT;
}

/* What decides as well on an access at a launch that a program makes, so that the program may see to it that
 * it stays where it must: for a message. NULL: nothing, or the launch is anybody's. */
static const char *decided_by(ls_proof *p, const ls_query *q, const ls_sized *known) {
    if (!p->options->of_program || (known && !known->allocated)) return NULL;
    const ls_term *open = ls_left_open(p, known, &q->conjuncts);
    if (!open) return NULL;
    if (open->op == LS_T_UF && ls_function_of(&p->terms, open)->of)
        return ls_name_of_data(p, ls_function_of(&p->terms, open)->of);
    if (open->op != LS_T_SYM || ls_origin_of(ls_sym_of(&p->terms, open)->name).kind == LS_ORIGIN_HOST)
        return "a value that the host code leaves open";
    return ls_arena_printf(&p->arena, "'%s', which the host code leaves open", ls_input_name(p, open));
}

/* How large the memory is in the witness, so that the emulator can have it so. */
static void tell_size(ls_query *q, ls_finding *f, const ls_ir_base *array, const ls_sized *known) {
    f->execution->base = array;
    f->execution->limit = ls_query_value(q, ls_query_term(q, 1, known->bytes));
}

/* True where it is proved not to happen. The array, if it is one, may be of a known size. */
static bool report(ls_proof *p, const ls_event *e, const ls_term *bad, const char *what, const char *name,
                   const ls_ir_base *array) {
    ls_query q;
    begin(p, e, bad, &q);
    ls_answered answer = ask(p, e, &q, (ls_question){0});
    const ls_place *pos = e->access->instr->pos;
    bool confirmed = answer == LS_SAT && ls_query_confirmed(&q);
    const ls_sized *known = array ? ls_size_is_known(p, array) : NULL;
    const char *by = confirmed && array ? decided_by(p, &q, known) : NULL;
    ls_finding *f = NULL;
    if (answer == LS_SAT) {
        f = ls_suspect(p, LS_RULE_MEMORY_BOUNDS, LS_ERROR, pos, "%s '%s'", what, name);
        ls_query_witness(&q, f, NULL);
        if (known) tell_size(&q, f, array, known);
    }
    if (by) {
        ls_unknown(p, pos, "state a precondition (--assume, __requires)",
                   "possible %s '%s': it depends on %s", what, name, by)
            ->by_data = true;
    } else if (confirmed) {
        ls_accuse(p, f);
    } else if (answer != LS_UNSAT) {
        ls_verify_note *note = ls_unknown(p, pos, NULL, "no proof that there is no %s '%s'", what, name);
        if (!note->candidate && is_variable(e)) note->candidate = f;
    }
    ls_query_end(&q);
    return answer == LS_UNSAT;
}

/* The address is made of indices alone: there is no pointer in it. */
static bool has_no_pointer(ls_proof *p, const ls_term *address) {
    ls_term_list leaves = {0};
    ls_leaves(&address, 1, &leaves);
    bool none = true;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        uint64_t key;
        uint8_t kind = leaf->op == LS_T_SYM ? ls_sym_of(&p->terms, leaf)->kind : LS_SYM_LOAD;
        bool parameter = leaf->width > 32 && ls_intmap_get(&p->parameter_keys, leaf->value, &key);
        none &= (kind == LS_SYM_INPUT && !parameter) || kind == LS_SYM_COUNT;
    }
    LS_VEC_FREE(&leaves);
    return none;
}

/* With --externals any: what a function without a body returned is a part of the address. */
static bool has_external(ls_proof *p, const ls_term *address) {
    ls_term_list leaves = {0};
    if (!p->options->any_externals) return false;
    ls_leaves(&address, 1, &leaves);
    bool found = false;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_sym *sym = leaves.items[i]->op == LS_T_SYM ? ls_sym_of(&p->terms, leaves.items[i]) : NULL;
        found |= sym && sym->kind == LS_SYM_UNSET && sym->key;
    }
    LS_VEC_FREE(&leaves);
    return found;
}

/* A pointer that points to nothing at all, and is null or nearly so for some thread. */
static void check_nowhere(ls_proof *p, const ls_event *e) {
    if (e->access->base_count || !has_no_pointer(p, e->address)) return;
    const ls_term *page = ls_const(&p->terms, e->address->width, 4096);
    report(p, e, ls_ult(&p->terms, e->address, page), "access through a null pointer", "", NULL);
}

/* Of memory that the host code allocates, only an error matters, for which the launch must settle all that
 * the access depends on: where it does not, no search can show one. */
static ls_aim aim_at(ls_proof *p, const ls_sized *known, const ls_query *q) {
    if (!known) return LS_AIM_ANY;
    return ls_launch_settles(p, known, &q->conjuncts) ? LS_AIM_MODEL : LS_AIM_FORM;
}

/* Where nobody has asked for more (--bounds), that accesses stay in their array is a part of what a proof is
 * for, as the scope says; unless there are threads that leave it whatever parameters and data are. */
static bool is_taken_for_granted(ls_proof *p, const ls_event *e, const ls_term *inside) {
    const ls_sized *known = ls_size_is_known(p, e->access->bases[0]);
    if (p->options->bounds || (known && !known->allocated)) return false;
    if (ls_is_true(inside)) return true;
    ls_query q;
    begin(p, e, ls_not(&p->terms, inside), &q);
    ls_question question = {.aim = aim_at(p, known, &q), .quick = true};
    const bool proves = known && p->options->prove_inside && question.aim == LS_AIM_MODEL;
    if (proves) question = (ls_question){.aim = LS_AIM_ANY};
    ls_answered answer = ask(p, e, &q, question);
    if (answer == LS_UNDECIDED && known && question.aim == LS_AIM_MODEL && ls_is_worth_asking(known))
        answer = ask(p, e, &q, (ls_question){.quick = true});
    bool happens = answer == LS_SAT && ls_query_confirmed(&q);
    bool settled = known && happens && !p->options->of_case && ls_launch_settles(p, known, &q.conjuncts);
    ls_query_end(&q);
    if (settled) ls_leave_broken(known);
    if (known && answer != LS_UNSAT && !settled) ls_leave_open(p, known);
    if (known) return !settled && (!proves || answer == LS_UNSAT);
    bool broken = happens && ls_standing_of(p, e, inside) == LS_BROKEN;
    if (!broken && answer != LS_UNSAT) p->assumed |= LS_ASSUMED_INSIDE;
    return !broken;
}

typedef struct {
    const ls_term *symbol, *value;
} chosen;

static const ls_term *put_value(ls_subst *subst, const ls_term *symbol) {
    const chosen *one = subst->data;
    return symbol == one->symbol ? one->value : symbol;
}

/* The term, with the value for the symbol. */
static const ls_term *with_value(ls_terms *t, const ls_term *term, chosen one) {
    ls_subst subst = {.ctx = t, .replace = put_value, .data = &one};
    const ls_term *there = ls_substitute(&subst, term);
    ls_subst_free(&subst);
    return there;
}

/* The access of the first block, which is there however many blocks a launch has that leaves it open. */
static ls_event of_first_block(ls_proof *p, const ls_event *e, const ls_sized *known) {
    ls_event first = *e;
    for (int i = 0; i < 3; i++) {
        const ls_term *blocks = p->nctaid[i];
        if (p->ctaid[i]->op != LS_T_SYM || ls_is_const(blocks) || ls_is_settled(known, blocks)) continue;
        const chosen zero = {p->ctaid[i], ls_const(&p->terms, p->ctaid[i]->width, 0)};
        first.address = with_value(&p->terms, first.address, zero);
        first.when = with_value(&p->terms, first.when, zero);
    }
    return first;
}

/* The symbol is a part of the term. */
static bool speaks_of(const ls_term *term, const ls_term *symbol) {
    ls_term_walk walk = {0};
    bool found = false;
    ls_walk_add(&walk, &term, 1);
    for (const ls_term *t = ls_walk_down(&walk); t && !found; t = ls_walk_down(&walk)) found = t == symbol;
    ls_walk_free(&walk);
    return found;
}

/* How far the address is behind the object's start. Mixed: it is not simply the start and an offset.
 * Addresses of shared memory have 32 bits, in code that takes them as such and extends them as well. */
static const ls_term *offset_in_object(ls_proof *p, const ls_event *e, const ls_ir_base *base,
                                       const ls_term *start, bool *mixed) {
    ls_terms *t = &p->terms;
    const ls_term *address = e->address;
    const ls_term *offset = ls_sub(t, address, ls_resize(t, start, address->width, false));
    *mixed = start->op == LS_T_SYM && speaks_of(offset, start);
    if (*mixed && base->kind == LS_BASE_OBJECT && p->f->objects[base->object]->kind == LS_OBJECT_SHARED &&
        start->width == 64) {
        chosen low = {start, ls_zext(t, ls_extract(t, start, 0, 32), 64)};
        address = with_value(t, address, low);
        offset = ls_sub(t, address, ls_resize(t, low.value, address->width, false));
        *mixed = speaks_of(offset, start);
    }
    return ls_resize(t, offset, 64, true);
}

/* No object goes round the end of the addresses of its space, which are the low 32 bits of its symbol where
 * code takes those. */
static const ls_term *is_in_one_piece(ls_terms *t, const ls_term *start, const ls_term *size) {
    const ls_term *low = ls_zext(t, ls_extract(t, start, 0, 32), 64), *all = ls_resize(t, start, 64, false);
    const ls_term *most = ls_const(t, 64, UINT64_C(1) << 32);
    const ls_term *low_end = ls_add(t, low, size);
    return ls_and(t, ls_not(t, ls_ult(t, most, low_end)), ls_not(t, ls_ult(t, ls_add(t, all, size), all)));
}

/* The access lies in the object; NULL where its size or place is not known. */
static const ls_term *is_inside(ls_proof *p, const ls_event *e, const ls_ir_base *base) {
    ls_terms *t = &p->terms;
    const ls_term *size = ls_size_of(p, base), *start = ls_base_address(p, base);
    if (!size || !start) return NULL;
    const ls_term *bytes = ls_const(t, 64, e->size);
    bool mixed;
    const ls_term *offset = offset_in_object(p, e, base, start, &mixed);
    bool narrow = is_variable(e) && e->address->op == LS_T_ZEXT && e->address->args[0]->width == 32;
    if (narrow) /* an address of 32 bits: the object's own goes away */
        offset = ls_zext(t, ls_sub(t, e->address->args[0], ls_extract(t, start, 0, 32)), 64);
    const ls_term *fits = ls_not(t, ls_slt(t, size, bytes));
    const ls_term *inside = ls_not(t, ls_ult(t, ls_sub(t, size, bytes), offset));
    inside = ls_and(t, fits, inside);
    if (!narrow && is_variable(e) && ls_is_const(size) && size->value <= UINT32_MAX)
        inside = ls_or(t, inside, ls_not(t, is_in_one_piece(t, start, size)));
    return inside;
}

/* No allocation of a size that is negative, or larger than any memory, succeeds. */
static const ls_term *is_possible_size(ls_terms *t, const ls_term *size) {
    enum { MOST_BITS = 47 };
    return ls_ult(t, size, ls_const(t, 64, UINT64_C(1) << MOST_BITS));
}

/* Of a pointer that may be one of several, the access lies in any of these. NULL where sizes are not known.
 */
static const ls_term *is_inside_any(ls_proof *p, const ls_event *e, const char **names) {
    const ls_ir_access *a = e->access;
    const ls_term *inside = ls_not(&p->terms, ls_true(&p->terms));
    *names = NULL;
    for (uint32_t k = 0; k < a->base_count; k++) {
        const ls_term *here = is_inside(p, e, a->bases[k]);
        const char *name = ls_base_name(p, a->bases[k]);
        const ls_sized *allocated = ls_size_is_known(p, a->bases[k]);
        if (!here) return NULL;
        if (allocated && allocated->allocated)
            here = ls_or(&p->terms, here, ls_not(&p->terms, is_possible_size(&p->terms, allocated->bytes)));
        inside = ls_or(&p->terms, inside, here);
        *names = *names ? ls_arena_printf(&p->arena, "%s' or '%s", *names, name) : name;
    }
    return inside;
}

static void check_bounds(ls_proof *p, const ls_event *e) {
    const ls_ir_access *a = e->access;
    const char *names;
    if (!a->base_count || a->other_bases || !e->size || e->part_of_neighbour) return;
    const ls_term *inside = is_inside_any(p, e, &names);
    const ls_sized *known = ls_size_is_known(p, a->bases[0]);
    ls_event first;
    if (!inside) return;
    if (is_taken_for_granted(p, e, inside)) {
        if (!known || !known->allocated || ls_is_true(inside)) return;
        first = of_first_block(p, e, known);
        if (first.address == e->address && first.when == e->when) return;
        inside = is_inside_any(p, &first, &names);
        if (is_taken_for_granted(p, &first, inside)) return;
        e = &first;
    }
    bool within = report(p, e, ls_not(&p->terms, inside), "access out of bounds of", names, a->bases[0]);
    if (!within && known && known->allocated && a->base_count == 1) ls_leave_open(p, known);
}

/* With --null: the parameter that the address is made from is null. */
static void check_parameter(ls_proof *p, const ls_event *e) {
    for (uint32_t i = 0; i < e->access->base_count; i++) {
        const ls_ir_base *base = e->access->bases[i];
        const ls_term *start = base->kind == LS_BASE_PARAM ? ls_base_address(p, base) : NULL;
        if (!start || start->op != LS_T_SYM) continue;
        report(p, e, ls_eq(&p->terms, start, ls_const(&p->terms, start->width, 0)),
               "access through a null pointer", ls_base_name(p, base), NULL);
    }
}

/* Where the address is not simply the object's start and an offset, the pointer may be null as well. The
 * object itself is then taken to lie at some address that is not. */
/* It lies where there is room below and above it, whatever else is known of it. */
static const ls_term *has_room(ls_terms *t, const ls_term *start) {
    bool wide = start->width == 64;
    const ls_term *low = ls_const(t, start->width, UINT64_C(1) << (wide ? 44 : 26)),
                  *high = ls_const(t, start->width, UINT64_C(1) << (wide ? 62 : 31));
    return ls_and(t, ls_not(t, ls_ult(t, start, low)), ls_ult(t, start, high));
}

static bool has_loop_carried(ls_terms *t, const ls_term *offset) {
    ls_term_list leaves = {0};
    bool found = false;
    ls_leaves(&offset, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++)
        found |= leaves.items[i]->op == LS_T_SYM && ls_sym_of(t, leaves.items[i])->kind == LS_SYM_STATE;
    LS_VEC_FREE(&leaves);
    return found;
}

/* A parameter of 64 bits besides the object's own address: a pointer that is a member of a struct which the
 * kernel is given, where code reads it through the struct's address. It is not null, as other pointers are
 * not. */
static bool has_other_parameter(const ls_proof *p, const ls_term *address, const ls_term *start) {
    ls_term_list leaves = {0};
    ls_leaves(&address, 1, &leaves);
    bool found = false;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        uint64_t key;
        found |= leaf != start && leaf->op == LS_T_SYM && leaf->width > 32 &&
                 ls_intmap_get(&p->parameter_keys, leaf->value, &key);
    }
    LS_VEC_FREE(&leaves);
    return found;
}

static void check_null(ls_proof *p, const ls_event *e) {
    const ls_ir_access *a = e->access;
    ls_terms *t = &p->terms;
    const ls_term *start = a->base_count == 1 && !a->other_bases ? ls_base_address(p, a->bases[0]) : NULL;
    if (!start || start->op != LS_T_SYM) return;
    bool mixed;
    const ls_term *offset = offset_in_object(p, e, e->access->bases[0], start, &mixed);
    if (!mixed || has_other_parameter(p, e->address, start)) return;
    bool carried = has_loop_carried(t, offset);
    const ls_term *page = ls_const(t, e->address->width, 4096);
    const char *what = "access through a null pointer to", *name = ls_base_name(p, a->bases[0]);
    if (carried) { /* only its invariant says what the pointer has to do with the object */
        report(p, e, ls_and(t, has_room(t, start), ls_ult(t, e->address, page)), what, name, NULL);
        return;
    }
    /* Not null either where its low 32 bits alone are used, as addresses of shared variables are. */
    uint64_t somewhere = UINT64_C(1) << 26 | (start->width == 64 ? UINT64_C(1) << 44 : 0);
    const ls_term *address = with_value(t, e->address, (chosen){start, ls_const(t, start->width, somewhere)});
    report(p, e, ls_ult(t, address, page), what, name, NULL);
}

/* A pointer that came out of a function without a body; objects that it may point into instead are not null.
 */
static void check_external(ls_proof *p, const ls_event *e) {
    if (!has_external(p, e->address)) return;
    ls_terms *t = &p->terms;
    const ls_term *bad = ls_ult(t, e->address, ls_const(t, e->address->width, 4096));
    for (uint32_t i = 0; i < e->access->base_count; i++) {
        const ls_term *start = ls_base_address(p, e->access->bases[i]);
        if (start && start->op == LS_T_SYM) bad = ls_and(t, bad, has_room(t, start));
    }
    report(p, e, bad, "access through a null pointer", "", NULL);
}

static void check(ls_proof *p, const ls_event *event) {
    ls_event here = *event; /* in another block of the cluster things lie as they do here */
    here.address = ls_address_here(p, event->address);
    const ls_event *e = &here;
    const ls_ir_access *a = e->access;
    for (uint32_t i = 0; i < a->base_count; i++) {
        const ls_ir_base *base = a->bases[i];
        bool constant =
            base->space == LS_SPACE_CONST ||
            (base->kind == LS_BASE_OBJECT && p->f->objects[base->object]->kind == LS_OBJECT_CONST);
        if (constant && a->kind != LS_ACCESS_READ)
            report(p, e, NULL, "write to constant memory", ls_base_name(p, base), NULL);
        if (base->kind != LS_BASE_ABSOLUTE) continue;
        if (a->base_count == 1 && !a->other_bases)
            report(p, e, NULL, "access through a null or constant pointer", "", NULL);
        else
            ls_unknown(p, a->instr->pos, NULL, "the pointer may be null or a constant here");
    }
    check_nowhere(p, e);
    check_null(p, e);
    check_external(p, e);
    check_bounds(p, e);
    if (p->options->null) check_parameter(p, e);
}

LS_LIST_PART(private_of, ls_events)

void ls_keep_private(ls_proof *p, ls_event event) {
    ls_events *kept = private_of(p);
    LS_VEC_PUSH(kept, event);
}

void ls_check_memory(ls_proof *p) {
    for (uint32_t i = 0; i < p->whole_events.length && !p->solver.timed_out; i++)
        check(p, &p->whole_events.items[i]);
    const ls_events *kept = private_of(p);
    for (uint32_t i = 0; i < kept->length && !p->solver.timed_out; i++) check(p, &kept->items[i]);
}
