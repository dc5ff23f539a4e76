/* Instructions with types and modifiers that nobody writes together: any opcode of the table, operands of the
 * kinds that its row asks for (include/lockstep/ptx.h), registers that mostly have its types' widths. */
#include "hostile.h"

#include "lockstep/ptx.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ls_ptx_type types[4];
    uint32_t type_count, vector;
} shape;

/* Registers of hostile_module.c for so many bits. */
static const char *registers_for(hostile *m, uint32_t bits, bool is_float) {
    static const char *const any[] = {"r", "rd", "h", "q", "f", "p"};
    switch (hostile_pick(m, 16) ? bits : 0) {
    case 1: return "p";
    case 8:
    case 16: return "h";
    case 32: return is_float ? "f" : "r";
    case 64: return "rd";
    case 128: return "q";
    default: return any[hostile_pick(m, 6)];
    }
}

static const char *registers_of(hostile *m, const shape *s, char type) {
    const uint32_t k = (uint32_t)(type - '0');
    if (k < 4)
        return registers_for(m, ls_ptx_type_bits(s->types[k]),
                             ls_ptx_type_kind_of(s->types[k]) == LS_KIND_FLOAT);
    return registers_for(m, type == 'p' ? 1 : type == 'w' ? 32 : type == 'q' ? 64 : 0, false);
}

static void put_register(hostile *m, const char *registers) {
    ls_buf_printf(&m->out, "%%%s%u", registers, hostile_pick(m, *registers == 'p' ? 3 : 9));
}

static void put_operand(hostile *m, const shape *s, const char *item, size_t length) {
    const char type = length > 1 ? item[1] : 'x';
    switch (*item) {
    case 'L': ls_buf_printf(&m->out, "L%u", hostile_pick(m, 3)); return;
    case 'F': ls_buf_puts(&m->out, "f0"); return;
    case 'R':
    case 'W':
    case 'A':
    case 'P': hostile_address(m); return;
    case 'S':
        if (!hostile_pick(m, 5)) {
            ls_buf_printf(&m->out, "%lld", (long long)hostile_number(m));
            return;
        }
        break;
    default: break;
    }
    const char *registers = registers_of(m, s, type);
    if (memchr(item, 'v', length) && s->vector > 1) {
        hostile_values(m, s->vector, registers);
        return;
    }
    put_register(m, registers);
    if (memchr(item, '|', length) && hostile_pick(m, 2)) {
        ls_buf_puts(&m->out, "|");
        put_register(m, "p");
    }
}

/* As many types as the operands name, or another number of them. */
static shape draw_shape(hostile *m, const ls_ptx_opcode *opcode) {
    shape s = {.vector = hostile_pick(m, 8) ? 1 : 2u << hostile_pick(m, 3)};
    for (const char *at = opcode->operands; *at; at++)
        if (*at >= '0' && *at <= '3' && (uint32_t)(*at - '0') >= s.type_count)
            s.type_count = (uint32_t)(*at - '0') + 1;
    if (!hostile_pick(m, 8)) s.type_count = hostile_pick(m, 4);
    for (uint32_t k = 0; k < s.type_count; k++)
        s.types[k] = (ls_ptx_type)(1 + hostile_pick(m, LS_TYPE_COUNT - 1));
    return s;
}

static void put_modifiers(hostile *m, const shape *s, const ls_ptx_opcode *opcode) {
    static const uint16_t usual[] = {LS_MOD_SAT,   LS_MOD_HI,  LS_MOD_LO,  LS_MOD_WIDE,
                                     LS_MOD_RN,    LS_MOD_RZI, LS_MOD_EQ,  LS_MOD_WRAP,
                                     LS_MOD_CLAMP, LS_MOD_L,   LS_MOD_FTZ, LS_MOD_APPROX};
    if (opcode->class == LS_CLASS_MEMORY || opcode->class == LS_CLASS_ATOMIC)
        ls_buf_puts(&m->out, hostile_pick(m, 2) ? ".shared" : ".global");
    for (uint32_t k = hostile_pick(m, 3); k; k--) {
        uint32_t which = hostile_pick(m, 4) ? usual[hostile_pick(m, sizeof usual / sizeof *usual)]
                                            : hostile_byte(m) % LS_MOD_COUNT;
        const char *text = ls_ptx_modifier_text((ls_ptx_modifier)which);
        if (text && *text) ls_buf_printf(&m->out, ".%s", text);
    }
    if (s->vector > 1) ls_buf_printf(&m->out, ".v%u", s->vector);
    for (uint32_t k = 0; k < s->type_count; k++) ls_buf_printf(&m->out, ".%s", ls_ptx_type_text(s->types[k]));
}

void hostile_form(hostile *m) {
    const ls_ptx_op op = (ls_ptx_op)(1 + (hostile_byte(m) * 256 + hostile_byte(m)) % (LS_OP_COUNT - 1));
    const ls_ptx_opcode *opcode = ls_ptx_opcode_of(op);
    const shape s = draw_shape(m, opcode);
    ls_buf_puts(&m->out, opcode->name);
    put_modifiers(m, &s, opcode);
    const char *between = " ";
    for (const char *item = opcode->operands; *item;) {
        const size_t length = strcspn(item, " ");
        const bool optional = memchr(item, '?', length) || memchr(item, '*', length);
        if (length && (!optional || hostile_pick(m, 2))) {
            ls_buf_puts(&m->out, between);
            put_operand(m, &s, item, length);
            between = ", ";
        }
        item += length + strspn(item + length, " ");
    }
    ls_buf_puts(&m->out, ";\n");
}
