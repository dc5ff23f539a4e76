/* Decoding of Blackwell's tcgen05 (matrix/tcgen05.h). Not modelled: products of two blocks, with scales,
 * sparse, of the .ws form, with lanes left out; shifts; loads with a reduction, and of the shapes 16x64b and
 * 16x32bx2. */
#include "emulate/matrix/tcgen05.h"
#include "emulate/async/mbarrier.h"
#include "emulate/decode/decode.h"

#include <stdio.h>

static mem_access *access_to(decoder *d, const ls_ir_operand *address, bool write) {
    mem_access *m = em_new_access(d, address, 4, 1);
    m->space = LS_SPACE_SHARED; /* behind which tensor memory stands */
    m->write = write;
    m->opaque = m->async = true;
    m->value[0] = em_constant(d, 0, 4);
    d->e->agents = d->e->tensor_memory = true;
    return m;
}

/* --- Space --- */
static bool decode_alloc(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count != 2) return false;
    tensor_space *x = LS_NEW(d->arena, tensor_space);
    x->columns = em_source(d, &in->src[1], 4);
    x->access = em_new_access(d, &in->src[0], 4, 1);
    if (x->access->space != LS_SPACE_GENERIC) x->access->space = LS_SPACE_SHARED;
    x->access->write = true;
    x->access->atomic = x->access->opaque = true; /* by which proxy it is written, the manual does not say */
    x->access->value[0] = em_constant(d, 0, 4);
    x->pair = ls_ptx_form_has(in->form, LS_MOD_CTA_GROUP_2);
    d->e->agents = d->e->tensor_memory = true;
    em_emit(d, em_exec_tensor_alloc)->extra = x;
    return true;
}

static bool decode_free(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count != 2) return false;
    tensor_space *x = LS_NEW(d->arena, tensor_space);
    x->address = em_source(d, &in->src[0], 4);
    x->columns = em_source(d, &in->src[1], 4);
    x->access = access_to(d, &in->src[0], true);
    em_emit(d, em_exec_tensor_free)->extra = x;
    return true;
}

/* --- Moves --- */
/* 32x32b, 16x128b, 16x256b, and how often. */
static bool shape_of(const ls_ptx_form *form, uint32_t *rows, uint32_t *bits, uint32_t *times) {
    char rest;
    *rows = *bits = *times = 0;
    for (uint32_t k = 0; k < form->modifier_count; k++) {
        const char *text = form->modifier_texts[k];
        uint32_t a, b;
        if (sscanf(text, "%ux%ub%c", &a, &b, &rest) == 2)
            *rows = a, *bits = b;
        else if (sscanf(text, "x%u%c", &a, &rest) == 1)
            *times = a;
    }
    return *rows && *times;
}

static bool decode_move(decoder *d, bool store) {
    const ls_ir_instr *in = d->instr;
    uint32_t rows, bits, times, count;
    if (!in->src_count || !shape_of(in->form, &rows, &bits, &times)) return false;
    if (ls_ptx_form_has(in->form, LS_MOD_PACK_16B) || ls_ptx_form_has(in->form, LS_MOD_UNPACK_16B))
        return false;
    if (!(rows == 32 && bits == 32) && !(rows == 16 && (bits == 128 || bits == 256))) return false;
    const ls_ir_operand *from = em_operand_group(in, 1, &count);
    if (!store) count = in->dst_count;
    if (count != rows * bits / 1024 * times || (store && !from)) return false;
    tensor_move *x = LS_NEW(d->arena, tensor_move);
    x->rows = (uint8_t)rows, x->words = (uint8_t)(bits / 32), x->count = count;
    x->value = LS_NEW_N(d->arena, operand, count);
    for (uint32_t k = 0; k < count; k++)
        x->value[k] = store                          ? em_source(d, &from[k], 4)
                      : in->dst[k].kind == LS_IR_REG ? em_register(d, in->dst[k].reg)
                                                     : (operand){em_new_slot(d, 4), 4};
    x->access = access_to(d, &in->src[0], store);
    x->units = d->touch;
    em_emit(d, store ? em_exec_tensor_put : em_exec_tensor_get)->extra = x;
    return true;
}

