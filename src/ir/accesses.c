/* Memory accesses: for each the space, the bases it may go to (pointers.c), and the byte offset from the base
 * as constant + Σ coefficient · value. The offset comes from linear forms of integer values: add, sub, neg,
 * mad, multiplication by a constant and shift by a constant are taken apart, in the address's own width and
 * so modulo 2^width exactly; mul.wide, mad.wide and cvt bring in narrower values as they are, sign- or
 * zero-extended, so that what wraps at 32 bits stays one value. Everything else is a leaf. */
#include "ir/private.h"

#include "base/recover.h"

#include <assert.h>

enum { MAX_TERMS = 12 };

typedef struct {
    int64_t constant;
    uint32_t count;
    ls_ir_term terms[MAX_TERMS];
} form;

typedef struct {
    ls_ir_function *f;
    bool *relevant; /* by value: an address may be made of it */
    form **forms;   /* by value: NULL: a leaf */
    ir_pointer *pointers;
} analysis;

/* --- Which values matter ---------------------------------------------------------------------------------
 */

static bool is_linear(const ls_ir_value *value) {
    ls_ptx_type type = (ls_ptx_type)value->type;
    ls_ptx_type_kind kind = ls_ptx_type_kind_of(type);
    return kind != LS_KIND_FLOAT && kind != LS_KIND_PREDICATE && ls_ptx_type_bits(type) <= 64;
}

/* Everything that flows into an address through integer operations, phis and copies. */
static void find_relevant(analysis *a) {
    LS_VEC(ls_ir_value *) work = {0};
#define WANT(v)                                                                                              \
    do {                                                                                                     \
        ls_ir_value *wanted = (v);                                                                           \
        if (wanted && !a->relevant[wanted->id] && is_linear(wanted)) {                                       \
            a->relevant[wanted->id] = true;                                                                  \
            LS_VEC_PUSH(&work, wanted);                                                                      \
        }                                                                                                    \
    } while (0)
    for (uint32_t i = 0; i < a->f->instr_count; i++)
        for (uint32_t s = 0; s < a->f->instrs[i]->src_count; s++)
            if (ir_is_access_role(a->f->instrs[i]->src[s].role)) WANT(a->f->instrs[i]->src[s].value);
    while (work.length) {
        ls_ir_value *value = work.items[--work.length];
        if (value->kind == LS_VALUE_ETA) WANT(value->eta.value);
        for (uint32_t i = 0; value->kind == LS_VALUE_PHI && i < value->block->pred_count; i++)
            WANT(value->phi->args[i]);
        if (value->kind != LS_VALUE_INSTR) continue;
        const ls_ir_instr *instr = value->instr;
        for (uint32_t s = 0; s < instr->src_count; s++)
            if (instr->src[s].role == LS_ROLE_DATA && !instr->call) WANT(instr->src[s].value);
        if (instr->prior) WANT(instr->prior[value->result]);
    }
#undef WANT
    LS_VEC_FREE(&work);
}

/* --- Linear forms ----------------------------------------------------------------------------------------
 */

static int64_t wrapped(uint64_t number, uint32_t bits) {
    return bits == 32 ? (int64_t)(int32_t)(uint32_t)number : (int64_t)number;
}

/* into += scale · (extended value). False where there would be too many terms. */
static bool add_term(form *into, ls_ir_value *value, uint8_t extend, int64_t scale, uint32_t bits) {
    uint32_t i = 0;
    while (i < into->count && (into->terms[i].value != value || into->terms[i].extend != extend)) i++;
    if (i == MAX_TERMS) return false;
    if (i == into->count) into->terms[into->count++] = (ls_ir_term){.value = value, .extend = extend};
    ls_ir_term *term = &into->terms[i];
    term->coefficient = wrapped((uint64_t)term->coefficient + (uint64_t)scale, bits);
    if (term->coefficient == 0) {
        memmove(term, term + 1, sizeof *term * (into->count - i - 1));
        into->count--;
    }
    return true;
}

static uint64_t extended(uint64_t number, uint32_t from, uint8_t extend) {
    if (from >= 64 || extend == LS_EXTEND_NONE) return number;
    uint64_t mask = (UINT64_C(1) << from) - 1;
    number &= mask;
    if (extend == LS_EXTEND_SIGN && number >> (from - 1) & 1) number |= ~mask;
    return number;
}

