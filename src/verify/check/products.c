/* Products of matrix units (wgmma.mma_async): four warps start one together, and the unit reads their
 * operands in shared memory from then on, until one of them has waited for the group that the product is
 * committed to. What is read is told by descriptors (isa/descriptor.h): the start's place in its variable is
 * a term, the rest is constant, and everything between the first and the last piece counts as read. */
#include "verify/check/products.h"
#include "base/recover.h"
#include "isa/descriptor.h"
#include "verify/check/async.h"
#include "verify/check/barriers.h"
#include "verify/execute/lower.h"
#include "verify/execute/symbols.h"
#include "verify/execute/uniform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = LS_PRODUCT_ROWS, PIECE = 16 };

/* --- Operands --------------------------------------------------------------------------------------------
 */

/* The parts of one of the PTX operands. */
static const ls_ir_operand *operand_of(const ls_ir_instr *i, uint32_t n, uint32_t *count) {
    const ls_ir_operand *first = NULL;
    *count = 0;
    for (uint32_t k = 0; k < i->src_count; k++) {
        if (i->src[k].operand != n) continue;
        if (!first) first = &i->src[k];
        ++*count;
    }
    return first;
}

/* Whether k runs along memory: the operand that says so is there for elements of 16 bits alone. */
static bool is_along_k(const ls_ir_instr *i, uint32_t n, bool *along) {
    uint32_t count;
    const ls_ir_operand *o = operand_of(i, n, &count);
    *along = !o || (o->kind == LS_IR_IMM && !o->bits);
    return !o || o->kind == LS_IR_IMM;
}

/* --- Descriptors -----------------------------------------------------------------------------------------
 */

/* The variable whose address is a part of the descriptor. */
static const ls_term *variable_of(const ls_proof *p, const ls_term *descriptor, const ls_ir_object **object) {
    ls_term_list leaves = {0};
    ls_leaves(&descriptor, 1, &leaves);
    const ls_term *found = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < leaves.length; i++)
        for (uint32_t o = 0; o < p->f->object_count; o++) {
            if (p->object_address[o] != leaves.items[i]) continue;
            found = leaves.items[i];
            *object = p->f->objects[o];
            count++;
        }
    LS_VEC_FREE(&leaves);
    return count == 1 && (*object)->kind == LS_OBJECT_SHARED ? found : NULL;
}

/* Shared memory ends below 2^18, and the variable begins at a multiple of its alignment: where it lies makes
 * no difference for how far behind that the start is. */
static const uint64_t SOMEWHERE = 1024;

static const ls_term *as_somewhere(ls_subst *subst, const ls_term *symbol) {
    return symbol == subst->data ? ls_const(subst->ctx, symbol->width, SOMEWHERE) : symbol;
}

static const ls_term *field_of(ls_terms *t, const ls_term *descriptor, uint32_t shift, uint32_t bits) {
    const ls_term *moved = ls_binary(t, LS_T_LSHR, descriptor, ls_const(t, 64, shift));
    return ls_binary(t, LS_T_AND, moved, ls_const(t, 64, (UINT64_C(1) << bits) - 1));
}

/* The term is the same number in all iterations and threads. */
static bool is_always(const ls_protocol *x, const ls_site *s, const ls_term *term, uint64_t *value) {
    ls_terms *t = &x->p->terms;
    const ls_term *one = ls_is_const(term) ? term : ls_in_case(x, s, term, ls_first_thread(s), s->first);
    *value = one->value;
    if (!ls_is_const(one)) return false;
    if (ls_is_const(term)) return true;
    const ls_term *other = ls_not(t, ls_eq(t, term, one));
    return ls_never(x, (const ls_term *[]){s->when, other}, 2);
}

/* Bytes from the (swizzled) row that the matrix starts in to behind its last one, where it starts `within`
 * bytes behind the beginning of that row. */
static uint64_t extent_of(const ls_matrix_layout *l, bool along_k, uint32_t outers, uint32_t pieces,
                          uint64_t within) {
    uint64_t end = 0;
    const ls_matrix_layout plain = {0, l->leading, l->stride, l->row};
    for (uint32_t o = 0; o < outers; o++)
        for (uint32_t c = 0; c < pieces; c++) {
            uint64_t at = ls_matrix_piece(&plain, along_k, o, c);
            at ^= at >> 3 & (uint64_t)(l->row / PIECE - 1) << 4; /* the pieces exchanged back */
            const uint64_t behind = (at + within) / l->row * l->row + l->row;
            if (behind > end) end = behind;
        }
    return end;
}

