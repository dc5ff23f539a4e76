/* What values may point to: variables, what kernel parameters point to, what was loaded from memory. Sets of
 * bases are carried along the operations that pointers pass through, round phis until nothing changes. In
 * two steps, since `p + n` says nothing of which of the two is the pointer:
 *   strong  variables, parameters declared .ptr, and whatever some cvta is applied to are pointers;
 *   weak    a 64-bit parameter, load or result is one where no strong pointer is at hand.
 * Address spaces go along: of the variable, of cvta, of .ptr; a kernel's pointer parameter of which nothing
 * is said points to global memory by CUDA's rules, which is marked as assumed. */
#include "ir/private.h"

typedef struct {
    ls_ir_function *f;
    const bool *relevant;
    ir_pointer *info;    /* by value */
    bool *pointer_like;  /* by value: some cvta is applied to it */
    uint8_t *cvta_space; /* by value: the space that cvta names */
    uint32_t *base_of;   /* by value: base that it is the root of, or LS_IR_NONE */
    ls_intmap objects, params;
    LS_VEC(ls_ir_value *) work;
    bool *queued;
} finder;

static uint32_t address_bits(const ls_ir_function *f) {
    return f->module->address_size == 64 ? 64 : 32;
}

static bool may_be_pointer(const ls_ir_function *f, const ls_ir_value *value) {
    ls_ptx_type type = (ls_ptx_type)value->type;
    return ls_ptx_type_bits(type) == address_bits(f) && ls_ptx_type_kind_of(type) != LS_KIND_FLOAT;
}

/* --- Bases -----------------------------------------------------------------------------------------------
 */

static ls_ptx_space object_space(const ls_ir_object *object) {
    static const uint8_t spaces[] = {
        [LS_OBJECT_PARAM] = LS_SPACE_PARAM,      [LS_OBJECT_RETURN] = LS_SPACE_PARAM,
        [LS_OBJECT_CALL_PARAM] = LS_SPACE_PARAM, [LS_OBJECT_LOCAL] = LS_SPACE_LOCAL,
        [LS_OBJECT_SHARED] = LS_SPACE_SHARED,    [LS_OBJECT_GLOBAL] = LS_SPACE_GLOBAL,
        [LS_OBJECT_CONST] = LS_SPACE_CONST,      [LS_OBJECT_TEXTURE] = LS_SPACE_TEX,
        [LS_OBJECT_FUNCTION] = LS_SPACE_GENERIC};
    return (ls_ptx_space)spaces[object->kind];
}

static uint32_t object_base(finder *p, uint32_t object) {
    bool is_new;
    uint64_t *at = ls_intmap_at(&p->objects, object, &is_new);
    if (is_new) {
        ls_ir_base *base = ir_new_base(p->f, LS_BASE_OBJECT);
        base->object = object;
        base->space = (uint8_t)object_space(p->f->objects[object]);
        base->name = p->f->objects[object]->name;
        *at = base->id;
    }
    return (uint32_t)*at;
}

/* A pointer that points into the memory of another one has the other's base. */
static void go_inside(const ls_ir_function *f, uint32_t *object, uint32_t *offset) {
    const ls_ir_options *o = &f->hidden->options;
    const ls_ir_object *from = f->objects[*object];
    for (uint32_t i = 0; i < o->inside_count && f->ptx->is_entry; i++) {
        const ls_argument_inside *in = &o->inside[i];
        if (!in->bytes || from->kind != LS_OBJECT_PARAM || from->index != in->parameter || *offset != in->at)
            continue;
        for (uint32_t k = 0; k < f->object_count; k++)
            if (f->objects[k]->kind == LS_OBJECT_PARAM && f->objects[k]->index == in->of) *object = k;
        *offset = in->of_at;
        return;
    }
}