/* into += scale · value, where value has the form's own width. */
static bool add_value(analysis *a, form *into, ls_ir_value *value, int64_t scale, uint32_t bits) {
    if (value->kind == LS_VALUE_IMM) {
        into->constant = wrapped((uint64_t)into->constant + value->bits * (uint64_t)scale, bits);
        return true;
    }
    if (ls_ptx_type_bits((ls_ptx_type)value->type) != bits && value->kind != LS_VALUE_OBJECT)
        return false; /* registers of other widths: not what the instruction should have */
    const form *known = a->forms[value->id];
    if (!known) return add_term(into, value, LS_EXTEND_NONE, scale, bits);
    into->constant = wrapped((uint64_t)into->constant + (uint64_t)known->constant * (uint64_t)scale, bits);
    for (uint32_t i = 0; i < known->count; i++) {
        uint64_t product = (uint64_t)known->terms[i].coefficient * (uint64_t)scale;
        if (!add_term(into, known->terms[i].value, known->terms[i].extend, wrapped(product, bits), bits))
            return false;
    }
    return true;
}

static bool constant_of(const analysis *a, const ls_ir_value *value, uint64_t *out) {
    if (!value) return false;
    if (value->kind == LS_VALUE_IMM) {
        *out = value->bits;
        return true;
    }
    const form *known = a->forms[value->id];
    if (!known || known->count) return false;
    *out = (uint64_t)known->constant;
    return true;
}

/* into += scale · x · y in the form's width, where one of them is constant. */
static bool add_product(analysis *a, form *into, ls_ir_value *x, ls_ir_value *y, uint32_t bits) {
    uint64_t factor;
    if (constant_of(a, y, &factor)) return add_value(a, into, x, wrapped(factor, bits), bits);
    if (constant_of(a, x, &factor)) return add_value(a, into, y, wrapped(factor, bits), bits);
    return false;
}

/* into += extended(x) · extended(y) of half the form's width. */
static bool add_wide_product(analysis *a, form *into, ls_ir_value *x, ls_ir_value *y, ls_ptx_type type,
                             uint32_t bits) {
    uint32_t narrow = ls_ptx_type_bits(type);
    uint8_t extend = ls_ptx_type_kind_of(type) == LS_KIND_SIGNED ? LS_EXTEND_SIGN : LS_EXTEND_ZERO;
    uint64_t factor, other;
    if (!constant_of(a, y, &factor)) {
        ls_ir_value *swap = x;
        x = y, y = swap;
        if (!constant_of(a, y, &factor)) return false;
    }
    factor = extended(factor, narrow, extend);
    if (constant_of(a, x, &other)) {
        uint64_t product = extended(other, narrow, extend) * factor;
        into->constant = wrapped((uint64_t)into->constant + product, bits);
        return true;
    }
    if (ls_ptx_type_bits((ls_ptx_type)x->type) != narrow) return false;
    return add_term(into, x, extend, wrapped(factor, bits), bits);
}

static bool linear_cvt(analysis *a, form *out, const ls_ir_instr *instr, uint32_t bits) {
    ls_ptx_type to = ls_ptx_form_type(instr->form, 0), from = ls_ptx_form_type(instr->form, 1);
    ls_ptx_type_kind kind = ls_ptx_type_kind_of(from);
    ls_ir_value *source = instr->src[0].value;
    uint32_t narrow = ls_ptx_type_bits(from);
    if (instr->src_count != 1 || !source || ls_ptx_type_bits(to) != bits) return false;
    if (kind == LS_KIND_FLOAT || ls_ptx_type_kind_of(to) == LS_KIND_FLOAT ||
        ls_ptx_form_has(instr->form, LS_MOD_SAT))
        return false;
    uint64_t number;
    uint8_t extend = kind == LS_KIND_SIGNED ? LS_EXTEND_SIGN : LS_EXTEND_ZERO;
    if (constant_of(a, source, &number)) {
        out->constant = wrapped(extended(number, narrow, extend), bits);
        return narrow <= bits;
    }
    if (ls_ptx_type_bits((ls_ptx_type)source->type) != narrow) return false;
    if (narrow == bits) return add_value(a, out, source, 1, bits);
    return narrow < bits && add_term(out, source, extend, 1, bits);
}

static bool linear_mad(analysis *a, form *out, const ls_ir_instr *instr, uint32_t bits) {
    bool wide = ls_ptx_form_has(instr->form, LS_MOD_WIDE), low = ls_ptx_form_has(instr->form, LS_MOD_LO);
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    if (ls_ptx_form_has(instr->form, LS_MOD_SAT) || instr->src_count < 2) return false;
    if (instr->op == LS_OP_MAD && (instr->src_count < 3 || !add_value(a, out, instr->src[2].value, 1, bits)))
        return false;
    if (wide) return add_wide_product(a, out, instr->src[0].value, instr->src[1].value, type, bits);
    return low && ls_ptx_type_bits(type) == bits &&
           add_product(a, out, instr->src[0].value, instr->src[1].value, bits);
}

