/* The numbers of all threads of a block in a rehearsal: one for all where they are the same, else one for
 * each. Instructions are computed as isa has them (fold.h); what comes from memory, or from what is not a
 * function of known numbers, is not known. */
#include "detect/linear.h"
#include "detect/rehearsal.h"

/* For numbers of all threads, which are then to be filled in. */
static void make_room(rehearsal *r, number *n) {
    if (!n->each) {
        n->each = LS_NEW_N(r->arena, int64_t, r->threads);
        n->known = LS_NEW_N(r->arena, uint8_t, r->threads);
    }
    n->kind = EACH;
}

static void make_each(rehearsal *r, number *n) {
    if (n->kind == EACH) return;
    bool same = n->kind == SAME;
    make_room(r, n);
    for (uint32_t t = 0; t < r->threads; t++) n->each[t] = n->same, n->known[t] = same;
}

static void copy_all(rehearsal *r, number *to, const number *from) {
    if (from->kind == EACH) {
        make_room(r, to);
        memcpy(to->each, from->each, sizeof *to->each * r->threads);
        memcpy(to->known, from->known, r->threads);
    }
    to->kind = from->kind, to->same = from->same, to->rest = from->rest;
}

static bool same_rest(const number *a, const number *b) {
    return memcmp(&a->rest, &b->rest, sizeof a->rest) == 0;
}

static bool known_in(const number *n, uint32_t t, int64_t *value) {
    *value = n->kind == EACH ? n->each[t] : n->same;
    return n->kind == SAME || (n->kind == EACH && n->known[t]);
}

void dt_assign(rehearsal *r, number *to, const number *from, const crowd *who, const crowd *there) {
    bool meets = there && !crowd_is_empty(there);
    if (!meets && crowd_equal(who, &r->alive)) {
        copy_all(r, to, from);
        return;
    }
    if (to->kind == UNKNOWN) to->rest = from->rest;
    bool alike = same_rest(to, from);
    if (to->kind == from->kind && to->kind != EACH && alike &&
        (to->kind == UNKNOWN || to->same == from->same))
        return;
    make_each(r, to);
    spend(r, r->threads);
    for (uint32_t t = 0; t < r->threads; t++) {
        int64_t value = 0;
        if (!crowd_has(who, t)) continue;
        bool known = alike && known_in(from, t, &value);
        if (meets && crowd_has(there, t)) known = known && to->known[t] && to->each[t] == value;
        to->each[t] = value, to->known[t] = known;
    }
}

void dt_forget(rehearsal *r, number *n, const crowd *who) {
    dt_assign(r, n, &(number){.kind = UNKNOWN}, who, NULL);
}

void dt_split(const rehearsal *r, const number *p, bool negated, const crowd *who, crowd *holds, crowd *fails,
              crowd *open) {
    *holds = *fails = *open = (crowd){0};
    if (p->kind != EACH || !is_plain_number(p)) {
        *(p->kind == UNKNOWN || !is_plain_number(p) ? open
          : ((p->same & 1) != 0) != negated         ? holds
                                                    : fails) = *who;
        return;
    }
    for (uint32_t t = 0; t < r->threads; t++) {
        if (!crowd_has(who, t)) continue;
        crowd_add(!p->known[t] ? open : ((p->each[t] & 1) != 0) != negated ? holds : fails, t);
    }
}

/* --- Values that are there from the start ------------------------------------------------------------------
 */

static const ls_ir_value *inner(const ls_ir_value *value) {
    while (value->kind == LS_VALUE_ETA) value = value->eta.value;
    return value;
}

const number *dt_number_of(const rehearsal *r, const ls_ir_value *value) {
    return &r->values[inner(value)->id];
}

static number by_thread(rehearsal *r, int64_t *each) {
    number made = {.kind = EACH, .each = each, .known = LS_NEW_N(r->arena, uint8_t, r->threads)};
    memset(made.known, 1, r->threads);
    return made;
}