static uint32_t param_base(finder *p, uint32_t object, uint32_t offset, const ls_ir_value *value) {
    bool is_new;
    go_inside(p->f, &object, &offset);
    uint64_t *at = ls_intmap_at(&p->params, object | (uint64_t)offset << 32, &is_new);
    const ls_ptx_variable *variable = p->f->objects[object]->variable;
    if (is_new) {
        ls_ir_base *base = ir_new_base(p->f, LS_BASE_PARAM);
        const char *name = p->f->objects[object]->name;
        base->object = object;
        base->offset = offset;
        base->name = offset ? ls_arena_printf(&p->f->hidden->arena, "*(%s+%u)", name, offset)
                            : ls_arena_printf(&p->f->hidden->arena, "*%s", name);
        if (variable && variable->is_pointer && variable->pointer_space != LS_SPACE_GENERIC) {
            base->space = variable->pointer_space;
        } else if (p->f->ptx->is_entry) {
            base->space = LS_SPACE_GLOBAL;
            base->assumed = true;
        }
        *at = base->id;
    }
    ls_ir_base *base = (ls_ir_base *)(uintptr_t)p->f->bases[*at];
    uint8_t space = p->cvta_space[value->id];
    if (base->assumed && space == LS_SPACE_GLOBAL)
        base->assumed = false;
    else if (base->assumed && space != LS_SPACE_GENERIC)
        base->assumed = false, base->space = space;
    return (uint32_t)*at;
}

static uint32_t value_base(finder *p, ls_ir_value *value, ls_ir_base_kind kind) {
    char name[128];
    ls_ir_base *base = ir_new_base(p->f, kind);
    base->value = value;
    base->space = p->cvta_space[value->id];
    ls_ir_value_name(p->f, value, name, sizeof name);
    base->name = ls_arena_printf(&p->f->hidden->arena, "*%s", name);
    return base->id;
}

/* The object whose address an operand is, with how far behind its start; LS_IR_NONE where that is not known.
 * Compilers copy the address of a structure that is passed by value into a register first. */
static uint32_t object_at(const ls_ir_operand *address, int64_t *offset) {
    *offset = address->offset;
    if (address->kind == LS_IR_OBJECT) return address->object;
    const ls_ir_value *origin = address->value ? ls_ir_origin(address->value) : NULL;
    if (!origin || origin->kind != LS_VALUE_OBJECT) return LS_IR_NONE;
    *offset += origin->object.offset;
    return origin->object.id;
}

uint32_t ir_loaded_parameter(const ls_ir_function *f, const ls_ir_instr *instr, int64_t *offset) {
    if (instr->op != LS_OP_LD || !instr->src_count || ir_is_guarded(instr)) return LS_IR_NONE;
    uint32_t object = object_at(&instr->src[0], offset);
    return object != LS_IR_NONE && f->objects[object]->kind == LS_OBJECT_PARAM ? object : LS_IR_NONE;
}

/* The parameter that a load reads a pointer from, or LS_IR_NONE. */
static uint32_t loaded_parameter(const ls_ir_function *f, const ls_ir_instr *instr, const ls_ir_value *value,
                                 uint64_t *offset) {
    int64_t start;
    uint32_t object = ir_loaded_parameter(f, instr, &start);
    if (object == LS_IR_NONE) return object;
    *offset = (uint64_t)start + value->result * (address_bits(f) / 8);
    return *offset <= UINT32_MAX ? object : LS_IR_NONE;
}

/* --- Sets ------------------------------------------------------------------------------------------------
 */

static bool add_base(ir_pointer *into, uint32_t base) {
    for (uint32_t i = 0; i < into->count; i++)
        if (into->bases[i] == base) return false;
    if (into->count == IR_MAX_BASES) {
        bool grew = !into->other;
        into->other = true;
        return grew;
    }
    uint32_t at = into->count++;
    for (; at && into->bases[at - 1] > base; at--) into->bases[at] = into->bases[at - 1];
    into->bases[at] = base;
    return true;
}

static bool add_space(ir_pointer *into, uint8_t space, bool many, bool assumed, bool first) {
    ir_pointer before = *into;
    into->assumed |= assumed;
    if (many) into->many_spaces = true;
    if (first)
        into->space = space;
    else if (into->space != space)
        into->many_spaces = true;
    if (into->many_spaces) into->space = LS_SPACE_GENERIC;
    return before.space != into->space || before.many_spaces != into->many_spaces ||
           before.assumed != into->assumed;
}

static bool is_empty(const ir_pointer *p) {
    return !p->count && !p->other;
}

static bool join(ir_pointer *into, const ir_pointer *from) {
    if (is_empty(from)) return false;
    bool first = is_empty(into);
    bool grew = add_space(into, from->space, from->many_spaces, from->assumed, first);
    for (uint32_t i = 0; i < from->count; i++) grew |= add_base(into, from->bases[i]);
    if (from->other && !into->other) grew = into->other = true;
    if (from->strong && !into->strong) grew = into->strong = true;
    return grew;
}

