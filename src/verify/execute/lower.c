/* From IR instructions to terms: each integer instruction has its exact meaning (operations.c);
 * floating-point operations are functions of which nothing is known but that equal arguments give equal
 * results; what depends on other threads or on memory is a symbol. */
#include "verify/execute/lower.h"
#include "verify/check/async.h"
#include "verify/check/barrier_facts.h"
#include "verify/check/images.h"
#include "verify/check/logs.h"
#include "verify/check/ranks.h"
#include "verify/check/tickets.h"
#include "verify/execute/across.h"
#include "verify/execute/allocations.h"
#include "verify/execute/calls.h"
#include "verify/execute/clusters.h"
#include "verify/execute/contents.h"
#include "verify/execute/exec.h"
#include "verify/execute/fold.h"
#include "verify/execute/nodes.h"
#include "verify/execute/operations.h"
#include "verify/execute/roots.h"

uint32_t ls_width_of(uint8_t type) {
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)type);
    return bits == 0 || bits > 64 ? 64 : bits;
}

static bool is_signed(uint8_t type) {
    return ls_ptx_type_kind_of((ls_ptx_type)type) == LS_KIND_SIGNED;
}

/* --- Values ----------------------------------------------------------------------------------------------
 */

static const ls_term *computed(const ls_state *s, const ls_ir_value *value) {
    const ls_term *found = NULL;
    for (; s && !found; s = s->before) found = ls_sparse_get(&s->values, value->id);
    return found;
}

const ls_term *ls_value_of(const ls_state *s, const ls_ir_value *value) {
    ls_proof *p = s->proof;
    uint32_t width = ls_width_of(value->type);
    const ls_term *found;
    switch ((ls_ir_value_kind)value->kind) {
    case LS_VALUE_ETA: return ls_value_of(s, value->eta.value);
    case LS_VALUE_IMM: return ls_const(&p->terms, width, value->bits);
    case LS_VALUE_SREG:
        found = ls_special_register(p, value->sreg, value->element, width);
        if (found) return found;
        break;
    case LS_VALUE_OBJECT:
        found = ls_add(&p->terms, ls_object_address(p, value->object.id),
                       ls_const(&p->terms, 64, (uint64_t)value->object.offset));
        return ls_resize(&p->terms, found, width, false);
    default: break;
    }
    found = computed(s, value);
    if (found) return found;
    found = ls_fresh(s, "unset", width, value->kind == LS_VALUE_UNDEF ? LS_SYM_UNSET : LS_SYM_CHOICE);
    ls_set_value(s, value, found);
    return found;
}

const ls_term *ls_operand_of(const ls_state *s, const ls_ir_operand *operand) {
    ls_terms *t = &s->proof->terms;
    uint32_t width = ls_width_of(operand->type);
    const ls_term *v;
    if (operand->value)
        v = ls_value_of(s, operand->value);
    else if (operand->kind == LS_IR_IMM)
        v = ls_const(t, width, operand->bits);
    else
        v = ls_fresh(s, "operand", width, LS_SYM_CHOICE);
    if (v->width != width) v = ls_resize(t, v, width, is_signed(operand->type));
    if (operand->flags & LS_OPERAND_NOT && v->width == 1) v = ls_not(t, v);
    if (operand->flags & LS_OPERAND_MINUS) v = ls_scale(t, v, UINT64_MAX);
    return v;
}

const ls_term *ls_address_in(const ls_state *s, const ls_ir_access *access) {
    const ls_ir_operand *operand = &access->instr->src[access->src];
    const ls_term *start = ls_operand_of(s, operand);
    return ls_add(&s->proof->terms, start,
                  ls_const(&s->proof->terms, start->width, (uint64_t)operand->offset));
}

const ls_term *ls_guard_of(const ls_state *s, const ls_ir_instr *instr) {
    if (instr->guard.kind == LS_IR_ABSENT) return ls_true(&s->proof->terms);
    return ls_operand_of(s, &instr->guard);
}

/* --- Loads -----------------------------------------------------------------------------------------------
 */