static number of_register(rehearsal *r, const ls_ir_value *value) {
    int axis = value->element - LS_ELEMENT_X;
    if (value->sreg == LS_SREG_LANEID) return by_thread(r, r->lane);
    if (axis < 0 || axis > 2) return (number){.kind = UNKNOWN};
    switch (value->sreg) {
    case LS_SREG_TID: return by_thread(r, r->tid[axis]);
    case LS_SREG_NTID: return (number){.kind = SAME, .same = r->launch->block[axis]};
    case LS_SREG_NCTAID: return (number){.kind = SAME, .same = r->launch->grid[axis]};
    case LS_SREG_CTAID:
        if (r->launch->grid[axis] > 1 && r->block[axis] < 0) {
            number any = {.kind = SAME};
            any.rest.of[axis] = 1;
            return any;
        }
        return (number){.kind = SAME, .same = r->launch->grid[axis] > 1 ? r->block[axis] : 0};
    default: return (number){.kind = UNKNOWN};
    }
}

/* Shared memory begins at 0 here. */
static number of_object(const rehearsal *r, const ls_ir_value *value) {
    const ls_ir_object *o = r->k->ir->objects[value->object.id];
    for (uint32_t i = 0; i < r->k->object_count; i++)
        if (r->k->objects[i].is_shared && r->k->objects[i].symbol == o->symbol)
            return (number){.kind = SAME, .same = (int64_t)r->k->objects[i].layout + value->object.offset};
    return (number){.kind = UNKNOWN};
}

static void begin_value(rehearsal *r, const ls_ir_value *value) {
    number *n = &r->values[value->id];
    switch (value->kind) {
    case LS_VALUE_IMM:
        *n = (number){.kind = SAME,
                      .same = ls_canonical(value->bits, ls_ptx_type_bits((ls_ptx_type)value->type))};
        return;
    case LS_VALUE_SREG: *n = of_register(r, value); return;
    case LS_VALUE_OBJECT: *n = of_object(r, value); return;
    default: *n = (number){.kind = UNKNOWN}; return;
    }
}

void dt_find_numbers(rehearsal *r) {
    uint32_t x = r->launch->block[0], y = r->launch->block[1];
    for (int axis = 0; axis < 3; axis++) r->tid[axis] = LS_NEW_N(r->arena, int64_t, r->threads);
    r->lane = LS_NEW_N(r->arena, int64_t, r->threads);
    for (uint32_t t = 0; t < r->threads; t++) {
        r->tid[0][t] = t % x, r->tid[1][t] = t / x % y, r->tid[2][t] = t / x / y;
        r->lane[t] = t % 32;
    }
    r->values = LS_NEW_N(r->arena, number, r->k->ir->value_count + 1);
    r->next = LS_NEW_N(r->arena, number, r->k->ir->value_count + 1);
    for (uint32_t v = ls_bitset_next(&r->needed, 0); v < r->needed.bits;
         v = ls_bitset_next(&r->needed, v + 1))
        begin_value(r, r->k->ir->values[v]);
}

/* --- What is needed ----------------------------------------------------------------------------------------
 */

static bool reads_lane(const ls_ir_instr *instr) {
    return instr->op == LS_OP_SHFL && ls_ptx_form_has(instr->form, LS_MOD_IDX) && instr->src_count >= 3;
}

static void find_folder(rehearsal *r, const ls_ir_instr *instr) {
    ls_folder *made = LS_NEW(r->arena, ls_folder);
    if (ls_fold_find(instr, made)) r->folders[instr->id] = made;
}

void dt_need(rehearsal *r, ls_ir_value *value) {
    LS_VEC(const ls_ir_value *) work = {0};
    LS_VEC_PUSH(&work, value);
    while (work.length) {
        const ls_ir_value *v = inner(work.items[--work.length]);
        if (ls_bitset_has(&r->needed, v->id)) continue;
        ls_bitset_add(&r->needed, v->id);
        if (v->kind == LS_VALUE_PHI)
            for (uint32_t i = 0; i < v->phi->block->pred_count; i++)
                if (v->phi->args[i]) LS_VEC_PUSH(&work, v->phi->args[i]);
        if (v->kind != LS_VALUE_INSTR) continue;
        const ls_ir_instr *instr = v->instr;
        if (instr->guard.value) LS_VEC_PUSH(&work, instr->guard.value);
        if (instr->prior && instr->prior[v->result]) LS_VEC_PUSH(&work, instr->prior[v->result]);
        if (!r->folders[instr->id]) find_folder(r, instr);
        if (!r->folders[instr->id] && !reads_lane(instr)) continue;
        for (uint32_t i = 0; i < instr->src_count; i++)
            if (instr->src[i].value) LS_VEC_PUSH(&work, instr->src[i].value);
    }
    LS_VEC_FREE(&work);
}

