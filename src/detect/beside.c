/* What goes on beside the threads of a kernel that is watched (MODE_WATCH): copies by cp.async, which write
 * shared memory, and products by wgmma, which read it as their descriptors say. Both set their marks where
 * they start. Those that a barrier finds under way go on in the next interval: so each thread keeps a list of
 * its copies, each warp one of its products, and sets their marks again behind the barrier. Groups and the
 * waits for them shorten the lists. */
#include "detect/redirect.h"
#include "isa/matrix.h"

#include <inttypes.h>
#include <stdio.h>

/* A list: a ring in local memory, and one of where the groups in it end. */
typedef struct {
    const char *name;     /* of the ring */
    char letter;          /* of its registers: %ls_<letter>h, …t, …g: head, tail, groups */
    uint32_t entries;     /* a power of two */
    uint32_t entry_bytes; /* copies: place with the size in its lowest bits, access; products: descriptor … */
} list;                   /* … of B, of A, access, shape of B, of A */

enum { ENDS = 16 };

static const list copies = {"ls_copies", 'c', 64, 8}, products = {"ls_products", 'p', 32, 32};

bool dt_has_products(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->access_count; i++)
        if (k->accesses[i].marked && is_product(k->ir->accesses[i])) return true;
    return false;
}

static bool is_used(const emitter *e, bool product) {
    if (product) return dt_has_products(e->k);
    for (uint32_t i = 0; i < e->k->ir->access_count; i++) {
        const ls_ir_access *a = e->k->ir->accesses[i];
        bool is;
        if (e->k->accesses[i].marked && dt_role_beside(a->instr, &is) == LS_COPY_START && !is &&
            dt_is_under_way(e->k, a))
            return true;
    }
    return false;
}

void dt_emit_beside_declarations(emitter *e) {
    const list *all[] = {&copies, &products};
    for (int i = 0; i < 2; i++) {
        const list *l = all[i];
        if (!is_used(e, i == 1)) continue;
        dt_emit(e, "\t.local .align 16 .b8 %s[%u];", l->name, l->entries * l->entry_bytes);
        dt_emit(e, "\t.local .align 4 .b8 %s_ends[%u];", l->name, 4 * ENDS);
        dt_emit(e, "\t.reg .u32 %%ls_%ch, %%ls_%ct, %%ls_%cg, %%ls_%ci;", l->letter, l->letter, l->letter,
                l->letter);
    }
    if (!dt_has_products(e->k)) return;
    dt_emit(e, "\t.reg .u64 %%ls_of_b, %%ls_of_a, %%ls_of;");
    dt_emit(e, "\t.reg .u32 %%ls_which, %%ls_sequence, %%ls_progress, %%ls_shape_b, %%ls_shape_a, "
               "%%ls_shape, %%ls_n, %%ls_outer, %%ls_piece;");
    dt_emit(e, "\t.reg .u32 %%ls_row, %%ls_core, %%ls_across, %%ls_first, %%ls_total, %%ls_swap, %%ls_bits, "
               "%%ls_skip;");
}

void dt_emit_beside_prologue(emitter *e) {
    const list *all[] = {&copies, &products};
    for (int i = 0; i < 2; i++)
        for (const char *which = "htg"; is_used(e, i == 1) && *which; which++)
            dt_emit(e, "\tmov.u32 %%ls_%c%c, 0;", all[i]->letter, *which);
}

/* %ls_log: the address of the entry whose number is in that register. */
static void emit_entry(emitter *e, const list *l, const char *number) {
    dt_emit(e, "\tand.b32 %%ls_i, %s, %u;", number, l->entries - 1);
    dt_emit(e, "\tmul.wide.u32 %%ls_l, %%ls_i, %u;", l->entry_bytes);
    dt_emit(e, "\tmov.u64 %%ls_log, %s;", l->name);
    dt_emit(e, "\tadd.u64 %%ls_log, %%ls_log, %%ls_l;");
}