/* The number at a byte offset of an initialiser, where it stands there as one; false where it does not. */
static bool initial_number(const ls_ptx_variable *v, uint64_t offset, uint32_t width, uint64_t *out) {
    uint32_t bytes = ls_ptx_type_bits((ls_ptx_type)v->type) / 8;
    const ls_ptx_operand *parts = v->initializer;
    *out = 0;
    if (!parts) return true; /* PTX: constant memory without an initialiser is zero */
    if (!bytes || v->vector > 1 || v->dimension_count != 1 || parts->kind != LS_OPERAND_VECTOR) return false;
    if (width % (bytes * 8) || offset % bytes) return false;
    *out = 0;
    for (uint32_t k = 0; k < width / (bytes * 8); k++) { /* elements that are left out are 0 */
        uint64_t at = offset / bytes + k;
        const ls_ptx_operand *part = at < parts->count ? &parts->parts[at] : NULL;
        if (part && part->kind != LS_OPERAND_INT) return false;
        if (part) *out |= (part->value & ls_mask(bytes * 8)) << (k * bytes * 8);
    }
    return true;
}

/* What is declared there, where it is a function that the kernel may call; else NULL. */
static const ls_term *initial_function(ls_proof *p, const ls_ptx_variable *v, uint64_t offset) {
    const ls_ptx_operand *declared = v->initializer;
    if (declared && declared->kind == LS_OPERAND_VECTOR)
        declared = offset / 8 < declared->count ? &declared->parts[offset / 8] : NULL;
    bool plain = declared && declared->kind == LS_OPERAND_SYMBOL && !declared->offset &&
                 !(declared->flags & LS_OPERAND_MASKED) && declared->symbol->kind == LS_SYMBOL_FUNCTION;
    for (uint32_t i = 0; i < p->f->object_count && plain; i++)
        if (p->f->objects[i]->kind == LS_OBJECT_FUNCTION && p->f->objects[i]->symbol == declared->symbol)
            return ls_object_address(p, i);
    return NULL;
}

/* Variables that hold functions, 64 bits each. */
static bool is_function_table(ls_proof *p, const ls_ir_object *object, uint32_t width) {
    const ls_ptx_variable *v = object->variable;
    bool fits = (object->kind == LS_OBJECT_CONST || object->kind == LS_OBJECT_GLOBAL) && width == 64 &&
                v->vector <= 1 && ls_ptx_type_bits((ls_ptx_type)v->type) == 64 && !p->has_copies &&
                !p->options->any_loads;
    return fits && initial_function(p, v, 0);
}

/* Constant arrays of OpenCL, which nobody can write, and tables of functions, as a choice by the offset. */
static const ls_term *initial_value(ls_lowering *l, const ls_ir_base *base, const ls_term *address,
                                    uint32_t width) {
    ls_proof *p = l->s->proof;
    const ls_ir_object *object = base->kind == LS_BASE_OBJECT ? p->f->objects[base->object] : NULL;
    if (!object || p->written[base->id] || p->writes_unknown || !object->variable) return NULL;
    bool table = is_function_table(p, object, width);
    if (!table && (!p->options->opencl || object->kind != LS_OBJECT_CONST)) return NULL;
    if (object->is_extern || object->size > 1024) return NULL;
    uint32_t bytes = width / 8;
    const ls_term *offset = ls_sub(l->t, address, ls_object_address(l->s->proof, object->id)), *value = NULL;
    for (uint64_t at = 0; bytes && at + bytes <= object->size; at += bytes) {
        uint64_t number;
        bool known = !table && initial_number(object->variable, at, width, &number);
        const ls_term *here = known   ? ls_const(l->t, width, number)
                              : table ? initial_function(p, object->variable, at)
                                      : NULL;
        if (!here) return NULL;
        const ls_term *is_here = ls_eq(l->t, offset, ls_const(l->t, 64, at));
        value = value ? ls_ite(l->t, is_here, here, value) : here;
    }
    if (table && value) p->assumed |= LS_ASSUMED_TABLES;
    if (!value) return NULL;
    /* anything else: out of bounds or not aligned */
    const ls_term *last = ls_const(l->t, 64, object->size - bytes);
    const ls_term *inside = ls_not(l->t, ls_ult(l->t, last, offset));
    const ls_term *rest = ls_binary(l->t, LS_T_UREM, offset, ls_const(l->t, 64, bytes));
    inside = ls_and(l->t, inside, ls_eq(l->t, rest, ls_const(l->t, 64, 0)));
    return ls_ite(l->t, inside, value, ls_fresh(l->s, "outside", width, LS_SYM_CHOICE));
}