/* --- Instructions ------------------------------------------------------------------------------------------
 */

static void fold_each(rehearsal *r, const ls_folder *folder, const number **sources, const crowd *who,
                      number *out) {
    uint64_t s[LS_ISA_SOURCES] = {0};
    make_room(r, out);
    if (crowd_equal(who, &r->everyone))
        memset(out->known, 1, r->threads);
    else
        for (uint32_t t = 0; t < r->threads; t++) out->known[t] = crowd_has(who, t);
    for (uint32_t i = 0; i < folder->count; i++) {
        s[i] = ls_fold_source(folder, i, sources[i]->same);
        for (uint32_t t = 0; t < r->threads && sources[i]->kind == EACH; t++)
            out->known[t] &= sources[i]->known[t];
    }
    ls_fold_many_source many[LS_ISA_SOURCES];
    for (uint32_t i = 0; i < folder->count; i++)
        many[i] = (ls_fold_many_source){sources[i]->kind == EACH ? sources[i]->each : NULL, sources[i]->same};
    if (ls_fold_many(folder, many, out->each, r->threads)) return;
    for (uint32_t t = 0; t < r->threads; t++) {
        if (!out->known[t]) continue;
        for (uint32_t i = 0; i < folder->count; i++)
            if (sources[i]->kind == EACH) s[i] = ls_fold_source(folder, i, sources[i]->each[t]);
        out->each[t] = ls_fold_taken(folder, s);
    }
}

/* Computes the numbers of block 0. */
static void fold_numbers(rehearsal *r, const ls_folder *folder, const number **sources, const crowd *who,
                         number *out) {
    bool same = true;
    int64_t s[LS_ISA_SOURCES];
    for (uint32_t i = 0; i < folder->instr->src_count; i++) same &= sources[i]->kind == SAME;
    if (!same) {
        fold_each(r, folder, sources, who, out);
        spend(r, r->threads);
        return;
    }
    for (uint32_t i = 0; i < folder->instr->src_count; i++) s[i] = sources[i]->same;
    out->kind = SAME, out->same = ls_fold(folder, s);
    spend(r, 1);
}

/* The least and the highest value in all blocks. */
static bool find_range(const rehearsal *r, const number *n, int64_t *least, int64_t *highest) {
    bool any = n->kind == SAME;
    *least = *highest = n->same;
    for (uint32_t t = 0; t < r->threads && n->kind == EACH; t++) {
        if (!n->known[t]) continue;
        if (!any || n->each[t] < *least) *least = n->each[t];
        if (!any || n->each[t] > *highest) *highest = n->each[t];
        any = true;
    }
    for (int axis = 0; axis < 3; axis++) {
        int64_t more;
        if (__builtin_mul_overflow(n->rest.of[axis], (int64_t)r->launch->grid[axis] - 1, &more)) return false;
        if (__builtin_add_overflow(*(more < 0 ? least : highest), more, more < 0 ? least : highest))
            return false;
    }
    return any;
}

/* Numbers of that many bits that are the same number whether they are taken with a sign or without. */
static bool is_in_range(const rehearsal *r, const number *n, uint32_t bits) {
    int64_t least, highest;
    if (n->rest.base) return bits == 64;
    return find_range(r, n, &least, &highest) && least >= 0 &&
           highest < INT64_C(1) << (bits < 64 ? bits - 1 : 62);
}

static bool add_rest(number_rest *to, const number_rest *more, int64_t factor) {
    if (to->base && more->base) return false;
    for (int axis = 0; axis < 3; axis++) {
        int64_t scaled;
        if (__builtin_mul_overflow(more->of[axis], factor, &scaled) ||
            __builtin_add_overflow(to->of[axis], scaled, &to->of[axis]))
            return false;
    }
    if (more->base && factor != 1) return false;
    to->base |= more->base;
    return true;
}