/* One more; where the list is full nothing can be said any more. */
static void emit_grown(emitter *e, const list *l) {
    dt_emit(e, "\tadd.u32 %%ls_%ch, %%ls_%ch, 1;", l->letter, l->letter);
    dt_emit(e, "\tsub.u32 %%ls_i, %%ls_%ch, %%ls_%ct;", l->letter, l->letter);
    dt_emit(e, "\tsetp.gt.u32 %%ls_q, %%ls_i, %u;", l->entries);
    dt_emit(e, "\t@%%ls_q mov.u32 %%ls_conflict, %d;", CONFLICT_LANES);
}

/* %ls_place: where the copy goes. */
void dt_emit_departure(emitter *e, const ls_ir_access *a) {
    bool product;
    if (dt_role_beside(a->instr, &product) != LS_COPY_START || product || !dt_is_under_way(e->k, a)) return;
    char number[8];
    uint32_t bytes = a->bytes * a->count;
    snprintf(number, sizeof number, "%%ls_%ch", copies.letter);
    emit_entry(e, &copies, number);
    dt_emit(e, "\tor.b32 %%ls_i, %%ls_place, %u;", bytes > 8 ? 2 : bytes > 4 ? 1 : 0);
    dt_emit(e, "\tmov.u32 %%ls_j, %u;", a->id);
    dt_emit(e, "\tst.local.v2.u32 [%%ls_log], {%%ls_i, %%ls_j};");
    emit_grown(e, &copies);
}

/* --- Products --------------------------------------------------------------------------------------------
 */

enum { ALONG_K = 1 << 30, OF_A = 1 << 31 };

static bool constant_is_set(const ls_ptx_instr *ast, uint32_t operand) {
    return operand < ast->operand_count && ast->operands[operand].kind == LS_OPERAND_INT &&
           ast->operands[operand].value;
}

bool dt_factors_of(const ls_ir_instr *instr, product_factor *a, product_factor *b) {
    const ls_ptx_instr *ast = instr->ast;
    ls_matrix_shape shape;
    if (!ast || instr->unknown || !ls_matrix_shape_of(instr->form, &shape) || ast->operand_count < 4)
        return false;
    bool sparse = ls_ptx_form_has(instr->form, LS_MOD_SP),
         in_registers = ast->operands[1].kind == LS_OPERAND_VECTOR;
    ls_ptx_type type = ls_ptx_form_type(instr->form, 2);
    uint32_t bits = type == LS_TYPE_TF32 ? 32 : ls_ptx_type_bits(type), scale = sparse ? 5 : 3;
    if (!bits || ast->operands[2].kind != LS_OPERAND_REGISTER ||
        (!in_registers && ast->operands[1].kind != LS_OPERAND_REGISTER))
        return false;
    uint32_t per = 128 / bits, turned = scale + 3;
    *a = (product_factor){.descriptor = in_registers ? NULL : &ast->operands[1]};
    *b = (product_factor){.descriptor = &ast->operands[2]};
    if (!in_registers) a->along_k = !constant_is_set(ast, turned++);
    b->along_k = !constant_is_set(ast, turned);
    uint32_t k_of_a = sparse ? shape.k / 2u : shape.k;
    a->across = a->along_k ? k_of_a / per : WARP_ROWS / per, a->lines = a->along_k ? WARP_ROWS : k_of_a;
    b->across = b->along_k ? shape.k / per : shape.n / per, b->lines = b->along_k ? shape.n : shape.k;
    return !(a->across & (a->across - 1)) && b->across && !(b->across & (b->across - 1));
}

bool dt_can_mark_product(const ls_ir_access *access) {
    product_factor a, b;
    return dt_factors_of(access->instr, &a, &b);
}

static uint32_t shape_number(const product_factor *f, bool is_a) {
    return f->descriptor ? (uint32_t)__builtin_ctz(f->across) | f->lines << 8 | (f->along_k ? ALONG_K : 0) |
                               (is_a ? (uint32_t)OF_A : 0)
                         : 0;
}

/* %ls_place: the piece %ls_outer, %ls_piece of the descriptor in %ls_of (emulate/matrix/descriptor.c): lines
 * of eight make a core; rows are of 16, 32, 64 or 128 bytes, of which the latter three are swizzled. */