/* What a load gives: parameters are symbols of their own, memory that nobody writes is a function of the
 * address, everything else is anything. */
static const ls_term *loaded_at(ls_lowering *l, const ls_ir_access *a, const ls_term *address,
                                uint32_t width) {
    ls_proof *p = l->s->proof;
    bool single = a->base_count == 1 && !a->other_bases && !a->opaque && a->kind == LS_ACCESS_READ;
    const ls_ir_base *base = single ? a->bases[0] : NULL;
    if (base && base->kind == LS_BASE_OBJECT && p->f->objects[base->object]->kind == LS_OBJECT_PARAM) {
        const ls_term *offset = ls_sub(l->t, address, ls_object_address(p, base->object));
        if (ls_is_const(offset)) return ls_parameter(p, base->object, offset->value, width);
    }
    const ls_term *initial = base ? initial_value(l, base, address, width) : NULL;
    if (initial) return initial;
    bool local = a->space == LS_SPACE_LOCAL || (base && base->kind == LS_BASE_OBJECT &&
                                                p->f->objects[base->object]->kind == LS_OBJECT_LOCAL);
    bool unwritten = base && ((!p->written[base->id] && !p->writes_unknown) || p->initial[a->id]);
    bool any = p->options->any_loads && !local && a->space != LS_SPACE_CONST;
    if (unwritten && !local && !a->is_volatile && !p->has_copies && !any) {
        const ls_term *start = ls_base_address(p, base);
        if (ls_is_zeroed(p, base) && width <= 64) return ls_const(l->t, width, 0);
        if (start) {
            const ls_term *args[1] = {ls_sub(l->t, address, ls_resize(l->t, start, 64, false))};
            return ls_uf(l->t, (ls_function){LS_UF_READ_ONLY, ls_first_base(p, base)}, width, args, 1);
        }
    }
    const ls_term *known = single && !any ? ls_memory_load(l->s, a, address, width) : NULL;
    if (known) return known;
    const ls_term *v = ls_fresh(l->s, "load", width, LS_SYM_LOAD);
    ls_sym_of(l->t, v)->memory_written = true;
    ls_sym_of(l->t, v)->key = a;
    ls_sym_of(l->t, v)->tag = l->s->tag;
    return v;
}

/* What the other thread has for it. */
static const ls_term *of_other(const ls_state *s, const ls_term *value) {
    const ls_term *other = ls_fresh(s, "other", value->width, LS_SYM_OTHER);
    ls_sym_of(&s->proof->terms, other)->key = value;
    return other;
}

static const ls_term *loaded(ls_lowering *l, uint32_t result, uint32_t width) {
    const ls_ir_access *a = l->i->access_count ? &l->i->accesses[0] : NULL;
    if (!a) return NULL;
    const ls_term *address = ls_resize(l->t, ls_operand_of(l->s, &l->i->src[a->src]), 64, false);
    address = ls_add(l->t, address,
                     ls_const(l->t, 64, (uint64_t)(l->i->src[a->src].offset + (int64_t)result * a->bytes)));
    const ls_term *theirs = ls_address_of_other(l->s->proof, l->i, address); /* barrier_facts.c */
    return theirs ? of_other(l->s, loaded_at(l, a, theirs, width)) : loaded_at(l, a, address, width);
}

/* --- Calls -----------------------------------------------------------------------------------------------
 */

/* The number of dimensions of a launch that does not say. */
static const ls_term *dimensions(ls_proof *p, uint32_t width) {
    void **place = ls_map_at(&p->named, "get_work_dim", 12);
    if (!*place)
        *place =
            (void *)(uintptr_t)ls_symbol(&p->terms, "get_work_dim", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 1, 3);
    return ls_resize(&p->terms, *place, width, false);
}

