/* What the symbols and positions of the PTX are in the IR: registers, labels and objects of the frame that is
 * being decoded, and places with the calls around them. */
#include "ir/decode.h"

enum { MAX_AT_DEPTH = 64 };

/* --- Registers, labels, objects --------------------------------------------------------------------------
 */

static uint32_t new_registers(decoder *d, const ls_ptx_symbol *symbol) {
    static const char *const elements[] = {"x", "y", "z", "w", "4", "5", "6", "7"};
    uint32_t count = symbol->vector > 1 ? symbol->vector : 1, first = LS_IR_NONE;
    for (uint32_t i = 0; i < count && i < 8; i++) {
        const char *name = symbol->name;
        if (count > 1) name = ls_arena_printf(&d->f->hidden->arena, "%s.%s", symbol->name, elements[i]);
        uint32_t reg = ir_new_register(d->f, LS_REGISTER_PTX, name, (ls_ptx_type)symbol->type);
        d->f->registers[reg].symbol = symbol;
        d->f->registers[reg].element = count > 1 ? (uint8_t)(LS_ELEMENT_X + i) : 0;
        if (i == 0) first = reg;
    }
    return first;
}

uint32_t decode_register(decoder *d, const ls_ptx_symbol *symbol, uint32_t element) {
    const frame *fr = d->frame;
    uint32_t index = symbol->index, first;
    if (index < fr->function->register_count && fr->function->registers[index] == symbol) {
        if (fr->registers[index] == LS_IR_NONE) fr->registers[index] = new_registers(d, symbol);
        first = fr->registers[index];
    } else { /* a register declared outside of the function */
        bool is_new;
        uint64_t *at = ls_intmap_at(&d->strays, (uintptr_t)symbol, &is_new);
        if (is_new) *at = new_registers(d, symbol);
        first = (uint32_t)*at;
    }
    return first + (element < symbol->vector ? element : 0);
}

uint32_t new_label(decoder *d, const char *name) {
    ir_label label = {name, LS_IR_NONE};
    LS_VEC_PUSH(&d->f->hidden->labels, label);
    return d->f->hidden->labels.length - 1;
}

uint32_t decode_label(decoder *d, const ls_ptx_symbol *symbol) {
    if (symbol->index >= d->frame->function->label_count) return new_label(d, symbol->name);
    uint32_t *at = &d->frame->labels[symbol->index];
    if (*at == LS_IR_NONE) *at = new_label(d, symbol->name);
    return *at;
}

void place_label(decoder *d, uint32_t label) {
    d->f->hidden->labels.items[label].position = d->f->hidden->code.length;
}

static ls_ir_object_kind object_kind(const ls_ptx_symbol *symbol) {
    static const uint8_t kinds[LS_SPACE_COUNT] = {
        [LS_SPACE_GENERIC] = LS_OBJECT_GLOBAL,        [LS_SPACE_REG] = LS_OBJECT_GLOBAL,
        [LS_SPACE_SREG] = LS_OBJECT_GLOBAL,           [LS_SPACE_CONST] = LS_OBJECT_CONST,
        [LS_SPACE_GLOBAL] = LS_OBJECT_GLOBAL,         [LS_SPACE_LOCAL] = LS_OBJECT_LOCAL,
        [LS_SPACE_PARAM] = LS_OBJECT_CALL_PARAM,      [LS_SPACE_SHARED] = LS_OBJECT_SHARED,
        [LS_SPACE_SHARED_CLUSTER] = LS_OBJECT_SHARED, [LS_SPACE_TEX] = LS_OBJECT_TEXTURE};
    if (symbol->kind == LS_SYMBOL_FUNCTION || !symbol->variable) return LS_OBJECT_FUNCTION;
    if (ls_ptx_type_kind_of((ls_ptx_type)symbol->type) == LS_KIND_OPAQUE && !symbol->variable->is_parameter)
        return LS_OBJECT_TEXTURE;
    return (ls_ir_object_kind)kinds[symbol->variable->space];
}

uint32_t decode_object(decoder *d, const ls_ptx_symbol *symbol) {
    ls_ir_object_kind kind = object_kind(symbol);
    bool private = kind == LS_OBJECT_CALL_PARAM || kind == LS_OBJECT_LOCAL;
    bool is_new;
    uint64_t *at = ls_intmap_at(private ? &d->frame->objects : &d->statics, (uintptr_t)symbol, &is_new);
    if (is_new) *at = ir_new_object(d->f, kind, symbol)->id;
    return (uint32_t)*at;
}

/* --- Positions -------------------------------------------------------------------------------------------
 */

/* The chain of calls that a .loc with inlined_at stands for, then the calls that were expanded here. */
static const ls_place *inlined_at(decoder *d, const ls_ptx_loc *loc) {
    frame *fr = d->frame;
    if (!loc || !loc->at_line) return fr->called_at;
    if (fr->last_loc == loc) return fr->last_at;
    const ls_place *first = NULL;
    ls_place *last = NULL;
    uint32_t depth = 0;
    for (const ls_ptx_loc *l = loc; l && l->at_line; l = l->at) {
        ls_place *pos = LS_NEW(&d->f->hidden->arena, ls_place);
        const char *file = ls_ptx_file_path(d->f->module, l->at_file);
        *pos = (ls_place){.file = file ? file : "?", .line = l->at_line, .column = l->at_column};
        if (last) last->at = pos;
        if (!first) first = pos;
        last = pos;
        if (++depth == MAX_AT_DEPTH) break;
    }
    last->at = fr->called_at;
    fr->last_loc = loc;
    fr->last_at = first;
    return first;
}

const ls_place *decode_position(decoder *d, const ls_ptx_stmt *stmt) {
    const ls_ptx_loc *loc = stmt->instr->loc;
    const char *file = loc && loc->line ? ls_ptx_file_path(d->f->module, loc->file) : NULL;
    ls_place *pos = LS_NEW(&d->f->hidden->arena, ls_place);
    *pos = (ls_place){.file = d->f->module->filename ? d->f->module->filename : "?",
                      .line = stmt->line,
                      .column = stmt->column,
                      .is_ptx = true,
                      .ptx_line = stmt->line,
                      .at = inlined_at(d, loc)};
    if (file) {
        pos->file = file;
        pos->line = loc->line;
        pos->column = loc->column;
        pos->is_ptx = false;
    }
    return pos;
}