static ir_pointer root(const finder *p, uint32_t base, bool strong) {
    const ls_ir_base *b = p->f->bases[base];
    ir_pointer out = {.count = 1, .strong = strong, .space = b->space, .assumed = b->assumed};
    out.many_spaces = b->space == LS_SPACE_GENERIC;
    out.bases[0] = base;
    return out;
}

/* --- Roots -----------------------------------------------------------------------------------------------
 */

/* The base that a value is the root of, made where it is one in this step. */
static void make_root(finder *p, ls_ir_value *value, bool strong_step) {
    ls_ir_function *f = p->f;
    uint32_t base = LS_IR_NONE;
    bool strong = true;
    if (value->kind == LS_VALUE_OBJECT && f->objects[value->object.id]->kind != LS_OBJECT_FUNCTION) {
        base = object_base(p, value->object.id);
    } else if (value->kind == LS_VALUE_INSTR && may_be_pointer(f, value)) {
        uint64_t offset = 0;
        const ls_ir_instr *instr = value->instr;
        uint32_t object = loaded_parameter(f, instr, value, &offset);
        if (object != LS_IR_NONE && offset >= f->objects[object]->size) object = LS_IR_NONE;
        strong = p->pointer_like[value->id];
        if (object != LS_IR_NONE && f->objects[object]->variable)
            strong |= f->objects[object]->variable->is_pointer && offset == 0;
        if (strong != strong_step) return;
        bool reads = instr->form->opcode && (instr->form->opcode->effects & LS_READS_MEMORY);
        if (object != LS_IR_NONE)
            base = param_base(p, object, (uint32_t)offset, value);
        else if (reads && !ir_is_guarded(instr))
            base = value_base(p, value, LS_BASE_LOADED);
        else if (instr->call || instr->unknown || instr->op == LS_OP_MAPA || instr->op == LS_OP_ALLOCA)
            base = value_base(p, value, LS_BASE_RESULT);
    }
    if (base == LS_IR_NONE || strong != strong_step) return;
    p->base_of[value->id] = base;
    p->info[value->id] = root(p, base, strong);
}

/* Values that some cvta is applied to, directly or behind copies. */
static void mark_pointer_like(finder *p) {
    for (uint32_t i = 0; i < p->f->instr_count; i++) {
        const ls_ir_instr *instr = p->f->instrs[i];
        if (instr->op != LS_OP_CVTA || !instr->src_count || !instr->src[0].value) continue;
        const ls_ir_value *origin = ls_ir_origin(instr->src[0].value);
        p->pointer_like[origin->id] = true;
        p->cvta_space[origin->id] = (uint8_t)ls_ptx_form_space(instr->form);
    }
}

/* --- Flow ------------------------------------------------------------------------------------------------
 */

/* Which sources of an opcode a pointer passes through to the result: a bit for each. */
static uint32_t passing_sources(const ls_ir_instr *instr) {
    if (instr->unknown || instr->dst_count != 1) return instr->op == LS_OP_SHFL ? 1 : 0;
    if (instr->op == LS_OP_MOV && instr->src_count != 1) return 0;
    return instr->form->opcode->carries;
}

static ir_pointer flow_instr(const finder *p, const ls_ir_value *value) {
    const ls_ir_instr *instr = value->instr;
    uint32_t sources = value->result == 0 ? passing_sources(instr) : 0;
    ir_pointer out = {0};
    bool strong = false;
    for (uint32_t s = 0; s < instr->src_count && s < 32; s++)
        if (sources >> s & 1 && instr->src[s].value) strong |= p->info[instr->src[s].value->id].strong;
    for (uint32_t s = 0; s < instr->src_count && s < 32; s++) {
        if (!(sources >> s & 1) || !instr->src[s].value) continue;
        const ir_pointer *from = &p->info[instr->src[s].value->id];
        if (from->strong == strong || instr->form->opcode->selects) join(&out, from);
    }
    if (instr->op == LS_OP_CVTA && !is_empty(&out)) {
        out.space = (uint8_t)ls_ptx_form_space(instr->form);
        out.many_spaces = out.assumed = false;
    }
    if (instr->prior && instr->prior[value->result]) join(&out, &p->info[instr->prior[value->result]->id]);
    return out;
}

static ir_pointer flow(const finder *p, const ls_ir_value *value) {
    ir_pointer out = {0};
    if (value->kind == LS_VALUE_INSTR) return flow_instr(p, value);
    if (value->kind == LS_VALUE_ETA) join(&out, &p->info[value->eta.value->id]);
    for (uint32_t i = 0; value->kind == LS_VALUE_PHI && i < value->block->pred_count; i++)
        join(&out, &p->info[value->phi->args[i]->id]);
    return out;
}