/* The sum with the variable's address in it that the descriptor was made of; NULL: there is none. */
static const ls_term *sum_with(const ls_term *term, const ls_term *variable, uint32_t depth) {
    enum { MOST_DEPTH = 16 };
    if (term == variable) return term;
    for (uint32_t i = 0; i < term->count && depth < MOST_DEPTH; i++) {
        if (term->op == LS_T_LIN && term->args[i] == variable && term->coefs[i] == 1) return term;
        const ls_term *found = sum_with(term->args[i], variable, depth + 1);
        if (found) return found;
    }
    return NULL;
}

/* The place in its variable, as the sum that it was made of where that is the same: the solver has less to do
 * then. */
static const ls_term *as_sum(const ls_protocol *x, const ls_site *s, const ls_term *descriptor,
                             const ls_term *variable, const ls_term *offset) {
    ls_terms *t = &x->p->terms;
    const ls_term *sum = sum_with(descriptor, variable, 0);
    if (!sum || ls_is_const(offset)) return offset;
    ls_subst subst = {.ctx = t, .replace = as_somewhere, .data = (void *)(uintptr_t)variable};
    const ls_term *there = ls_resize(t, ls_substitute(&subst, sum), 64, false);
    ls_subst_free(&subst);
    const ls_term *plain = ls_sub(t, there, ls_const(t, 64, SOMEWHERE));
    const ls_term *other = ls_not(t, ls_eq(t, plain, offset));
    return ls_never(x, (const ls_term *[]){s->when, other}, 2) ? plain : offset;
}

/* Dynamic shared memory that is all that a kernel has begins where that of the block does, whatever alignment
 * it is declared with (Triton's 'global_smem' has 16): that this is as good as the rows need is said. */
static bool is_aligned(ls_proof *p, const ls_ir_object *object, uint32_t row) {
    uint32_t others = 0;
    if (object->align > SOMEWHERE) return false;
    if (object->align >= row) return true;
    for (uint32_t o = 0; o < p->f->object_count; o++)
        others += p->f->objects[o]->kind == LS_OBJECT_SHARED && p->f->objects[o] != object;
    if (others || !object->is_extern) return false;
    ls_scope_line(p, "assumes that dynamic shared memory is aligned",
                  "assumes that '%s', the kernel's dynamic shared memory, begins at a multiple of %u bytes",
                  object->name, row);
    return true;
}

/* What a descriptor's matrix takes of shared memory. */
static bool read_matrix(ls_protocol *x, ls_site *s, const ls_ir_operand *o, bool along_k, uint32_t rows,
                        uint32_t k, uint32_t bits) {
    static const char unknown[] = "it is not known what this matrix product reads";
    ls_proof *p = x->p;
    ls_terms *t = &p->terms;
    const ls_ir_object *object = NULL;
    const ls_term *whole = ls_operand_of(p->whole, o);
    const ls_term *variable = whole->width == 64 ? variable_of(p, whole, &object) : NULL;
    s->base = variable ? ls_base_at(p, variable, LS_SPACE_SHARED) : NULL;
    if (!s->base) return ls_not_known(x, s->instr, unknown);
    ls_subst subst = {.ctx = t, .replace = as_somewhere, .data = (void *)(uintptr_t)variable};
    const ls_term *d = ls_substitute(&subst, whole);
    ls_subst_free(&subst);
    static const uint8_t shifts[] = {LS_DESCRIPTOR_LEADING, LS_DESCRIPTOR_STRIDE, LS_DESCRIPTOR_BASE,
                                     LS_DESCRIPTOR_SWIZZLE},
                         widths[] = {LS_DESCRIPTOR_OFFSET_BITS, LS_DESCRIPTOR_OFFSET_BITS,
                                     LS_DESCRIPTOR_BASE_BITS, 64 - LS_DESCRIPTOR_SWIZZLE};
    uint64_t bits_of_all = 0, field = 0;
    for (uint32_t f = 0; f < sizeof shifts; f++) {
        if (!is_always(x, s, field_of(t, d, shifts[f], widths[f]), &field))
            return ls_not_known(x, s->instr, unknown);
        bits_of_all |= field << shifts[f];
    }
    ls_matrix_layout l;
    if (!ls_matrix_layout_of(bits_of_all, &l))
        return ls_not_known(x, s->instr, "a matrix descriptor with a base offset is not modelled");
    if (!is_aligned(p, object, l.row))
        return ls_not_known(x, s->instr,
                            "a matrix in a variable that is not aligned to its rows is not modelled");
    const ls_term *start = field_of(t, d, LS_DESCRIPTOR_START, LS_DESCRIPTOR_OFFSET_BITS);
    const ls_term *offset = ls_sub(t, ls_scale(t, start, PIECE), ls_const(t, 64, SOMEWHERE));
    offset = as_sum(x, s, whole, variable, offset);
    uint64_t within = 0;
    bool fixed = is_always(x, s, ls_binary(t, LS_T_AND, offset, ls_const(t, 64, l.row - 1)), &within);
    if (!fixed) within = l.row - PIECE;
    const uint32_t per = 128 / bits;
    s->size =
        along_k ? extent_of(&l, true, rows, k / per, within) : extent_of(&l, false, k, rows / per, within);
    const ls_term *row = fixed ? ls_sub(t, offset, ls_const(t, 64, within))
                               : ls_binary(t, LS_T_AND, offset, ls_const(t, 64, ~(uint64_t)(l.row - 1)));
    s->address = ls_add(t, ls_resize(t, variable, 64, false), row);
    return true;
}

