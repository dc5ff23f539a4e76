/* Names of values: as dumps print them, and as the source has them as far as that can be told. */
#include "ir/private.h"

#include <stdio.h>

static const char *element_name(uint8_t element) {
    static const char *const names[] = {"", ".x", ".y", ".z", ".w"};
    return element < 5 ? names[element] : "";
}

static void special_name(const ls_ir_value *value, char *out, size_t size) {
    const ls_ptx_sreg_info *info = ls_ptx_sreg_of((ls_ptx_sreg)value->sreg);
    if (value->sreg == LS_SREG_ENVREG)
        snprintf(out, size, "%s%u", info->name, value->element);
    else
        snprintf(out, size, "%s%s", info->name, element_name(value->element));
}

static void constant_name(const ls_ir_value *value, char *out, size_t size) {
    ls_ptx_type type = (ls_ptx_type)value->type;
    uint32_t bits = ls_ptx_type_bits(type);
    if (type == LS_TYPE_F32) {
        float number;
        uint32_t narrow = (uint32_t)value->bits;
        memcpy(&number, &narrow, sizeof number);
        snprintf(out, size, "%.9gf", (double)number);
    } else if (type == LS_TYPE_F64) {
        double number;
        memcpy(&number, &value->bits, sizeof number);
        snprintf(out, size, "%.17g", number);
    } else if (ls_ptx_type_kind_of(type) == LS_KIND_SIGNED || bits == 64 || bits == 32) {
        int64_t number = bits == 64   ? (int64_t)value->bits
                         : bits == 32 ? (int64_t)(int32_t)(uint32_t)value->bits
                         : bits == 16 ? (int64_t)(int16_t)(uint16_t)value->bits
                                      : (int64_t)(int8_t)(uint8_t)value->bits;
        snprintf(out, size, "%lld", (long long)number);
    } else {
        snprintf(out, size, "%llu", (unsigned long long)value->bits);
    }
}

void ls_ir_value_name(const ls_ir_function *function, const ls_ir_value *value, char *out, size_t out_size) {
    switch (value->kind) {
    case LS_VALUE_IMM: constant_name(value, out, out_size); return;
    case LS_VALUE_SREG: special_name(value, out, out_size); return;
    case LS_VALUE_UNDEF: snprintf(out, out_size, "undef"); return;
    case LS_VALUE_OBJECT:
        if (value->object.offset)
            snprintf(out, out_size, "&%s%+lld", function->objects[value->object.id]->name,
                     (long long)value->object.offset);
        else
            snprintf(out, out_size, "&%s", function->objects[value->object.id]->name);
        return;
    default: break;
    }
    const char *name = value->reg == LS_IR_NONE ? "?" : function->registers[value->reg].name;
    if (value->version)
        snprintf(out, out_size, "%s.%u", name, value->version);
    else
        snprintf(out, out_size, "%s", name);
}

/* --- Source names ----------------------------------------------------------------------------------------
 */

static const char *cuda_name(uint32_t sreg) {
    static const struct {
        uint32_t sreg;
        const char *name;
    } table[] = {{LS_SREG_TID, "threadIdx"},
                 {LS_SREG_NTID, "blockDim"},
                 {LS_SREG_CTAID, "blockIdx"},
                 {LS_SREG_NCTAID, "gridDim"}};
    for (uint32_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].sreg == sreg) return table[i].name;
    return NULL;
}

/* Compilers call parameters FUNCTION_param_N; PTX written by hand has names. */
static void parameter_name(const ls_ir_function *function, const ls_ir_object *object, int64_t offset,
                           char *out, size_t size) {
    size_t prefix = strlen(function->name);
    const char *name = object->name;
    if (strncmp(name, function->name, prefix) == 0 && strncmp(name + prefix, "_param_", 7) == 0)
        name += prefix + 1;
    if (offset)
        snprintf(out, size, "%s+%lld", name, (long long)offset);
    else
        snprintf(out, size, "%s", name);
}

void ls_ir_source_name(const ls_ir_function *function, const ls_ir_value *value, char *out, size_t out_size) {
    const ls_ir_value *origin = ls_ir_origin((ls_ir_value *)(uintptr_t)value);
    if (origin->kind == LS_VALUE_SREG && cuda_name(origin->sreg)) {
        snprintf(out, out_size, "%s%s", cuda_name(origin->sreg), element_name(origin->element));
        return;
    }
    if (origin->kind == LS_VALUE_OBJECT) {
        snprintf(out, out_size, "%s", function->objects[origin->object.id]->name);
        return;
    }
    if (origin->kind == LS_VALUE_INSTR && origin->instr->op == LS_OP_LD && origin->instr->src_count) {
        const ls_ir_operand *address = &origin->instr->src[0];
        bool parameter =
            address->kind == LS_IR_OBJECT && function->objects[address->object]->kind == LS_OBJECT_PARAM;
        if (parameter) {
            parameter_name(function, function->objects[address->object], address->offset, out, out_size);
            return;
        }
    }
    bool constant = origin->kind == LS_VALUE_IMM || origin->kind == LS_VALUE_SREG;
    ls_ir_value_name(function, constant ? origin : value, out, out_size);
}