/* --- Products and copies --- */
static bool decode_mma(decoder *d) {
    static const uint16_t kinds[] = {LS_MOD_KIND_F16, LS_MOD_KIND_TF32, LS_MOD_KIND_F8F6F4, LS_MOD_KIND_I8};
    static const uint16_t not_modelled[] = {LS_MOD_CTA_GROUP_2, LS_MOD_WS, LS_MOD_SP, LS_MOD_BLOCK_SCALE,
                                            LS_MOD_ASHIFT};
    const ls_ir_instr *in = d->instr;
    tensor_product *x = LS_NEW(d->arena, tensor_product);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (ls_ptx_form_has(in->form, (ls_ptx_modifier)kinds[k])) x->kind = kinds[k];
    for (size_t k = 0; k < sizeof not_modelled / sizeof *not_modelled; k++)
        if (ls_ptx_form_has(in->form, (ls_ptx_modifier)not_modelled[k])) return false;
    if (!x->kind || in->src_count != 5) return false;
    const ls_ir_operand *a = &in->src[1];
    const bool in_shared = a->kind == LS_IR_REG && em_register_bits(d, a->reg) == 64;
    if (in_shared) x->first = em_source(d, a, 8);
    x->second = em_source(d, &in->src[2], 8);
    x->what = em_source(d, &in->src[3], 4);
    x->adds = em_source(d, &in->src[4], WIDTH_PRED);
    if (!in_shared) x->a = access_to(d, a, false);
    x->shared = access_to(d, &in->src[2], false);
    x->d = access_to(d, &in->src[0], true);
    em_emit(d, em_exec_tensor_product)->extra = x;
    return true;
}

static const struct {
    const char *shape, *to; /* to: how rows are repeated, or NULL */
    tensor_copy of;
} copies[] = {{"128x256b", NULL, {.rows = 128, .pieces = 2, .lanes = 128, .of = {0, 1, 2, 3}}},
              {"128x128b", NULL, {.rows = 128, .pieces = 1, .lanes = 128, .of = {0, 1, 2, 3}}},
              {"64x128b", "warpx2::02_13", {.rows = 64, .pieces = 1, .lanes = 128, .of = {0, 1, 0, 1}}},
              {"64x128b", "warpx2::01_23", {.rows = 64, .pieces = 1, .lanes = 128, .of = {0, 0, 1, 1}}},
              {"32x128b", "warpx4", {.rows = 32, .pieces = 1, .lanes = 128, .of = {0, 0, 0, 0}}},
              {"4x256b", NULL, {.rows = 4, .pieces = 2, .lanes = 4, .of = {0}}}};

static bool has_text(const ls_ptx_form *form, const char *text) {
    for (uint32_t k = 0; k < form->modifier_count; k++)
        if (!strcmp(form->modifier_texts[k], text)) return true;
    return false;
}

static bool decode_cp(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count != 2 || ls_ptx_form_has(in->form, LS_MOD_CTA_GROUP_2)) return false;
    for (uint32_t k = 0; k < in->form->modifier_count; k++) /* with a conversion */
        if (strstr(in->form->modifier_texts[k], "_p")) return false;
    for (size_t k = 0; k < sizeof copies / sizeof *copies; k++) {
        if (!has_text(in->form, copies[k].shape)) continue;
        if (copies[k].to && !has_text(in->form, copies[k].to)) continue;
        tensor_copy *x = LS_NEW(d->arena, tensor_copy);
        *x = copies[k].of;
        x->descriptor = em_source(d, &in->src[1], 8);
        x->shared = access_to(d, &in->src[1], false);
        x->to = access_to(d, &in->src[0], true);
        em_emit(d, em_exec_tensor_fill)->extra = x;
        return true;
    }
    return false;
}

/* --- Order --- */
static void emit_fence(decoder *d, bool before) {
    ls_order *order = LS_NEW(d->arena, ls_order);
    *order = (ls_order){.strong = true, .releases = before, .acquires = !before, .scope = LS_REACH_CLUSTER};
    em_emit(d, em_exec_tensor_order)->extra = order;
}

bool em_decode_tcgen05(decoder *d) {
    switch (d->instr->op) {
    case LS_OP_TCGEN05_ALLOC: return decode_alloc(d);
    case LS_OP_TCGEN05_DEALLOC: return decode_free(d);
    case LS_OP_TCGEN05_RELINQUISH: em_emit(d, em_exec_tensor_close); return true;
    case LS_OP_TCGEN05_LD: return decode_move(d, false);
    case LS_OP_TCGEN05_ST: return decode_move(d, true);
    case LS_OP_TCGEN05_WAIT_LD: em_emit(d, em_exec_tensor_wait)->aux = QUEUE_TENSOR_LOAD; return true;
    case LS_OP_TCGEN05_WAIT_ST: em_emit(d, em_exec_tensor_wait)->aux = QUEUE_TENSOR_STORE; return true;
    case LS_OP_TCGEN05_MMA: return decode_mma(d);
    case LS_OP_TCGEN05_CP: return decode_cp(d);
    case LS_OP_TCGEN05_COMMIT: return em_decode_tensor_commit(d);
    case LS_OP_TCGEN05_FENCE_BEFORE: emit_fence(d, true); return true;
    case LS_OP_TCGEN05_FENCE_AFTER: emit_fence(d, false); return true;
    default: return false;
    }
}
