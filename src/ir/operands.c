/* Decoding of operands: the table's signature of an opcode ("D0|p S0 Sw Sw?", see lockstep/ptx.h) says for
 * each PTX operand whether it is read or written and in which type. Vectors, pairs and vector registers are
 * flattened; constants become bits of the type in force; an address is its base with a constant offset. */
#include "ir/decode.h"
#include "ptx/tables.h"

#include <assert.h>

/* One item of a signature. */
typedef struct {
    char role;       /* D S R W A P L F T */
    char type, pair; /* pair: type of the part behind the |; 0: no pair */
    bool optional, more;
} item;

static const char *next_item(const char *text, item *out) {
    *out = (item){.role = 'S', .type = 'x'};
    while (*text == ' ') text++;
    if (!*text) return NULL;
    out->role = *text++;
    if (*text && !strchr(" |v?*", *text)) out->type = *text++;
    for (; *text && *text != ' '; text++) {
        if (*text == '|') out->pair = text[1] ? *++text : 'p';
        if (*text == '?') out->optional = true;
        if (*text == '*') out->more = true;
    }
    return text;
}

static bool is_address_role(char role) {
    return role == 'R' || role == 'W' || role == 'A' || role == 'P';
}

/* --- Types -----------------------------------------------------------------------------------------------
 */

static ls_ptx_type last_type(const ls_ptx_form *form) {
    return form->type_count ? (ls_ptx_type)form->types[form->type_count - 1] : LS_TYPE_NONE;
}

static ls_ptx_type conversion_type(const ls_ptx_form *form, char role, uint32_t operand) {
    if (role == 'D') return ls_ptx_form_type(form, 0);
    if (form->op == LS_OP_CVT_PACK && operand == 3) return ls_ptx_form_type(form, 2);
    return form->type_count > 1 ? (ls_ptx_type)form->types[1] : ls_ptx_form_type(form, 0);
}

/* NONE: the operand's own. */
static ls_ptx_type signature_type(const ls_ptx_form *form, char role, char type, uint32_t operand) {
    if (form->op == LS_OP_CVT || form->op == LS_OP_CVT_PACK) return conversion_type(form, role, operand);
    switch (type) {
    case '0':
    case '1':
    case '2':
    case '3':
        return (uint32_t)(type - '0') < form->type_count ? (ls_ptx_type)form->types[type - '0']
                                                         : last_type(form);
    case 'm':
        return ls_ptx_form_has(form, LS_MOD_WIDE) ? ls_ptx_wide_type(ls_ptx_form_type(form, 0))
                                                  : ls_ptx_form_type(form, 0);
    case 'p': return LS_TYPE_PRED;
    case 'w': return LS_TYPE_U32;
    case 'q': return LS_TYPE_U64;
    case 'y': return last_type(form);
    default: return form->op == LS_OP_MOV ? ls_ptx_form_type(form, 0) : LS_TYPE_NONE;
    }
}

/* --- Constants -------------------------------------------------------------------------------------------
 */