/* One instruction's result as a linear form; false: it is a leaf. */
static bool linear_instr(analysis *a, form *out, const ls_ir_instr *instr, uint32_t bits) {
    const ls_ir_operand *src = instr->src;
    uint64_t shift;
    for (uint32_t s = 0; s < instr->src_count; s++)
        if (!src[s].value || (src[s].flags & (LS_OPERAND_NOT | LS_OPERAND_MINUS))) return false;
    ls_ptx_linear kind = instr->form->opcode->linear;
    switch (kind) {
    case LS_LINEAR_COPY: return instr->src_count == 1 && add_value(a, out, src[0].value, 1, bits);
    case LS_LINEAR_CVT: return instr->src_count == 1 && linear_cvt(a, out, instr, bits);
    case LS_LINEAR_SUM:
    case LS_LINEAR_DIFFERENCE:
        if (instr->src_count != 2 || ls_ptx_form_has(instr->form, LS_MOD_SAT)) return false;
        return add_value(a, out, src[0].value, 1, bits) &&
               add_value(a, out, src[1].value, kind == LS_LINEAR_DIFFERENCE ? -1 : 1, bits);
    case LS_LINEAR_NEGATION: return instr->src_count == 1 && add_value(a, out, src[0].value, -1, bits);
    case LS_LINEAR_PRODUCT: return linear_mad(a, out, instr, bits);
    case LS_LINEAR_SHIFT:
        if (instr->src_count != 2 || !constant_of(a, src[1].value, &shift) || shift >= bits) return false;
        return add_value(a, out, src[0].value, (int64_t)(UINT64_C(1) << shift), bits);
    default: return false;
    }
}

static void find_form(analysis *a, const ls_ir_instr *instr) {
    if (instr->dst_count < 1 || !instr->dst[0].value || ir_is_guarded(instr) || instr->unknown) return;
    const ls_ir_value *value = instr->dst[0].value;
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)value->type);
    if (!a->relevant[value->id] || (bits != 32 && bits != 64)) return;
    for (uint32_t t = 0; t < instr->form->type_count; t++) /* packed additions are not additions */
        if (ls_ptx_type_kind_of((ls_ptx_type)instr->form->types[t]) == LS_KIND_FLOAT ||
            instr->form->types[t] == LS_TYPE_U16X2 || instr->form->types[t] == LS_TYPE_S16X2)
            return;
    form out = {0};
    if (!linear_instr(a, &out, instr, bits)) return;
    size_t size = offsetof(form, terms) + out.count * sizeof *out.terms; /* only the terms there are */
    a->forms[value->id] = memcpy(ls_arena_alloc(&a->f->hidden->arena, size), &out, size);
}

/* A value that left a loop is the same form only if nothing in the form changes in the loop. */
static void find_eta_form(analysis *a, const ls_ir_value *eta) {
    const ls_ir_value *inner = eta->eta.value;
    form *known = a->forms[inner->id];
    if (!known) return;
    for (uint32_t i = 0; i < known->count; i++)
        if (ls_ir_loop_contains(eta->eta.loop, known->terms[i].value->block)) return;
    a->forms[eta->id] = known;
}

/* Operands come before their users in block order, save for phis, which are leaves. */
static void find_forms(analysis *a) {
    for (uint32_t i = 0; i < a->f->instr_count; i++) {
        const ls_ir_instr *instr = a->f->instrs[i];
        for (uint32_t s = 0; s < instr->src_count; s++) {
            const ls_ir_value *chain[64];
            uint32_t depth = 0;
            const ls_ir_value *value = instr->src[s].value;
            for (; value && value->kind == LS_VALUE_ETA && !a->forms[value->id] && depth < 64;
                 value = value->eta.value)
                chain[depth++] = value;
            while (depth) find_eta_form(a, chain[--depth]);
        }
        find_form(a, instr);
    }
}

/* --- Accesses --------------------------------------------------------------------------------------------
 */

static bool is_opaque(const ls_ir_instr *instr) {
    if (instr->unknown || !instr->form->opcode) return true;
    switch (instr->form->opcode->class) {
    case LS_CLASS_MEMORY:
    case LS_CLASS_ATOMIC: return false;
    default: return instr->form->opcode->copy != LS_COPY_START && instr->form->opcode->copy != LS_COPY_STORE;
    }
}