static void emit_piece(emitter *e) {
    dt_emit(e, "\tshr.u64 %%ls_l, %%ls_of, 62;");
    dt_emit(e, "\tcvt.u32.u64 %%ls_x, %%ls_l;");
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_x, 0;");
    dt_emit(e, "\tsub.u32 %%ls_row, 8, %%ls_x;");
    dt_emit(e, "\tselp.u32 %%ls_row, 4, %%ls_row, %%ls_p;"); /* its exponent */
    for (int i = 0; i < 2; i++) { /* between cores: stride; between pieces: leading */
        dt_emit(e, "\tshr.u64 %%ls_l, %%ls_of, %d;", i ? 16 : 32);
        dt_emit(e, "\tcvt.u32.u64 %%ls_m%d, %%ls_l;", i);
        dt_emit(e, "\tand.b32 %%ls_m%d, %%ls_m%d, 0x3fff;", i, i);
        dt_emit(e, "\tshl.b32 %%ls_m%d, %%ls_m%d, 4;", i, i);
    }
    dt_emit(e, "\tand.b32 %%ls_swap, %%ls_shape, %d;", ALONG_K); /* neither along k nor swizzled: exchanged */
    dt_emit(e, "\tsetp.eq.and.u32 %%ls_p, %%ls_swap, 0, %%ls_p;");
    dt_emit(e, "\tselp.u32 %%ls_w0, %%ls_m1, %%ls_m0, %%ls_p;");
    dt_emit(e, "\tselp.u32 %%ls_w1, %%ls_m0, %%ls_m1, %%ls_p;");
    dt_emit(e, "\tshr.u32 %%ls_core, %%ls_outer, 3;");
    dt_emit(e, "\tmul.lo.u32 %%ls_place, %%ls_core, %%ls_w0;");
    dt_emit(e, "\tand.b32 %%ls_y, %%ls_outer, 7;");
    dt_emit(e, "\tshl.b32 %%ls_y, %%ls_y, %%ls_row;");
    dt_emit(e, "\tadd.u32 %%ls_place, %%ls_place, %%ls_y;");
    dt_emit(e, "\tsub.u32 %%ls_row, %%ls_row, 4;");
    dt_emit(e, "\tshr.u32 %%ls_y, %%ls_piece, %%ls_row;");
    dt_emit(e, "\tmad.lo.u32 %%ls_place, %%ls_y, %%ls_w1, %%ls_place;");
    dt_emit(e, "\tmov.u32 %%ls_x, 1;");
    dt_emit(e, "\tshl.b32 %%ls_x, %%ls_x, %%ls_row;");
    dt_emit(e, "\tsub.u32 %%ls_x, %%ls_x, 1;");
    dt_emit(e, "\tand.b32 %%ls_y, %%ls_piece, %%ls_x;");
    dt_emit(e, "\tmad.lo.u32 %%ls_place, %%ls_y, 16, %%ls_place;");
    dt_emit(e, "\tcvt.u32.u64 %%ls_y, %%ls_of;");
    dt_emit(e, "\tand.b32 %%ls_y, %%ls_y, 0x3fff;");
    dt_emit(e, "\tmad.lo.u32 %%ls_place, %%ls_y, 16, %%ls_place;");
    dt_emit(e, "\tshr.u32 %%ls_y, %%ls_place, 3;");
    dt_emit(e, "\tshl.b32 %%ls_x, %%ls_x, 4;");
    dt_emit(e, "\tand.b32 %%ls_y, %%ls_y, %%ls_x;");
    dt_emit(e, "\txor.b32 %%ls_place, %%ls_place, %%ls_y;");
}

/* All pieces of the factor in %ls_of and %ls_shape, by the lanes in turn. Those of B are read by all warps of
 * the group, so that each marks a quarter of them for all; in a log each has its own. A shape of 0 has none.
 */
