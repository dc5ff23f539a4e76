/* Integer instructions on known numbers: what src/isa computes. Constants in the polynomial domain and exact
 * lane vectors go through here. */
#include "analyze/fold.h"

static bool integer_kind(ls_ptx_type type) {
    ls_ptx_type_kind kind = ls_ptx_type_kind_of(type);
    return kind == LS_KIND_SIGNED || kind == LS_KIND_UNSIGNED || kind == LS_KIND_BITS ||
           kind == LS_KIND_PREDICATE;
}

/* Moves. Also cvta, which is left out of isa, as its result depends on where a machine has its windows; here
 * addresses of all spaces are numbers of their own. */
static uint64_t same(const ls_isa *x, const uint64_t *s, uint64_t *more) {
    (void)x, (void)more;
    return s[0];
}

/* The register's width, which is more than the type's where a conversion widens. */
static uint32_t result_bits(const ls_ir_instr *instr) {
    const ls_ir_operand *dst = &instr->dst[0];
    return ls_ptx_type_bits((ls_ptx_type)(dst->value ? dst->value->type : dst->type));
}

bool ls_fold_find(const ls_ir_instr *instr, ls_folder *out) {
    *out = (ls_folder){.instr = instr};
    if (instr->unknown || !instr->dst_count || instr->src_count > LS_ISA_SOURCES) return false;
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (instr->src[i].role != LS_ROLE_DATA || (instr->src[i].flags & LS_OPERAND_MINUS)) return false;
    bool moves = instr->op == LS_OP_MOV || instr->op == LS_OP_SELP;
    if (!moves && !integer_kind((ls_ptx_type)instr->dst[0].type)) return false;
    uint32_t bits = out->bits = result_bits(instr);
    out->count = instr->src_count;
    if (!bits || bits > 64) return false;
    for (uint32_t i = 0; i < instr->src_count; i++) {
        uint32_t width = ls_ptx_type_bits((ls_ptx_type)instr->src[i].type);
        out->masks[i] = width && width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
        out->flips[i] = (instr->src[i].flags & LS_OPERAND_NOT) != 0;
    }
    const bool copies = instr->op == LS_OP_MOV && instr->src_count == 1 && instr->dst_count == 1;
    if (copies || instr->op == LS_OP_CVTA) {
        out->isa.fn = same;
        return instr->src_count == 1 && instr->dst_count == 1;
    }
    return ls_isa_find(&(ls_isa_ask){.form = instr->form,
                                     .ast = instr->ast,
                                     .src_count = (uint8_t)instr->src_count,
                                     .dst_count = (uint8_t)instr->dst_count,
                                     .dst_bits = (uint8_t)bits},
                       &out->isa) &&
           ls_isa_is_exact(&out->isa);
}

int64_t ls_fold(const ls_folder *folder, const int64_t *sources) {
    uint64_t s[LS_ISA_SOURCES] = {0};
    for (uint32_t i = 0; i < folder->count; i++) s[i] = ls_fold_source(folder, i, sources[i]);
    return ls_fold_taken(folder, s);
}