static uint64_t float_bits(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static uint64_t double_bits(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static uint64_t constant_bits(const ls_ptx_operand *ast, ls_ptx_type type) {
    uint32_t bits = ls_ptx_type_bits(type);
    uint64_t value = ast->value;
    if (ast->kind == LS_OPERAND_F64 && bits == 32) {
        double number;
        memcpy(&number, &value, sizeof number);
        return float_bits((float)number);
    }
    if (ast->kind == LS_OPERAND_F32 && type == LS_TYPE_F64) {
        float number;
        uint32_t narrow = (uint32_t)value;
        memcpy(&number, &narrow, sizeof number);
        return double_bits((double)number);
    }
    if (ast->kind == LS_OPERAND_INT && type == LS_TYPE_F32) return float_bits((float)(int64_t)value);
    if (ast->kind == LS_OPERAND_INT && type == LS_TYPE_F64) return double_bits((double)(int64_t)value);
    if (type == LS_TYPE_PRED) return value != 0;
    return bits == 0 || bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

/* The type of a constant where the signature leaves it open. */
static ls_ptx_type constant_type(const ls_ptx_operand *ast, const ls_ptx_form *form) {
    if (form && form->type_count) return ls_ptx_form_type(form, 0);
    if (ast->kind == LS_OPERAND_F32) return LS_TYPE_F32;
    if (ast->kind == LS_OPERAND_F64) return LS_TYPE_F64;
    return (int64_t)ast->value == (int32_t)ast->value || ast->value <= UINT32_MAX ? LS_TYPE_U32 : LS_TYPE_U64;
}

/* --- Operands --------------------------------------------------------------------------------------------
 */

static ls_ir_operand decode_named(decoder *d, const ls_ptx_operand *ast, ls_ptx_type type) {
    const ls_ptx_symbol *symbol = ast->symbol;
    ls_ir_operand out = {.kind = LS_IR_OTHER, .type = (uint8_t)type, .element = ast->element};
    while (symbol && symbol->kind == LS_SYMBOL_ALIAS && symbol->alias != symbol) symbol = symbol->alias;
    if (!symbol) {
        out.ast = ast;
    } else if (symbol->kind == LS_SYMBOL_REGISTER) {
        bool of_vector = symbol->vector > 1;
        out.kind = LS_IR_REG;
        out.reg = decode_register(d, symbol, of_vector && ast->element ? ast->element - 1u : 0);
        if (of_vector) out.element = 0;
        if (type == LS_TYPE_NONE) out.type = d->f->registers[out.reg].type;
    } else if (symbol->kind == LS_SYMBOL_SPECIAL) {
        const ls_ptx_sreg_info *info = ls_ptx_sreg_of((ls_ptx_sreg)symbol->sreg);
        out.kind = LS_IR_SREG;
        out.sreg = symbol->sreg;
        if (info->vector && !out.element) out.element = LS_ELEMENT_X;
        if (out.sreg == LS_SREG_ENVREG) out.element = (uint8_t)symbol->index;
        if (type == LS_TYPE_NONE) out.type = (uint8_t)info->type;
    } else if (symbol->kind == LS_SYMBOL_VARIABLE || symbol->kind == LS_SYMBOL_FUNCTION) {
        out.kind = LS_IR_OBJECT;
        out.object = decode_object(d, symbol);
        out.offset = ast->offset;
        if (type == LS_TYPE_NONE) out.type = d->f->module->address_size == 64 ? LS_TYPE_U64 : LS_TYPE_U32;
    } else if (symbol->kind == LS_SYMBOL_LABEL) {
        out.kind = LS_IR_BLOCK;
        out.block = NULL;
        out.label = decode_label(d, symbol);
    } else {
        out.ast = ast;
    }
    return out;
}

ls_ir_operand decode_scalar(decoder *d, const ls_ptx_operand *ast, ls_ptx_type type,
                            const ls_ptx_form *form) {
    ls_ir_operand out = {.kind = LS_IR_OTHER, .type = (uint8_t)type};
    switch (ast->kind) {
    case LS_OPERAND_REGISTER:
    case LS_OPERAND_SYMBOL: out = decode_named(d, ast, type); break;
    case LS_OPERAND_INT:
    case LS_OPERAND_F32:
    case LS_OPERAND_F64:
        if (type == LS_TYPE_NONE) type = constant_type(ast, form);
        out = (ls_ir_operand){.kind = LS_IR_IMM, .type = (uint8_t)type, .bits = constant_bits(ast, type)};
        break;
    case LS_OPERAND_SINK: out.kind = LS_IR_SINK; break;
    default: out.ast = ast; break;
    }
    out.flags = ast->flags & (LS_OPERAND_NOT | LS_OPERAND_MINUS);
    return out;
}

typedef struct {
    const ls_ptx_form *form;
    uint8_t role;
    bool is_dst;
    uint8_t operand;
    uint16_t part; /* counted up */
} place;

static void put(decoder *d, place *at, ls_ir_operand operand) {
    operand.role = at->role;
    operand.operand = at->operand;
    operand.part = at->part++;
    if (at->is_dst && operand.kind != LS_IR_REG) operand.kind = LS_IR_SINK;
    if (at->is_dst)
        LS_VEC_PUSH(&d->dst, operand);
    else
        LS_VEC_PUSH(&d->src, operand);
}

/* A vector register (or, in a vector instruction, a special register) named as a whole: its elements. */
static bool put_whole_vector(decoder *d, place *at, const ls_ptx_operand *ast, ls_ptx_type type) {
    if (ast->kind != LS_OPERAND_REGISTER || ast->element || !ast->symbol) return false;
    uint32_t count = ast->symbol->vector;
    if (ast->symbol->kind == LS_SYMBOL_SPECIAL)
        count = ls_ptx_sreg_of((ls_ptx_sreg)ast->symbol->sreg)->vector ? at->form->vector : 1;
    if (count <= 1) return false;
    for (uint32_t i = 0; i < count && i < 8; i++) {
        ls_ptx_operand element = *ast;
        element.element = (uint8_t)(LS_ELEMENT_X + i);
        put(d, at, decode_scalar(d, &element, type, at->form));
    }
    return true;
}

/* Data: a scalar, or the parts of a vector or pair (which do not nest deeper than PTX has it: two levels). */
static void put_data(decoder *d, place *at, const ls_ptx_operand *ast, ls_ptx_type type, ls_ptx_type pair,
                     int depth) {
    if (ast->kind == LS_OPERAND_PAIR || ast->kind == LS_OPERAND_VECTOR || ast->kind == LS_OPERAND_LIST) {
        if (depth > 3) return;
        bool packs = at->form->op == LS_OP_MOV && ast->kind == LS_OPERAND_VECTOR && ast->count > 1 &&
                     at->form->vector <= 1;
        if (packs) type = ir_bits_type(ls_ptx_type_bits(type) / ast->count);
        for (uint32_t i = 0; i < ast->count; i++) {
            bool second = ast->kind == LS_OPERAND_PAIR && i > 0;
            put_data(d, at, &ast->parts[i], second ? pair : type, pair, depth + 1);
        }
    } else if (!put_whole_vector(d, at, ast, type)) {
        put(d, at, decode_scalar(d, ast, type, at->form));
    }
}

/* [base + offset], or [handle, {coordinates}] and the like. */
static void put_address(decoder *d, place *at, const ls_ptx_operand *ast) {
    const ls_ptx_operand *first = ast;
    uint8_t role = at->role;
    if (ast->kind == LS_OPERAND_ADDRESS) {
        if (!ast->count) return;
        first = &ast->parts[0];
    }
    if (first->kind == LS_OPERAND_VECTOR || first->kind == LS_OPERAND_PAIR) {
        put_data(d, at, first, LS_TYPE_NONE, LS_TYPE_NONE, 0);
    } else {
        ls_ptx_type type = d->f->module->address_size == 64 ? LS_TYPE_U64 : LS_TYPE_U32;
        bool named = first->kind == LS_OPERAND_REGISTER || first->kind == LS_OPERAND_SYMBOL;
        ls_ir_operand base = decode_scalar(d, first, named ? LS_TYPE_NONE : type, NULL);
        if (named) base.offset = first->offset;
        put(d, at, base);
    }
    if (ast->kind != LS_OPERAND_ADDRESS) return;
    at->role = LS_ROLE_COORDINATE;
    for (uint32_t i = 1; i < ast->count; i++) put_data(d, at, &ast->parts[i], LS_TYPE_NONE, LS_TYPE_NONE, 0);
    at->role = role;
}

static uint8_t role_of(char role) {
    switch (role) {
    case 'R': return LS_ROLE_READ;
    case 'W': return LS_ROLE_WRITE;
    case 'A': return LS_ROLE_READ_WRITE;
    case 'P': return LS_ROLE_POINTER;
    case 'L':
    case 'T': return LS_ROLE_TARGET;
    case 'F': return LS_ROLE_CALLEE;
    default: return LS_ROLE_DATA;
    }
}

static void put_operand(decoder *d, const ls_ptx_form *form, const item *it, const ls_ptx_operand *ast,
                        uint32_t index) {
    place at = {
        .form = form, .role = role_of(it->role), .is_dst = it->role == 'D', .operand = (uint8_t)index};
    bool in_brackets = ast->kind == LS_OPERAND_ADDRESS;
    if (in_brackets || is_address_role(it->role)) {
        if (at.role == LS_ROLE_DATA) at.role = LS_ROLE_READ_WRITE; /* brackets the table does not expect */
        at.is_dst = false;
        put_address(d, &at, ast);
    } else {
        ls_ptx_type type = signature_type(form, it->role, it->type, index);
        ls_ptx_type pair = it->pair ? signature_type(form, it->role, it->pair, index) : type;
        put_data(d, &at, ast, type, pair, 0);
    }
}

/* The carry flag is a register that add.cc and the like write and addc and the like read. */
static void put_carry(decoder *d, const ls_ptx_form *form) {
    bool reads = form->opcode && form->opcode->reads_carry;
    bool writes = ls_ptx_form_has(form, LS_MOD_CC);
    if (!reads && !writes) return;
    uint32_t *carry = &d->f->hidden->carry;
    if (*carry == LS_IR_NONE) *carry = ir_new_register(d->f, LS_REGISTER_CARRY, "%cc", LS_TYPE_PRED);
    ls_ir_operand flag = {.kind = LS_IR_REG,
                          .type = LS_TYPE_PRED,
                          .reg = *carry,
                          .flags = LS_IR_IMPLICIT,
                          .operand = UINT8_MAX};
    if (reads) LS_VEC_PUSH(&d->src, flag);
    if (writes) LS_VEC_PUSH(&d->dst, flag);
}

static bool may_be_written(const ls_ptx_operand *ast) {
    if (ast->kind == LS_OPERAND_REGISTER) return ast->symbol && ast->symbol->kind == LS_SYMBOL_REGISTER;
    return ast->kind == LS_OPERAND_VECTOR || ast->kind == LS_OPERAND_PAIR || ast->kind == LS_OPERAND_SINK;
}

static void decode_unknown(decoder *d, const ls_ptx_instr *ast) {
    for (uint32_t i = 0; i < ast->operand_count; i++) {
        bool first = i == 0 && may_be_written(&ast->operands[0]);
        item it = {.role = first ? 'D' : 'S', .type = 'x'};
        put_operand(d, ast->form, &it, &ast->operands[i], i);
    }
}

static bool has_sum(const ls_ptx_operand *ast, int depth) {
    bool address = ast->kind == LS_OPERAND_ADDRESS, sum = false;
    bool parts = address || ast->kind == LS_OPERAND_VECTOR || ast->kind == LS_OPERAND_PAIR;
    if (!parts || depth > 3) return ast->kind == LS_OPERAND_REGISTER && ast->flags & LS_OPERAND_HAS_OFFSET;
    for (uint32_t i = address; i < ast->count && !sum; i++) sum = has_sum(&ast->parts[i], depth + 1);
    return sum;
}

bool ir_is_sum(const ls_ptx_operand *ast) {
    return has_sum(ast, 0);
}

void decode_operands(decoder *d, const ls_ptx_instr *ast, ls_ir_instr *out) {
    const ls_ptx_form *form = ast->form;
    d->dst.length = d->src.length = 0;
    out->unknown = form->op == LS_OP_UNKNOWN || form->unknown_modifiers > 0;
    for (uint32_t i = 0; i < ast->operand_count; i++) out->unknown |= ir_is_sum(&ast->operands[i]);
    if (form->op == LS_OP_UNKNOWN) {
        decode_unknown(d, ast);
        return;
    }
    const char *signature = form->opcode->operands;
    item it = {.role = 'S', .type = 'x'};
    for (uint32_t i = 0; i < ast->operand_count; i++) {
        const ls_ptx_operand *operand = &ast->operands[i];
        bool in_brackets = operand->kind == LS_OPERAND_ADDRESS;
        while (signature && !it.more) {
            signature = next_item(signature, &it);
            if (!it.optional || in_brackets == is_address_role(it.role)) break;
        }
        put_operand(d, form, &it, operand, i);
    }
    put_carry(d, form);
}

void take_operands(decoder *d, ls_ir_instr *instr) {
    ls_arena *arena = &d->f->hidden->arena;
    uint32_t dst = d->dst.length, src = d->src.length;
    if (dst > UINT16_MAX || src > UINT16_MAX) { /* no instruction has so many: nothing is known of it */
        dst = dst > UINT16_MAX ? UINT16_MAX : dst;
        src = src > UINT16_MAX ? UINT16_MAX : src;
        instr->unknown = true;
    }
    instr->dst_count = (uint16_t)dst;
    instr->src_count = (uint16_t)src;
    instr->dst = dst ? ls_arena_alloc(arena, dst * sizeof *instr->dst) : NULL;
    instr->src = src ? ls_arena_alloc(arena, src * sizeof *instr->src) : NULL;
    if (dst) memcpy(instr->dst, d->dst.items, dst * sizeof *instr->dst);
    if (src) memcpy(instr->src, d->src.items, src * sizeof *instr->src);
    for (uint32_t i = 0; i < src;
         i++) { /* a label says where to go only in a branch; else it is nothing known */
        ls_ir_operand *operand = &instr->src[i];
        if (operand->kind != LS_IR_BLOCK || (i == 0 && instr->op == LS_OP_BRA)) continue;
        operand->kind = LS_IR_OTHER;
        operand->ast = NULL;
    }
}