/* The address of the object that is a part of the pointer; NULL: there is none. */
static const ls_term *start_in(ls_proof *p, const ls_term *pointer) {
    ls_term_list leaves = {0};
    const ls_term *start = NULL;
    ls_leaves(&pointer, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length && !start; i++) {
        const ls_term *leaf = leaves.items[i];
        uint64_t key;
        bool address = leaf->op == LS_T_SYM && ls_intmap_get(&p->parameter_keys, leaf->value, &key) &&
                       p->f->objects[key >> 32]->variable && p->f->objects[key >> 32]->variable->is_pointer;
        if (address || ls_is_object_address(p, leaf)) start = leaf;
    }
    LS_VEC_FREE(&leaves);
    return start;
}

enum { MOST_CHOICES = 16 }; /* of a pointer */

/* How far into its object it points, where the object's address goes away when it is taken off. NULL: it is
 * not known. */
static const ls_term *offset_in(ls_proof *p, const ls_term *pointer, uint32_t depth) {
    ls_terms *t = &p->terms;
    if (pointer->op == LS_T_ITE && depth < MOST_CHOICES) {
        const ls_term *one = offset_in(p, pointer->args[1], depth + 1);
        const ls_term *two = one ? offset_in(p, pointer->args[2], depth + 1) : NULL;
        return two ? ls_ite(t, pointer->args[0], one, two) : NULL;
    }
    for (uint32_t i = 0; pointer->op == LS_T_LIN && i < pointer->count; i++) {
        const ls_term *part = pointer->args[i];
        if (part->op != LS_T_ITE || pointer->coefs[i] != 1 || depth >= MOST_CHOICES) continue;
        const ls_term *rest = ls_sub(t, pointer, part), *offset = offset_in(p, part, depth + 1);
        if (offset && !start_in(p, rest)) return ls_add(t, rest, ls_resize(t, offset, rest->width, false));
    }
    const ls_term *start = start_in(p, pointer);
    if (!start) return NULL;
    const ls_term *offset = ls_sub(t, ls_resize(t, pointer, 64, false), ls_resize(t, start, 64, false));
    return start_in(p, offset) ? NULL : offset;
}

/* Calls whose results have a meaning. */
static const ls_term *called(ls_state *s, const ls_ir_instr *i, uint32_t result, uint32_t width) {
    ls_terms *t = &s->proof->terms;
    ls_call_kind kind = ls_call_of(i);
    ls_ir_value *argument = ls_ir_argument_value(i, 0, 0);
    if (kind == LS_CALL_ENABLED || kind == LS_CALL_RESULT) {
        bool enabled = kind == LS_CALL_ENABLED;
        const ls_term *v = ls_fresh(s, i->call->name, width, enabled ? LS_SYM_ENABLED : LS_SYM_RESULT);
        ls_sym *sym = ls_sym_of(t, v);
        sym->key = enabled ? (const void *)s->path : i;
        sym->tag = enabled ? (uint32_t)ls_ir_builtin(i) : (uint32_t)i->dst[result].offset;
        if (enabled) ls_add_fact(s->proof, v, ls_eq(t, v, ls_const(t, width, 1)));
        return v;
    }
    if (kind == LS_CALL_DIMENSIONS) {
        uint32_t given = s->proof->options->dimensions;
        return given ? ls_const(t, width, given) : dimensions(s->proof, width);
    }
    if (kind == LS_CALL_COPY) return ls_copy_event(s, i, width);
    if (kind == LS_CALL_OLD) return argument ? ls_value_of(s, argument) : NULL;
    if (kind == LS_CALL_OTHER) {
        if (!argument) return NULL;
        return of_other(s, ls_resize(t, ls_value_of(s, argument), width, true));
    }
    if (kind == LS_CALL_IMAGE) return ls_image_value(s, i, result, width);
    if (kind == LS_CALL_LOG) return ls_log_value(s, i, width);
    if (kind == LS_CALL_OFFSET) {
        const ls_term *offset = argument ? offset_in(s->proof, ls_value_of(s, argument), 0) : NULL;
        return offset ? ls_resize(t, offset, width, false) : NULL;
    }
    if (s->proof->options->any_externals && ls_call_is_external(i)) {
        const ls_term *v = ls_fresh(s, i->call->name, width, LS_SYM_UNSET);
        ls_sym_of(t, v)->key = i;
        return v;
    }
    if (kind != LS_CALL_PURE || !i->call->callee) return NULL;
    const ls_term *args[8];
    uint32_t count = 0;
    for (uint32_t k = 1; k < i->src_count; k++) {
        if (!i->src[k].value || count == 8) return NULL;
        args[count++] = ls_operand_of(s, &i->src[k]);
    }
    return ls_uf(t, (ls_function){LS_UF_RESULT, i->call->callee, result}, width, args, count);
}

