/* Which vector loop an instruction is, if any: one table of opcode, type and the modifiers that must be
 * there. Everything that is not found here runs as a scalar instruction (scalar_table.c). */
#include "emulate/decode/decode.h"

enum { /* what the form must have, exactly */
       NEED_LO = 1,
       NEED_HI = 2,
       NEED_WIDE = 4,
       NEED_FTZ = 8,
       NEED_FULL = 16, /* of divisions */
       NEED_APPROX = 32,
};

typedef struct {
    uint16_t op;
    uint8_t type;
    uint8_t need;
    uint16_t lane;
    bool swap; /* the sources change places */
} rule;

#define R(op, type, need, lane) {LS_OP_##op, LS_TYPE_##type, need, LANE_##lane, false}
#define INT3(op, w, need, lane) R(op, U##w, need, lane), R(op, S##w, need, lane), R(op, B##w, need, lane)

static const rule rules[] = {
    INT3(ADD, 32, 0, ADD_32),
    INT3(ADD, 64, 0, ADD_64),
    INT3(ADD, 16, 0, ADD_16),
    INT3(SUB, 32, 0, SUB_32),
    INT3(SUB, 64, 0, SUB_64),
    INT3(SUB, 16, 0, SUB_16),
    INT3(MUL, 32, NEED_LO, MUL_LO_32),
    INT3(MUL, 64, NEED_LO, MUL_LO_64),
    INT3(MUL, 16, NEED_LO, MUL_LO_16),
    R(MUL, U32, NEED_HI, MUL_HI_U32),
    R(MUL, S32, NEED_HI, MUL_HI_S32),
    R(MUL, U64, NEED_HI, MUL_HI_U64),
    R(MUL, S64, NEED_HI, MUL_HI_S64),
    R(MUL, U32, NEED_WIDE, MUL_WIDE_U32),
    R(MUL, S32, NEED_WIDE, MUL_WIDE_S32),
    R(MUL, U16, NEED_WIDE, MUL_WIDE_U16),
    R(MUL, S16, NEED_WIDE, MUL_WIDE_S16),
    INT3(MAD, 32, NEED_LO, MAD_LO_32),
    INT3(MAD, 64, NEED_LO, MAD_LO_64),
    INT3(MAD, 16, NEED_LO, MAD_LO_16),
    R(MAD, U32, NEED_HI, MAD_HI_U32),
    R(MAD, S32, NEED_HI, MAD_HI_S32),
    R(MAD, U32, NEED_WIDE, MAD_WIDE_U32),
    R(MAD, S32, NEED_WIDE, MAD_WIDE_S32),
    R(MAD, U16, NEED_WIDE, MAD_WIDE_U16),
    R(MAD, S16, NEED_WIDE, MAD_WIDE_S16),
    R(MIN, U32, 0, MIN_U32),
    R(MIN, S32, 0, MIN_S32),
    R(MIN, U64, 0, MIN_U64),
    R(MIN, S64, 0, MIN_S64),
    R(MAX, U32, 0, MAX_U32),
    R(MAX, S32, 0, MAX_S32),
    R(MAX, U64, 0, MAX_U64),
    R(MAX, S64, 0, MAX_S64),
    R(ABS, S32, 0, ABS_32),
    R(ABS, S64, 0, ABS_64),
    R(NEG, S32, 0, NEG_32),
    R(NEG, S64, 0, NEG_64),
    R(NEG, S16, 0, NEG_16),
    R(DIV, U32, 0, DIV_U32),
    R(DIV, S32, 0, DIV_S32),
    R(REM, U32, 0, REM_U32),
    R(REM, S32, 0, REM_S32),
    R(DIV, U64, 0, DIV_U64),
    R(DIV, S64, 0, DIV_S64),
    R(REM, U64, 0, REM_U64),
    R(REM, S64, 0, REM_S64),
    R(BREV, B32, 0, BREV_32),
    R(BFE, U32, 0, BFE_U32),
    R(BFE, S32, 0, BFE_S32),
    R(AND, B32, 0, AND_32),
    R(AND, B64, 0, AND_64),
    R(AND, B16, 0, AND_32),
    R(AND, PRED, 0, AND_PRED),
    R(OR, B32, 0, OR_32),
    R(OR, B64, 0, OR_64),
    R(OR, B16, 0, OR_32),
    R(OR, PRED, 0, OR_PRED),
    R(XOR, B32, 0, XOR_32),
    R(XOR, B64, 0, XOR_64),
    R(XOR, B16, 0, XOR_32),
    R(XOR, PRED, 0, XOR_PRED),
    R(NOT, B32, 0, NOT_32),
    R(NOT, B64, 0, NOT_64),
    R(NOT, B16, 0, NOT_16),
    R(NOT, PRED, 0, NOT_PRED),
    R(SHL, B32, 0, SHL_32),
    R(SHL, B64, 0, SHL_64),
    R(SHL, B16, 0, SHL_16),
    R(SHR, B32, 0, SHR_U32),
    R(SHR, U32, 0, SHR_U32),
    R(SHR, S32, 0, SHR_S32),
    R(SHR, B64, 0, SHR_U64),
    R(SHR, U64, 0, SHR_U64),
    R(SHR, S64, 0, SHR_S64),
    R(SHR, B16, 0, SHR_U16),
    R(SHR, U16, 0, SHR_U16),
    R(SHR, S16, 0, SHR_S16),
    R(POPC, B32, 0, POPC_32),
    R(POPC, B64, 0, POPC_64),
    R(CLZ, B32, 0, CLZ_32),
    R(CLZ, B64, 0, CLZ_64),
    R(ADD, F32, 0, ADD_F32),
    R(SUB, F32, 0, SUB_F32),
    R(MUL, F32, 0, MUL_F32),
    R(FMA, F32, 0, FMA_F32),
    R(MAD, F32, 0, FMA_F32),
    R(DIV, F32, 0, DIV_F32),
    R(DIV, F32, NEED_FULL, DIV_FULL_F32),
    R(DIV, F32, NEED_APPROX, DIV_APPROX_F32),
    R(SQRT, F32, 0, SQRT_F32),
    R(RCP, F32, 0, RCP_F32),
    R(RSQRT, F32, 0, RSQRT_F32),
    R(MIN, F32, 0, MIN_F32),
    R(MAX, F32, 0, MAX_F32),
    R(NEG, F32, 0, NEG_F32),
    R(ABS, F32, 0, ABS_F32),
    R(ADD, F32, NEED_FTZ, ADD_FTZ_F32),
    R(SUB, F32, NEED_FTZ, SUB_FTZ_F32),
    R(MUL, F32, NEED_FTZ, MUL_FTZ_F32),
    R(FMA, F32, NEED_FTZ, FMA_FTZ_F32),
    R(MAD, F32, NEED_FTZ, FMA_FTZ_F32),
    R(DIV, F32, NEED_FTZ, DIV_FTZ_F32),
    R(DIV, F32, NEED_FULL | NEED_FTZ, DIV_FULL_FTZ_F32),
    R(DIV, F32, NEED_APPROX | NEED_FTZ, DIV_APPROX_FTZ_F32),
    R(SQRT, F32, NEED_FTZ, SQRT_FTZ_F32),
    R(RCP, F32, NEED_FTZ, RCP_FTZ_F32),
    R(RSQRT, F32, NEED_FTZ, RSQRT_FTZ_F32),
    R(MIN, F32, NEED_FTZ, MIN_FTZ_F32),
    R(MAX, F32, NEED_FTZ, MAX_FTZ_F32),
    R(EX2, F32, 0, EX2_F32),
    R(LG2, F32, 0, LG2_F32),
    R(EX2, F32, NEED_FTZ, EX2_FTZ_F32),
    R(LG2, F32, NEED_FTZ, LG2_FTZ_F32),
    R(ADD, F16, 0, ADD_F16),
    R(SUB, F16, 0, SUB_F16),
    R(MUL, F16, 0, MUL_F16),
    R(FMA, F16, 0, FMA_F16),
    R(MIN, F16, 0, MIN_F16),
    R(MAX, F16, 0, MAX_F16),
    R(ADD, F16X2, 0, ADD_F16X2),
    R(SUB, F16X2, 0, SUB_F16X2),
    R(MUL, F16X2, 0, MUL_F16X2),
    R(FMA, F16X2, 0, FMA_F16X2),
    R(MIN, F16X2, 0, MIN_F16X2),
    R(MAX, F16X2, 0, MAX_F16X2),
    R(MIN, F64, 0, MIN_F64),
    R(MAX, F64, 0, MAX_F64),
    R(ADD, F64, 0, ADD_F64),
    R(SUB, F64, 0, SUB_F64),
    R(MUL, F64, 0, MUL_F64),
    R(FMA, F64, 0, FMA_F64),
    R(MAD, F64, 0, FMA_F64),
    R(DIV, F64, 0, DIV_F64),
    R(SQRT, F64, 0, SQRT_F64),
    R(RCP, F64, 0, RCP_F64),
    R(NEG, F64, 0, NEG_F64),
    R(ABS, F64, 0, ABS_F64),
    R(SAD, U32, 0, SAD_U32),
    R(SAD, S32, 0, SAD_S32),
    R(MUL24, U32, NEED_LO, MUL24_LO_U32),
    R(MUL24, S32, NEED_LO, MUL24_LO_S32),
    R(MAD24, U32, NEED_LO, MAD24_LO_U32),
    R(MAD24, S32, NEED_LO, MAD24_LO_S32),
    R(SELP, B32, 0, SELP_32),
    R(SELP, U32, 0, SELP_32),
    R(SELP, S32, 0, SELP_32),
    R(SELP, F32, 0, SELP_32),
    R(SELP, B16, 0, SELP_32),
    R(SELP, U16, 0, SELP_32),
    R(SELP, S16, 0, SELP_32),
    R(SELP, B64, 0, SELP_64),
    R(SELP, U64, 0, SELP_64),
    R(SELP, S64, 0, SELP_64),
    R(SELP, F64, 0, SELP_64),
};