static void enqueue(finder *p, ls_ir_value *value) {
    if (p->queued[value->id] || !p->relevant[value->id]) return;
    p->queued[value->id] = true;
    LS_VEC_PUSH(&p->work, value);
}

static void enqueue_users(finder *p, const ls_ir_value *value) {
    for (uint32_t i = 0; i < value->use_count; i++) {
        const ls_ir_use *use = &value->uses[i];
        if (use->kind == LS_USE_PHI)
            enqueue(p, use->phi->value);
        else if (use->kind == LS_USE_ETA)
            enqueue(p, use->eta);
        else if (use->kind != LS_USE_GUARD)
            for (uint32_t d = 0; d < use->instr->dst_count; d++)
                if (use->instr->dst[d].value) enqueue(p, use->instr->dst[d].value);
    }
}

static void solve(finder *p) {
    while (p->work.length) {
        ls_ir_value *value = p->work.items[--p->work.length];
        p->queued[value->id] = false;
        if (p->base_of[value->id] != LS_IR_NONE) continue;
        ir_pointer out = flow(p, value);
        if (join(&p->info[value->id], &out)) enqueue_users(p, value);
    }
}

static void run_step(finder *p, bool strong_step) {
    ls_ir_function *f = p->f;
    for (uint32_t i = 0; i < f->value_count; i++) {
        if (!p->relevant[i]) continue;
        if (p->base_of[i] == LS_IR_NONE && is_empty(&p->info[i])) make_root(p, f->values[i], strong_step);
        if (p->base_of[i] != LS_IR_NONE) enqueue_users(p, f->values[i]);
    }
    solve(p);
}

/* Neither a pointer of known base nor a null pointer. */
static bool is_opaque(const finder *p, const ls_ir_value *value) {
    return value && is_empty(&p->info[value->id]) && value->kind != LS_VALUE_IMM &&
           value->kind != LS_VALUE_UNDEF;
}

/* Whether a value that points to known bases may, by another way, be something of which nothing is known. */
static bool may_be_opaque(const finder *p, const ls_ir_value *value) {
    bool opaque = false;
    for (uint32_t i = 0; value->kind == LS_VALUE_PHI && i < value->block->pred_count; i++)
        opaque |= is_opaque(p, value->phi->args[i]);
    if (value->kind != LS_VALUE_INSTR) return opaque;
    const ls_ir_instr *instr = value->instr;
    if (instr->prior) {
        opaque |= is_opaque(p, instr->prior[value->result]);
        if (!passing_sources(instr) && p->base_of[value->id] == LS_IR_NONE) opaque = true;
    }
    if (instr->form->opcode->selects)
        opaque |= is_opaque(p, instr->src[0].value) || is_opaque(p, instr->src[1].value);
    return opaque;
}

static void spread_opaque(finder *p) {
    for (uint32_t i = 0; i < p->f->value_count; i++) {
        if (!p->relevant[i] || is_empty(&p->info[i]) || p->info[i].other) continue;
        if (!may_be_opaque(p, p->f->values[i])) continue;
        p->info[i].other = true;
        p->info[i].many_spaces = true;
        p->info[i].space = LS_SPACE_GENERIC;
        enqueue_users(p, p->f->values[i]);
    }
    solve(p);
}

ir_pointer *ir_find_pointers(ls_arena *arena, ls_ir_function *f, const bool *relevant) {
    uint32_t n = f->value_count + 1;
    finder p = {.f = f, .relevant = relevant};
    p.info = LS_NEW_N(arena, ir_pointer, n);
    bool *flags = LS_NEW_N(arena, bool, 3 * n);
    p.pointer_like = flags, p.queued = flags + n;
    p.cvta_space = (uint8_t *)(flags + 2 * n);
    p.base_of = ls_arena_alloc(arena, sizeof *p.base_of * n);
    for (uint32_t i = 0; i < n; i++) p.base_of[i] = LS_IR_NONE;
    mark_pointer_like(&p);
    run_step(&p, true);
    run_step(&p, false);
    spread_opaque(&p);
    ls_intmap_free(&p.objects);
    ls_intmap_free(&p.params);
    LS_VEC_FREE(&p.work);
    return p.info;
}