/* --- Instructions ----------------------------------------------------------------------------------------
 */

/* A function of its operands alone, so that equal operands give equal results. */
static bool is_function(const ls_ir_instr *i) {
    const ls_ptx_opcode *opcode = i->form->opcode;
    if (i->unknown || i->call || opcode->effects) return false;
    return opcode->class == LS_CLASS_INTEGER || opcode->class == LS_CLASS_FLOAT ||
           opcode->class == LS_CLASS_COMPARE || opcode->class == LS_CLASS_LOGIC ||
           opcode->class == LS_CLASS_MOVE || opcode->class == LS_CLASS_VIDEO;
}

static const ls_term *opaque(ls_lowering *l, uint32_t result, uint32_t width) {
    return ls_uf(l->t, (ls_function){LS_UF_RESULT, l->i->form, result}, width, l->src, l->count);
}

void ls_lower_instr(ls_state *s, const ls_ir_instr *i) {
    if (!i->dst_count) return;
    ls_lowering l = {.s = s, .t = &s->proof->terms, .i = i, .type = (uint8_t)ls_ptx_form_type(i->form, 0)};
    bool loads = i->form->opcode->plain && (i->form->opcode->effects & LS_READS_MEMORY);
    bool function = is_function(i) && i->src_count <= 8;
    for (uint32_t k = 0; k < i->src_count && function; k++) {
        if (!i->src[k].value && i->src[k].kind != LS_IR_IMM) function = false;
        if (function) l.src[l.count++] = ls_operand_of(s, &i->src[k]);
    }
    for (uint32_t d = 0; d < i->dst_count; d++) {
        if (!i->dst[d].value) continue;
        uint32_t width = ls_width_of(i->dst[d].value->type);
        const ls_term *v = NULL;
        if (function) {
            v = ls_fold_instr(l.t, i, l.src, l.count, d);
            if (!v) v = ls_operation(&l, d);
            if (!v) v = opaque(&l, d, width);
        } else if (loads && !i->unknown) {
            uint32_t narrow = ls_width_of(i->dst[d].type);
            v = loaded(&l, d, narrow < width ? narrow : width);
        }
        if (i->call) v = called(s, i, d, width);
        if (!v && !i->call) v = ls_across_lanes(s, i, d, width);
        if (i->op == LS_OP_MAPA) v = ls_remote_address(s, i, width);
        if (!v) v = ls_fresh(s, i->call ? "call" : i->form->opcode->name, width, LS_SYM_CHOICE);
        if (!d && v->op == LS_T_SYM) ls_keep_joint(s, i, v);
        if (v->op == LS_T_SYM && /* races.c, query.c, tickets.c */
            (i->form->opcode->class == LS_CLASS_ATOMIC || ls_is_barrier(i) || ls_is_ticketed(i))) {
            ls_sym_of(l.t, v)->key = i;
            ls_sym_of(l.t, v)->tag = s->tag;
        }
        if (v->width != width) v = ls_resize(l.t, v, width, is_signed(i->dst[d].type));
        if (i->prior && i->prior[d]) v = ls_ite(l.t, ls_guard_of(s, i), v, ls_value_of(s, i->prior[d]));
        ls_set_value(s, i->dst[d].value, v);
    }
}