/* cp.async copies as many bytes as its third operand says; its second size is what is read. */
static uint32_t copied_bytes(const ls_ir_instr *instr, bool read) {
    uint32_t sizes = 0, bytes = 0;
    for (uint32_t s = 0; s < instr->src_count; s++) {
        if (instr->src[s].role != LS_ROLE_DATA) continue;
        bool constant = instr->src[s].kind == LS_IR_IMM;
        if (sizes == 0 && constant) bytes = (uint32_t)instr->src[s].bits;
        if (sizes == 1 && read && !constant) bytes = 0;
        sizes++;
    }
    return bytes;
}

/* The spaces are written in the order of the addresses; one for all where only one is written. */
static uint8_t written_space(const ls_ir_instr *instr, uint32_t which) {
    const ls_ptx_form *f = instr->form;
    if (!f->space_count) return LS_SPACE_GENERIC;
    return f->spaces[which < f->space_count ? which : f->space_count - 1u];
}

static void describe(ls_ir_access *access, const ls_ir_instr *instr, const ls_ir_operand *address,
                     uint32_t which) {
    const ls_ptx_form *f = instr->form;
    access->kind = address->role == LS_ROLE_READ    ? LS_ACCESS_READ
                   : address->role == LS_ROLE_WRITE ? LS_ACCESS_WRITE
                                                    : LS_ACCESS_ATOMIC;
    access->opaque = is_opaque(instr);
    access->count = f->vector > 1 ? f->vector : 1;
    access->semantics = f->semantics;
    access->scope = f->scope;
    access->is_volatile = f->semantics == LS_MOD_VOLATILE;
    access->space = written_space(instr, which);
    if (access->opaque)
        access->count = 1;
    else if (f->opcode->copy == LS_COPY_START)
        access->bytes = copied_bytes(instr, access->kind == LS_ACCESS_READ);
    else
        access->bytes = (ls_ptx_type_bits(ls_ptx_form_type(f, 0)) + 7) / 8;
}

static const ir_pointer *pointer_of(const analysis *a, const ls_ir_term *term) {
    const ir_pointer *p = &a->pointers[term->value->id];
    return term->coefficient == 1 && (p->count || p->other) ? p : NULL;
}

/* Whether the value is the very start of its base (then it drops out of the offset), and where it is not. */
static bool is_root(const analysis *a, const ls_ir_value *value, const ls_ir_base *base, int64_t *constant) {
    if (base->kind == LS_BASE_OBJECT && value->kind == LS_VALUE_OBJECT) {
        *constant = value->object.offset;
        return true;
    }
    *constant = 0;
    if (base->kind == LS_BASE_LOADED || base->kind == LS_BASE_RESULT) return base->value == value;
    if (base->kind != LS_BASE_PARAM || value->kind != LS_VALUE_INSTR) return false;
    int64_t offset;
    return ir_loaded_parameter(a->f, value->instr, &offset) == base->object;
}

static void set_bases(analysis *a, ls_ir_access *access, const ir_pointer *pointer) {
    access->bases = LS_NEW_N(&a->f->hidden->arena, const ls_ir_base *, pointer->count + 1);
    for (uint32_t i = 0; i < pointer->count; i++) access->bases[i] = a->f->bases[pointer->bases[i]];
    access->base_count = pointer->count;
    access->other_bases = pointer->other;
}

static void set_space(ls_ir_access *access, const ir_pointer *pointer) {
    if (access->space != LS_SPACE_GENERIC) {
        access->space_certainty = LS_CERTAIN;
        return;
    }
    bool known = pointer && !pointer->many_spaces && pointer->space != LS_SPACE_GENERIC;
    access->space = known ? pointer->space : LS_SPACE_GENERIC;
    access->space_certainty = !known ? LS_UNCERTAIN : pointer->assumed ? LS_ASSUMED : LS_CERTAIN;
}

/* The one term that is the pointer; ambiguous where several could be. */
static ls_ir_term *find_pointer_term(analysis *a, form *address, bool *ambiguous) {
    ls_ir_term *found = NULL;
    uint32_t candidates = 0;
    bool strong = false;
    for (uint32_t i = 0; i < address->count; i++) {
        const ir_pointer *p = pointer_of(a, &address->terms[i]);
        if (!p || (strong && !p->strong)) continue;
        if (p->strong && !strong) candidates = 0, strong = true;
        candidates++;
        found = &address->terms[i];
    }
    *ambiguous = candidates > 1;
    return found;
}

static ls_ir_base *absolute_base(analysis *a) {
    for (uint32_t i = 0; i < a->f->base_count; i++)
        if (a->f->bases[i]->kind == LS_BASE_ABSOLUTE) return (ls_ir_base *)(uintptr_t)a->f->bases[i];
    ls_ir_base *base = ir_new_base(a->f, LS_BASE_ABSOLUTE);
    base->name = "absolute address";
    return base;
}