static void emit_factor(emitter *e) {
    uint32_t label = ++e->labels;
    dt_emit(e, "\tand.b32 %%ls_across, %%ls_shape, 255;");
    dt_emit(e, "\tbfe.u32 %%ls_total, %%ls_shape, 8, 16;");
    dt_emit(e, "\tshl.b32 %%ls_total, %%ls_total, %%ls_across;");
    dt_emit(e, "\tand.b32 %%ls_first, %%ls_warp, 3;"); /* of A: the warp's rows */
    dt_emit(e, "\tshr.u32 %%ls_x, %%ls_shape, 31;");
    dt_emit(e, "\tmul.lo.u32 %%ls_first, %%ls_first, %%ls_x;");
    dt_emit(e, "\tmov.u32 %%ls_n, %%ls_lane;");
    dt_emit(e, "\tmov.u32 %%ls_skip, 32;");
    dt_emit_bits_of_group(e);
    dt_emit(e, "\tsetp.lt.s32 %%ls_p, %%ls_shape, 0;"); /* A */
    dt_emit(e, "\t@%%ls_p mov.u32 %%ls_bits, %%ls_bit1;");
    if (!e->o->log) {
        dt_emit(e, "\tand.b32 %%ls_x, %%ls_warp, 3;");
        dt_emit(e, "\t@!%%ls_p mad.lo.u32 %%ls_n, %%ls_x, 32, %%ls_n;");
        dt_emit(e, "\t@!%%ls_p mov.u32 %%ls_skip, 128;");
    }
    dt_emit(e, "$LS_PIECE%u:", label);
    dt_emit(e, "\tsetp.ge.u32 %%ls_p, %%ls_n, %%ls_total;");
    dt_emit(e, "\t@%%ls_p bra $LS_PIECES%u;", label);
    dt_emit(e, "\tshr.u32 %%ls_outer, %%ls_n, %%ls_across;");
    dt_emit(e, "\tshl.b32 %%ls_x, %%ls_outer, %%ls_across;");
    dt_emit(e, "\tsub.u32 %%ls_piece, %%ls_n, %%ls_x;");
    dt_emit(e, "\tand.b32 %%ls_x, %%ls_shape, %d;", ALONG_K);
    dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_x, 0;");
    dt_emit(e, "\t@%%ls_p mad.lo.u32 %%ls_outer, %%ls_first, %d, %%ls_outer;", WARP_ROWS);
    dt_emit(e, "\tshl.b32 %%ls_x, %%ls_first, %%ls_across;");
    dt_emit(e, "\t@!%%ls_p add.u32 %%ls_piece, %%ls_x, %%ls_piece;");
    emit_piece(e);
    dt_emit_mark_at(e, "%ls_which", LS_ACCESS_READ, 4, "%ls_bits");
    dt_emit(e, "\tadd.u32 %%ls_n, %%ls_n, %%ls_skip;");
    dt_emit(e, "\tbra $LS_PIECE%u;", label);
    dt_emit(e, "$LS_PIECES%u:", label);
    dt_emit(e, "\tshr.u64 %%ls_l, %%ls_of, 49;"); /* a base offset is not known here */
    dt_emit(e, "\tcvt.u32.u64 %%ls_x, %%ls_l;");
    dt_emit(e, "\tand.b32 %%ls_x, %%ls_x, 7;");
    dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_x, 0;");
    dt_emit(e, "\t@%%ls_p mov.u32 %%ls_conflict, %d;", CONFLICT_LANES);
}

/* Both factors of the product in %ls_of_b, %ls_of_a, %ls_shape_b, %ls_shape_a, %ls_which: one, then the
 * other; each has its turn once. */
static void emit_factors(emitter *e) {
    uint32_t label = ++e->labels;
    dt_emit(e, "\tmov.u64 %%ls_of, %%ls_of_b;");
    dt_emit(e, "\tmov.u32 %%ls_shape, %%ls_shape_b;");
    dt_emit(e, "$LS_FACTOR%u:", label);
    emit_factor(e);
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_shape_a, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_FACTORS%u;", label);
    dt_emit(e, "\tmov.u64 %%ls_of, %%ls_of_a;");
    dt_emit(e, "\tmov.u32 %%ls_shape, %%ls_shape_a;");
    dt_emit(e, "\tmov.u32 %%ls_shape_a, 0;");
    dt_emit(e, "\tbra $LS_FACTOR%u;", label);
    dt_emit(e, "$LS_FACTORS%u:", label);
}