/* Modifiers under which the plain loop is not what is meant. */
static bool is_special(const ls_ptx_form *form) {
    static const uint16_t unusual[] = {LS_MOD_SAT,        LS_MOD_CC,      LS_MOD_RELU,
                                       LS_MOD_NAN_RESULT, LS_MOD_XORSIGN, LS_MOD_OOB};
    for (size_t i = 0; i < sizeof unusual / sizeof *unusual; i++)
        if (ls_ptx_form_has(form, (ls_ptx_modifier)unusual[i])) return true;
    return form->round == LS_MOD_RZ || form->round == LS_MOD_RM || form->round == LS_MOD_RP;
}

typedef struct {
    uint16_t compare;
    uint16_t f32, f64;
    uint16_t u32, s32, u64, s64;
    bool swap;
} comparison;

#define ROW(how, f, u, s, swap)                                                                              \
    {LS_MOD_##how, LANE_##f##_F32, LANE_##f##_F64, LANE_##u##32,                                             \
     LANE_##s##32, LANE_##u##64,   LANE_##s##64,   swap}
#define FLOAT(how, f, swap) {LS_MOD_##how, LANE_##f##_F32, LANE_##f##_F64, 0, 0, 0, 0, swap}
#define UNSIGNED(how, u, swap)                                                                               \
    {LS_MOD_##how, 0, 0, LANE_##u##32, LANE_##u##32, LANE_##u##64, LANE_##u##64, swap}

static const comparison comparisons[] = {
    ROW(EQ, EQ, EQ_, EQ_, false),   ROW(NE, NE, NE_, NE_, false),  ROW(LT, LT, LT_U, LT_S, false),
    ROW(LE, LE, LE_U, LE_S, false), ROW(GT, LT, LT_U, LT_S, true), ROW(GE, LE, LE_U, LE_S, true),
    UNSIGNED(LO, LT_U, false),      UNSIGNED(LS, LE_U, false),     UNSIGNED(HI, LT_U, true),
    UNSIGNED(HS, LE_U, true),       FLOAT(EQU, EQU, false),        FLOAT(NEU, NEU, false),
    FLOAT(LTU, LTU, false),         FLOAT(LEU, LEU, false),        FLOAT(GTU, LTU, true),
    FLOAT(GEU, LEU, true),          FLOAT(NUM, NUM, false),        FLOAT(NAN, NAN, false),
};

uint16_t em_find_compare(const ls_ir_instr *in, bool *swap) {
    const ls_ptx_form *form = in->form;
    if (in->dst_count != 1 || in->src_count != 2) return 0;
    ls_ptx_type type = ls_ptx_form_type(form, 0);
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        const comparison *c = &comparisons[i];
        if (c->compare != form->compare) continue;
        *swap = c->swap;
        switch (type) {
        case LS_TYPE_F32: return c->f32;
        case LS_TYPE_F64: return c->f64;
        case LS_TYPE_U16:
        case LS_TYPE_B16:
        case LS_TYPE_U32:
        case LS_TYPE_B32: return c->u32;
        case LS_TYPE_S32: return c->s32;
        case LS_TYPE_U64:
        case LS_TYPE_B64: return c->u64;
        case LS_TYPE_S64: return c->s64;
        default: return 0;
        }
    }
    return 0;
}

/* Instructions whose modifiers say more than the table tells apart. */
static uint16_t find_by_mode(const ls_ir_instr *in) {
    const ls_ptx_form *form = in->form;
    static const uint16_t modes[] = {LS_MOD_F4E, LS_MOD_B4E, LS_MOD_RC8, LS_MOD_ECL, LS_MOD_ECR, LS_MOD_RC16};
    if (in->src_count != 3) return LANE_NONE;
    if (in->op == LS_OP_SHF) {
        bool wrap = ls_ptx_form_has(form, LS_MOD_WRAP);
        if (ls_ptx_form_has(form, LS_MOD_L)) return wrap ? LANE_SHF_L_WRAP : LANE_SHF_L_CLAMP;
        return wrap ? LANE_SHF_R_WRAP : LANE_SHF_R_CLAMP;
    }
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (ls_ptx_form_has(form, (ls_ptx_modifier)modes[k])) return LANE_NONE;
    return LANE_PRMT_32;
}

static uint16_t find_dot(const ls_ptx_form *form) {
    static const uint16_t lanes[2][2] = {{LANE_DP4A_UU, LANE_DP4A_US}, {LANE_DP4A_SU, LANE_DP4A_SS}};
    return lanes[ls_ptx_form_type(form, 0) == LS_TYPE_S32][ls_ptx_form_type(form, 1) == LS_TYPE_S32];
}

uint16_t em_find_lane(const ls_ir_instr *in, bool *swap) {
    const ls_ptx_form *form = in->form;
    *swap = false;
    if (in->unknown || is_special(form)) return LANE_NONE;
    if (in->op == LS_OP_SETP)
        return ls_ptx_form_has(form, LS_MOD_FTZ) ? LANE_NONE : em_find_compare(in, swap);
    if (in->op == LS_OP_DP4A) return find_dot(form);
    if (in->op == LS_OP_SHF || in->op == LS_OP_PRMT) return find_by_mode(in);
    if ((in->op == LS_OP_MIN || in->op == LS_OP_MAX) && in->src_count > 2) return LANE_NONE;
    ls_ptx_type type = ls_ptx_form_type(form, 0);
    if (form->type_count > 1) return LANE_NONE;
    uint8_t have = 0;
    if (ls_ptx_form_has(form, LS_MOD_LO)) have |= NEED_LO;
    if (ls_ptx_form_has(form, LS_MOD_HI)) have |= NEED_HI;
    if (ls_ptx_form_has(form, LS_MOD_WIDE)) have |= NEED_WIDE;
    if (ls_ptx_form_has(form, LS_MOD_FTZ)) have |= NEED_FTZ;
    if (in->op == LS_OP_DIV && ls_ptx_form_has(form, LS_MOD_FULL)) have |= NEED_FULL;
    if (in->op == LS_OP_DIV && ls_ptx_form_has(form, LS_MOD_APPROX)) have |= NEED_APPROX;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].op == in->op && rules[i].type == type && rules[i].need == have) return rules[i].lane;
    return LANE_NONE;
}