static void locate(analysis *a, ls_ir_access *access, form *address) {
    bool ambiguous = false;
    ls_ir_term *term = find_pointer_term(a, address, &ambiguous);
    if (term && !ambiguous) {
        const ir_pointer *pointer = pointer_of(a, term);
        int64_t constant = 0;
        set_bases(a, access, pointer);
        set_space(access, pointer);
        access->has_offset = pointer->count > 0;
        bool starts = pointer->count == 1 && !pointer->other && term->extend == LS_EXTEND_NONE &&
                      is_root(a, term->value, a->f->bases[pointer->bases[0]], &constant);
        if (starts) {
            address->constant = wrapped((uint64_t)address->constant + (uint64_t)constant, access->bits);
            memmove(term, term + 1, sizeof *term * (size_t)(address->terms + address->count - term - 1));
            address->count--;
        } else {
            term->relative = access->has_offset;
        }
    } else if (ambiguous) {
        ir_pointer all = {.other = true, .many_spaces = true};
        for (uint32_t i = 0; i < address->count; i++) {
            const ir_pointer *p = pointer_of(a, &address->terms[i]);
            for (uint32_t k = 0; p && k < p->count && all.count < IR_MAX_BASES; k++)
                all.bases[all.count++] = p->bases[k];
        }
        set_bases(a, access, &all);
        set_space(access, &all);
    } else if (!address->count) {
        access->bases = LS_NEW_N(&a->f->hidden->arena, const ls_ir_base *, 1);
        access->bases[0] = absolute_base(a);
        access->base_count = 1;
        access->has_offset = true;
        set_space(access, NULL);
    } else {
        access->other_bases = true;
        set_space(access, NULL);
    }
    access->constant = address->constant;
    access->term_count = address->count;
    access->terms = LS_NEW_N(&a->f->hidden->arena, ls_ir_term, address->count + 1);
    memcpy(access->terms, address->terms, sizeof *access->terms * address->count);
}

static void fill_access(analysis *a, ls_ir_access *access, ls_ir_instr *instr, uint32_t src, uint32_t which) {
    const ls_ir_operand *operand = &instr->src[src];
    form address = {0};
    access->id = a->f->access_count++;
    access->instr = instr;
    access->src = src;
    describe(access, instr, operand, which);
    access->bits = a->f->module->address_size == 64 ? 64 : 32;
    ls_ir_value *value = operand->value;
    if (value && value->kind != LS_VALUE_OBJECT && ls_ptx_type_bits((ls_ptx_type)value->type) == 32)
        access->bits = 32;
    if (!value || !add_value(a, &address, value, 1, access->bits)) {
        access->other_bases = true;
        set_space(access, NULL);
        return;
    }
    uint64_t sum = (uint64_t)address.constant + (uint64_t)operand->offset;
    address.constant = wrapped(sum, access->bits);
    locate(a, access, &address);
}

static void fill_instr_accesses(analysis *a, ls_ir_instr *instr) {
    uint32_t count = 0, which = 0;
    for (uint32_t s = 0; s < instr->src_count; s++) count += ir_is_access_role(instr->src[s].role);
    if (!count) return;
    instr->accesses = LS_NEW_N(&a->f->hidden->arena, ls_ir_access, count);
    instr->access_count = count;
    for (uint32_t s = 0; s < instr->src_count; s++)
        if (ir_is_access_role(instr->src[s].role)) {
            fill_access(a, &instr->accesses[which], instr, s, which);
            which++;
        }
}

static void list_accesses(ls_ir_function *f) {
    f->accesses = LS_NEW_N(&f->hidden->arena, ls_ir_access *, f->access_count + 1);
    for (uint32_t i = 0; i < f->instr_count; i++)
        for (uint32_t k = 0; k < f->instrs[i]->access_count; k++)
            f->accesses[f->instrs[i]->accesses[k].id] = &f->instrs[i]->accesses[k];
}

void ir_fill_accesses(ls_ir_function *f) {
    LS_SCRATCH(scratch);
    uint32_t n = f->value_count + 1;
    analysis a = {.f = f,
                  .relevant = ls_arena_zalloc(&scratch, n),
                  .forms = ls_arena_zalloc(&scratch, sizeof *a.forms * n)};
    find_relevant(&a);
    a.pointers = ir_find_pointers(&scratch, f, a.relevant);
    find_forms(&a);
    for (uint32_t i = 0; i < f->instr_count; i++) fill_instr_accesses(&a, f->instrs[i]);
    list_accesses(f);
}