void dt_emit_product(emitter *e, const ls_ir_access *access) {
    product_factor a, b;
    char number[8];
    if (!dt_factors_of(access->instr, &a, &b)) return;
    dt_emit(e, "\tmov.u64 %%ls_of_b, %s;", b.descriptor->symbol->name);
    dt_emit(e, "\tmov.u64 %%ls_of_a, %s;", a.descriptor ? a.descriptor->symbol->name : "0");
    dt_emit(e, "\tmov.u32 %%ls_shape_b, 0x%x;", shape_number(&b, false));
    dt_emit(e, "\tmov.u32 %%ls_shape_a, 0x%x;", shape_number(&a, true));
    dt_emit(e, "\tmov.u32 %%ls_which, %u;", access->id);
    snprintf(number, sizeof number, "%%ls_%ch", products.letter);
    dt_emit(e, "\tmov.u32 %%ls_sequence, %s;", number);
    emit_entry(e, &products, number);
    dt_emit(e, "\tst.local.v2.u64 [%%ls_log], {%%ls_of_b, %%ls_of_a};");
    dt_emit(e, "\tst.local.v4.u32 [%%ls_log+16], {%%ls_which, %%ls_shape_b, %%ls_shape_a, %%ls_which};");
    emit_grown(e, &products);
    emit_factors(e);
}

/* In a log: the number of the product among its warp's; of others, how many products the warp has begun and,
 * in the upper half, how many it knows to have ended. The warps of a group execute them together: what one of
 * them has waited for has ended for all. */
void dt_emit_progress(emitter *e, bool product) {
    if (product) {
        dt_emit(e, "\tmov.u32 %%ls_progress, %%ls_sequence;");
        return;
    }
    dt_emit(e, "\tshl.b32 %%ls_progress, %%ls_%ct, 16;", products.letter);
    dt_emit(e, "\tbfi.b32 %%ls_progress, %%ls_%ch, %%ls_progress, 0, 16;", products.letter);
}

/* --- Groups and barriers -----------------------------------------------------------------------------------
 */

static void emit_end_place(emitter *e, const list *l) {
    dt_emit(e, "\tand.b32 %%ls_i, %%ls_i, %d;", ENDS - 1);
    dt_emit(e, "\tmul.wide.u32 %%ls_l, %%ls_i, 4;");
    dt_emit(e, "\tmov.u64 %%ls_log, %s_ends;", l->name);
    dt_emit(e, "\tadd.u64 %%ls_log, %%ls_log, %%ls_l;");
}

/* Behind an instruction that ends a group or waits for some. */
void dt_emit_groups(emitter *e, const ls_ir_instr *instr) {
    bool product;
    ls_ptx_copy role = dt_role_beside(instr, &product);
    if ((role != LS_COPY_COMMIT && role != LS_COPY_WAIT && role != LS_COPY_WAIT_ALL) || !e->o->marks ||
        !is_used(e, product))
        return;
    const list *l = product ? &products : &copies;
    const ls_ptx_operand *left = instr->ast->operand_count ? &instr->ast->operands[0] : NULL;
    uint32_t skip = ++e->labels;
    dt_skip_unless_guarded(e, instr->ast, "NOGROUP", skip);
    if (role == LS_COPY_COMMIT) {
        dt_emit(e, "\tmov.u32 %%ls_i, %%ls_%cg;", l->letter);
        emit_end_place(e, l);
        dt_emit(e, "\tst.local.u32 [%%ls_log], %%ls_%ch;", l->letter);
        dt_emit(e, "\tadd.u32 %%ls_%cg, %%ls_%cg, 1;", l->letter, l->letter);
    } else if (role == LS_COPY_WAIT_ALL) {
        dt_emit(e, "\tmov.u32 %%ls_%ct, %%ls_%ch;", l->letter, l->letter);
    } else if (left && left->kind == LS_OPERAND_INT && left->value < ENDS) {
        dt_emit(e, "\tsetp.le.u32 %%ls_p, %%ls_%cg, %" PRIu64 ";", l->letter, left->value);
        dt_emit(e, "\t@%%ls_p bra $LS_NOGROUP%u;", skip);
        dt_emit(e, "\tsub.u32 %%ls_i, %%ls_%cg, %" PRIu64 ";", l->letter, left->value + 1);
        emit_end_place(e, l);
        dt_emit(e, "\tld.local.u32 %%ls_i, [%%ls_log];");
        dt_emit(e, "\tmax.u32 %%ls_%ct, %%ls_%ct, %%ls_i;", l->letter, l->letter);
    }
    dt_emit(e, "$LS_NOGROUP%u:", skip);
}