/* --- Groups of warps -------------------------------------------------------------------------------------
 */

/* The threads of a group agree on every branch that decides whether the site is reached. */
static bool come_together(const ls_protocol *x, const ls_site *s) {
    LS_SCRATCH(scratch);
    ls_proof *p = x->p;
    bool *closure = ls_arena_zalloc(&scratch, p->f->block_count + 1),
         together = s->instr->guard.kind == LS_IR_ABSENT;
    ls_control_closure(p, s->node->block, closure);
    for (uint32_t b = 0; b < p->f->block_count && together; b++) {
        if (!closure[b] || !p->divergent_branch[b]) continue;
        ls_query q;
        together = ls_ask_agreement(p, p->f->blocks[b], LS_WARPS_FOUR, &q) == LS_UNSAT;
        ls_query_end(&q);
    }
    return together;
}

static bool add_of_unit(ls_protocol *x, const ls_site *s, uint32_t unit) {
    ls_proof *p = x->p;
    const ls_ir_instr *i = s->instr;
    ls_site part = *s;
    part.unit = unit;
    part.thread_count = 0;
    for (uint32_t w = 0; w < LS_THREAD_WORDS; w++) {
        part.threads[w] = w / 2 == unit && w < LS_MOST_BLOCK / 64 ? s->threads[w] : 0;
        part.thread_count += (uint32_t)__builtin_popcountll(part.threads[w]);
    }
    if (!part.thread_count) return true;
    if (part.thread_count != LS_UNIT_THREADS)
        return ls_not_known(x, i, "no proof that all four warps of a warpgroup reach this together");
    if (part.thread_count != s->thread_count) part.when = ls_and(&p->terms, s->when, ls_is_among(x, &part));
    if (s->kind != LS_SITE_PRODUCT) {
        LS_VEC_PUSH(&x->sites, part);
        return true;
    }
    ls_product_shape of = {0};
    uint32_t a_count = 0, b_count = 0;
    const ls_ir_operand *a = operand_of(i, 1, &a_count), *b = operand_of(i, 2, &b_count);
    bool along[2] = {false, false}, in_registers = a_count > 1;
    if (!ls_product_shape_of(i->form, &of) || !a || !b || b_count != 1 ||
        !is_along_k(i, in_registers ? 6 : 7, &along[1]) || !is_along_k(i, 6, &along[0]))
        return ls_not_known(x, i, "a product of this kind is not modelled");
    if (!read_matrix(x, &part, b, along[1], of.n, of.k, of.bits[1])) return false;
    LS_VEC_PUSH(&x->sites, part);
    if (in_registers) return true;
    if (!read_matrix(x, &part, a, along[0], ROWS, of.k, of.bits[0])) return false;
    LS_VEC_PUSH(&x->sites, part);
    return true;
}

bool ls_add_products(ls_protocol *x, const ls_site *s) {
    const uint32_t *block = x->p->options->block;
    if (!come_together(x, s))
        return ls_not_known(x, s->instr, "no proof that all four warps of a warpgroup reach this together");
    if (block[1] * block[2] > 1 && x->threads > LS_UNIT_THREADS)
        return ls_not_known(x, s->instr, "products in a block of several dimensions are not modelled");
    for (uint32_t unit = 0; unit * LS_UNIT_THREADS < x->threads; unit++)
        if (!add_of_unit(x, s, unit)) return false;
    return true;
}