/* Bits of a that are never there in b: a | b is a + b. */
static bool bits_are_apart(const rehearsal *r, const number *a, const number *b) {
    int64_t all = 0, least, highest;
    for (int axis = 0; axis < 3; axis++) all |= a->rest.of[axis];
    for (uint32_t t = 0; t < r->threads; t++) {
        int64_t value;
        if (known_in(a, t, &value)) all |= value;
    }
    return all && find_range(r, b, &least, &highest) && least >= 0 && highest < (all & -all) &&
           !a->rest.base && !b->rest.base;
}

/* What the result is more from block to block, of numbers that do not leave their range; false: not known. */
static bool find_rest(const rehearsal *r, const ls_ir_instr *instr, const number **s, number_rest *out) {
    *out = (number_rest){0};
    switch (instr->op) {
    case LS_OP_MOV:
    case LS_OP_CVTA:
    case LS_OP_CVT: return instr->src_count == 1 && add_rest(out, &s[0]->rest, 1);
    case LS_OP_ADD:
        return instr->src_count == 2 && add_rest(out, &s[0]->rest, 1) && add_rest(out, &s[1]->rest, 1);
    case LS_OP_SUB:
        return instr->src_count == 2 && add_rest(out, &s[0]->rest, 1) && add_rest(out, &s[1]->rest, -1);
    case LS_OP_OR:
        return instr->src_count == 2 && (bits_are_apart(r, s[0], s[1]) || bits_are_apart(r, s[1], s[0])) &&
               add_rest(out, &s[0]->rest, 1) && add_rest(out, &s[1]->rest, 1);
    case LS_OP_SHL:
        return instr->src_count == 2 && s[1]->kind == SAME && is_plain_number(s[1]) && s[1]->same >= 0 &&
               s[1]->same < 62 && add_rest(out, &s[0]->rest, INT64_C(1) << s[1]->same);
    case LS_OP_MUL:
    case LS_OP_MAD: {
        int by = s[1]->kind == SAME && is_plain_number(s[1]) ? 1 : 0;
        if (s[by]->kind != SAME || !is_plain_number(s[by]) || s[by]->same < 0 ||
            ls_ptx_form_has(instr->form, LS_MOD_HI))
            return false;
        return add_rest(out, &s[1 - by]->rest, s[by]->same) &&
               (instr->src_count == 2 || (instr->src_count == 3 && add_rest(out, &s[2]->rest, 1)));
    }
    case LS_OP_SETP: /* of what is the same more on both sides */
        return instr->src_count == 2 && instr->dst_count == 1 &&
               memcmp(&s[0]->rest, &s[1]->rest, sizeof s[0]->rest) == 0 && !s[0]->rest.base;
    default: return false;
    }
}

/* With numbers that differ from block to block. */
static void fold_affine(rehearsal *r, const ls_folder *folder, const number **sources, const crowd *who,
                        number *out) {
    const ls_ir_instr *instr = folder->instr;
    number_rest rest;
    bool good = find_rest(r, instr, sources, &rest);
    for (uint32_t i = 0; i < instr->src_count && good; i++)
        good = is_plain_number(sources[i]) ||
               is_in_range(r, sources[i], (uint32_t)__builtin_popcountll(folder->masks[i]));
    if (!good) return;
    fold_numbers(r, folder, sources, who, out);
    out->rest = rest;
    if (!is_plain_number(out) && !is_in_range(r, out, folder->bits)) out->kind = UNKNOWN;
}

static void fold_instr(rehearsal *r, const ls_folder *folder, const crowd *who, number *out) {
    const ls_ir_instr *instr = folder->instr;
    const number *sources[LS_ISA_SOURCES];
    bool plain = true;
    for (uint32_t i = 0; i < instr->src_count; i++) {
        if (!instr->src[i].value) return;
        sources[i] = dt_number_of(r, instr->src[i].value);
        if (sources[i]->kind == UNKNOWN) return;
        plain &= is_plain_number(sources[i]);
    }
    if (plain)
        fold_numbers(r, folder, sources, who, out);
    else
        fold_affine(r, folder, sources, who, out);
}