static void emit_copies_again(emitter *e) {
    dt_emit(e, "\tld.local.v2.u32 {%%ls_place, %%ls_slot}, [%%ls_log];");
    dt_emit(e, "\tand.b32 %%ls_turn, %%ls_place, 3;");
    dt_emit(e, "\tand.b32 %%ls_place, %%ls_place, -4;");
    for (uint32_t size = 0; size < 3; size++) {
        uint32_t label = ++e->labels;
        dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_turn, %u;", size);
        dt_emit(e, "\t@%%ls_p bra $LS_SIZE%u;", label);
        dt_emit_mark_at(e, "%ls_slot", LS_ACCESS_WRITE, 1u << size, NULL);
        dt_emit(e, "$LS_SIZE%u:", label);
    }
}

static void emit_products_again(emitter *e) {
    dt_emit(e, "\tld.local.v2.u64 {%%ls_of_b, %%ls_of_a}, [%%ls_log];");
    dt_emit(e, "\tld.local.v4.u32 {%%ls_which, %%ls_shape_b, %%ls_shape_a, %%ls_x}, [%%ls_log+16];");
    dt_emit(e, "\tmov.u32 %%ls_sequence, %%ls_%ci;", products.letter);
    emit_factors(e);
}

/* Whether some may be under way at the barrier. */
static bool is_there(const emitter *e, const ls_ir_instr *barrier, bool product) {
    const region *r = &e->k->regions[e->k->region_of_barrier[barrier->id]];
    for (uint32_t i = 0; i < e->k->ir->access_count; i++) {
        const ls_ir_instr *instr = e->k->ir->accesses[i]->instr;
        bool is;
        if (e->k->accesses[i].marked && dt_role_beside(instr, &is) == LS_COPY_START && is == product &&
            ls_bitset_has(&r->late, instr->id))
            return true;
    }
    return false;
}

/* Behind a barrier, once the marks are those of the new interval. */
void dt_emit_beside_again(emitter *e, const ls_ir_instr *barrier) {
    const list *all[] = {&copies, &products};
    for (int i = 0; i < 2; i++) {
        const list *l = all[i];
        char number[8];
        uint32_t label = ++e->labels;
        if (!is_used(e, i == 1) || !is_there(e, barrier, i == 1)) continue;
        snprintf(number, sizeof number, "%%ls_%ci", l->letter);
        dt_emit(e, "\tmov.u32 %s, %%ls_%ct;", number, l->letter);
        dt_emit(e, "$LS_AGAIN%u:", label);
        dt_emit(e, "\tsetp.ge.u32 %%ls_p, %s, %%ls_%ch;", number, l->letter);
        dt_emit(e, "\t@%%ls_p bra $LS_BEHIND%u;", label);
        emit_entry(e, l, number);
        (i ? emit_products_again : emit_copies_again)(e);
        dt_emit(e, "\tadd.u32 %s, %s, 1;", number, number);
        dt_emit(e, "\tbra $LS_AGAIN%u;", label);
        dt_emit(e, "$LS_BEHIND%u:", label);
    }
}
