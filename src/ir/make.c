/* Making the parts of a function: registers, objects, values, bases, instructions and opcode forms. All of
 * them are numbered as they are made and stand in the function's arena. */
#include "ir/private.h"

#include <assert.h>
#include <stdio.h>

/* Room for one more item of an array in the arena. */
static void *grown(ls_ir_function *f, void *items, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity) return items;
    return ls_vec_grown_in(&f->hidden->arena, items, capacity, size);
}

const char *ir_unique_name(ls_ir_function *f, const char *name) {
    ls_arena *arena = &f->hidden->arena;
    uintptr_t *times = (uintptr_t *)ls_map_at(&f->hidden->names, name, strlen(name));
    uintptr_t before = (*times)++;
    if (!before) return name;
    /* A name such as "x@2" may itself be in the PTX only in theory (@ is no letter): no second look-up. */
    return ls_arena_printf(arena, "%s@%u", name, (unsigned)(before + 1));
}

uint32_t ir_new_register(ls_ir_function *f, ls_ir_register_kind kind, const char *name, ls_ptx_type type) {
    uint32_t id = f->register_count;
    f->registers = grown(f, f->registers, id, &f->hidden->register_capacity, sizeof *f->registers);
    f->registers[id] = (ls_ir_register){
        .name = ir_unique_name(f, name), .kind = (uint8_t)kind, .type = (uint8_t)type, .object = LS_IR_NONE};
    f->register_count++;
    return id;
}

ls_ir_object *ir_new_object(ls_ir_function *f, ls_ir_object_kind kind, const ls_ptx_symbol *symbol) {
    ls_ir_object *object = LS_NEW(&f->hidden->arena, ls_ir_object);
    object->id = f->object_count;
    object->kind = (uint8_t)kind;
    object->name = ir_unique_name(f, symbol->name);
    object->symbol = symbol;
    if (kind != LS_OBJECT_FUNCTION && symbol->variable) {
        object->variable = symbol->variable;
        object->size = ls_ptx_variable_size(symbol->variable);
        object->align = ls_ptx_variable_align(symbol->variable);
        object->is_extern = symbol->variable->linkage & LS_LINK_EXTERN;
    }
    f->objects = grown(f, f->objects, f->object_count, &f->hidden->object_capacity, sizeof *f->objects);
    f->objects[f->object_count++] = object;
    return object;
}

ls_ir_value *ir_new_value(ls_ir_function *f, ls_ir_value_kind kind, ls_ptx_type type, uint32_t reg) {
    ls_ir_value *value = LS_NEW(&f->hidden->arena, ls_ir_value);
    value->id = f->value_count;
    value->kind = (uint8_t)kind;
    value->type = (uint8_t)type;
    value->reg = reg;
    value->block = f->entry;
    f->values = grown(f, f->values, f->value_count, &f->hidden->value_capacity, sizeof *f->values);
    f->values[f->value_count++] = value;
    return value;
}

ls_ir_base *ir_new_base(ls_ir_function *f, ls_ir_base_kind kind) {
    ls_ir_base *base = LS_NEW(&f->hidden->arena, ls_ir_base);
    base->id = f->base_count;
    base->kind = (uint8_t)kind;
    base->object = LS_IR_NONE;
    f->bases =
        grown(f, (void *)(uintptr_t)f->bases, f->base_count, &f->hidden->base_capacity, sizeof *f->bases);
    f->bases[f->base_count++] = base;
    return base;
}

void ir_add_unresolved(ls_ir_function *f, ls_ir_unresolved_kind kind, const char *name, ls_ir_instr *instr) {
    f->unresolved =
        grown(f, f->unresolved, f->unresolved_count, &f->hidden->unresolved_capacity, sizeof *f->unresolved);
    f->unresolved[f->unresolved_count++] =
        (ls_ir_unresolved){.kind = (uint8_t)kind, .name = name, .pos = instr->pos, .instr = instr};
}

ls_ptx_type ir_bits_type(uint32_t bits) {
    switch (bits) {
    case 8: return LS_TYPE_B8;
    case 16: return LS_TYPE_B16;
    case 32: return LS_TYPE_B32;
    case 64: return LS_TYPE_B64;
    case 128: return LS_TYPE_B128;
    default: return LS_TYPE_NONE;
    }
}

/* Modifiers of types and spaces stand in the table in the order of the types and spaces themselves. */
static void add_modifier(ls_ptx_form *form, uint16_t *modifiers, const char **texts, ls_ptx_modifier m) {
    modifiers[form->modifier_count] = (uint16_t)m;
    texts[form->modifier_count++] = ls_ptx_modifier_text(m);
}

const ls_ptx_form *ir_make_form(ls_ir_function *f, ls_ptx_op op, ls_ptx_space space, ls_ptx_type first,
                                ls_ptx_type second) {
    ls_arena *arena = &f->hidden->arena;
    const ls_ptx_type types[2] = {first, second};
    char text[64];
    int length = snprintf(text, sizeof text, "%s", ls_ptx_opcode_of(op)->name);
    if (space == LS_SPACE_PARAM) length += snprintf(text + length, sizeof text - (size_t)length, ".param");
    if (op == LS_OP_SETP) length += snprintf(text + length, sizeof text - (size_t)length, ".eq");
    for (int i = 0; i < 2; i++)
        if (types[i] != LS_TYPE_NONE)
            length +=
                snprintf(text + length, sizeof text - (size_t)length, ".%s", ls_ptx_type_text(types[i]));
    const ls_ptx_form *known = ls_map_get(&f->hidden->forms, text, (size_t)length);
    if (known) return known;

    ls_ptx_form *form = LS_NEW(arena, ls_ptx_form);
    uint16_t *modifiers = LS_NEW_N(arena, uint16_t, 4);
    const char **texts = LS_NEW_N(arena, const char *, 4);
    form->text = ls_arena_strndup(arena, text, (size_t)length);
    form->length = (uint32_t)length;
    form->op = op;
    form->opcode = ls_ptx_opcode_of(op);
    form->vector = 1;
    if (space == LS_SPACE_PARAM) {
        form->spaces[form->space_count++] = (uint8_t)space;
        add_modifier(form, modifiers, texts, LS_MOD_PARAM);
    }
    if (op == LS_OP_SETP) { /* the only comparison that is made */
        form->compare = LS_MOD_EQ;
        add_modifier(form, modifiers, texts, LS_MOD_EQ);
    }
    for (int i = 0; i < 2; i++) {
        if (types[i] == LS_TYPE_NONE) continue;
        form->types[form->type_count++] = (uint8_t)types[i];
        add_modifier(form, modifiers, texts, (ls_ptx_modifier)(LS_MOD_T_NONE + types[i]));
    }
    form->modifiers = modifiers;
    form->modifier_texts = texts;
    *ls_map_at(&f->hidden->forms, form->text, form->length) = form;
    return form;
}

ls_ir_instr *ir_new_instr(ls_ir_function *f, const ls_ptx_form *form, uint32_t dst_count,
                          uint32_t src_count) {
    ls_arena *arena = &f->hidden->arena;
    ls_ir_instr *instr = LS_NEW(arena, ls_ir_instr);
    instr->op = (uint16_t)form->op;
    instr->form = form;
    instr->dst = dst_count ? LS_NEW_N(arena, ls_ir_operand, dst_count) : NULL;
    instr->src = src_count ? LS_NEW_N(arena, ls_ir_operand, src_count) : NULL;
    assert(dst_count <= UINT16_MAX && src_count <= UINT16_MAX);
    instr->dst_count = (uint16_t)dst_count;
    instr->src_count = (uint16_t)src_count;
    return instr;
}