/* A pointer among the parameters: the start of its object. */
static bool find_pointer(const rehearsal *r, const ls_ir_instr *instr, uint32_t *which) {
    const ls_ir_operand *src = &instr->src[0];
    if (instr->op != LS_OP_LD || instr->src_count != 1 || src->kind != LS_IR_OBJECT ||
        instr->guard.kind != LS_IR_ABSENT || r->k->ir->objects[src->object]->kind != LS_OBJECT_PARAM ||
        ls_ptx_type_bits(ls_ptx_form_type(instr->form, 0)) != 64 || instr->form->vector != 1)
        return false;
    for (uint32_t i = 0; i < r->k->object_count; i++) {
        const object *o = &r->k->objects[i];
        if (o->is_shared || o->symbol || o->is_unknown ||
            o->param_index != r->k->ir->objects[src->object]->index ||
            (int64_t)o->param_offset != src->offset)
            continue;
        *which = i;
        return true;
    }
    return false;
}

/* shfl.sync.idx, all lanes of a warp from one of them, as compilers write for what is the same in a warp. */
static void run_shuffle(rehearsal *r, const ls_ir_instr *instr, const crowd *who, number *out) {
    const number *from = instr->src[0].value ? dt_number_of(r, instr->src[0].value) : NULL;
    const number *lane = instr->src[1].value ? dt_number_of(r, instr->src[1].value) : NULL;
    const number *clamp = instr->src[2].value ? dt_number_of(r, instr->src[2].value) : NULL;
    *out = (number){.kind = UNKNOWN, .each = out->each, .known = out->known};
    if (!from || !lane || !clamp || from->kind == UNKNOWN || lane->kind != SAME || clamp->kind != SAME ||
        !is_plain_number(lane) || !is_plain_number(clamp) || (clamp->same & 0x1f1f) != 0x1f)
        return;
    out->rest = from->rest;
    if (from->kind == SAME) {
        out->kind = SAME, out->same = from->same;
        return;
    }
    make_room(r, out);
    for (uint32_t t = 0; t < r->threads; t++) {
        uint32_t source = t / 32 * 32 + (uint32_t)(lane->same & 31);
        bool there = source < r->threads && crowd_has(who, source);
        out->known[t] = there && from->known[source];
        out->each[t] = out->known[t] ? from->each[source] : 0;
    }
}

static void find_result(rehearsal *r, const ls_ir_instr *instr, uint32_t result, const crowd *who,
                        number *out) {
    int64_t parameter;
    uint32_t which;
    *out = (number){.kind = UNKNOWN, .each = out->each, .known = out->known};
    if (result) return;
    if (r->folders[instr->id])
        fold_instr(r, r->folders[instr->id], who, out);
    else if (reads_lane(instr))
        run_shuffle(r, instr, who, out);
    else if (find_pointer(r, instr, &which))
        out->kind = SAME, out->same = 0, out->rest.base = which + 1;
    else if (dt_parameter(r->k, r->launch, instr, &parameter))
        out->kind = SAME, out->same = parameter;
}

/* Where the guard does not hold, the register keeps what it had. */
static void run_guarded(rehearsal *r, const ls_ir_instr *instr, uint32_t d, const crowd *who) {
    crowd holds, fails, open;
    number *to = &r->values[instr->dst[d].value->id];
    dt_split(r, dt_number_of(r, instr->guard.value), instr->guard.flags & LS_OPERAND_NOT, who, &holds, &fails,
             &open);
    if (!crowd_is_empty(&fails) || !crowd_is_empty(&open)) {
        static const number nothing = {.kind = UNKNOWN};
        crowd keep = fails;
        crowd_join(&keep, &open);
        dt_assign(r, to, instr->prior && instr->prior[d] ? dt_number_of(r, instr->prior[d]) : &nothing, &keep,
                  NULL);
        dt_assign(r, to, &r->made, &open, &open);
    }
    if (!crowd_is_empty(&holds)) dt_assign(r, to, &r->made, &holds, NULL);
}

void dt_run_numbers(rehearsal *r, const ls_ir_instr *instr, const crowd *who) {
    for (uint32_t d = 0; d < instr->dst_count; d++) {
        const ls_ir_value *value = instr->dst[d].value;
        if (!value || value->kind != LS_VALUE_INSTR || !ls_bitset_has(&r->needed, value->id)) continue;
        find_result(r, instr, d, who, &r->made);
        if (instr->guard.value)
            run_guarded(r, instr, d, who);
        else
            dt_assign(r, &r->values[value->id], &r->made, who, NULL);
    }
}
