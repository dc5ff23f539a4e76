/* The frame of a function: where its local variables, its parameters and its results stand. */
#include "emulate/decode/decode.h"

/* The variables that the compiler has put in a function's frame, and the gaps between them; without knowledge
 * of them the frame is one variable. */
static void place_variables(decoder *d, const ls_ir_object *frame, uint32_t at) {
    const ls_emulator *e = d->e;
    local_object whole = {at, (uint32_t)frame->size};
    uint32_t end = at, before = d->c->locals.length;
    bool is_depot = !strncmp(frame->symbol->name, "__local_depot", 13);
    for (bool more = is_depot; more;) { /* in the order of their places */
        const frame_variable *next = NULL;
        for (uint32_t k = 0; k < e->frame_variables.length; k++) {
            const frame_variable *v = &e->frame_variables.items[k];
            if (!strcmp(v->function, d->c->function->symbol->name) && at + v->place.offset >= end &&
                (uint64_t)v->place.offset + v->place.size <= frame->size &&
                (!next || v->place.offset < next->place.offset))
                next = v;
        }
        more = next != NULL;
        local_object gap = {end, (next ? at + next->place.offset : at + (uint32_t)frame->size) - end};
        if (gap.size && (next || d->c->locals.length > before)) LS_VEC_PUSH(&d->c->gaps, gap);
        if (!next || !next->place.size) break;
        local_object local = {at + next->place.offset, next->place.size};
        LS_VEC_PUSH(&d->c->locals, local);
        end = local.offset + local.size;
    }
    if (d->c->locals.length == before) LS_VEC_PUSH(&d->c->locals, whole);
    d->e->has_locals = true;
    d->e->has_gaps |= d->c->gaps.length > 0;
}

bool em_place_objects(decoder *d) {
    uint64_t at = 0;
    d->objects = LS_NEW_N(d->arena, uint32_t, d->ir->object_count + 1);
    for (uint32_t o = 0; o < d->ir->object_count; o++) {
        const ls_ir_object *object = d->ir->objects[o];
        bool in_frame =
            object->kind == LS_OBJECT_LOCAL || object->kind == LS_OBJECT_CALL_PARAM ||
            (!d->c->is_kernel && (object->kind == LS_OBJECT_PARAM || object->kind == LS_OBJECT_RETURN));
        d->objects[o] = NO_SLOT;
        if (!in_frame) continue;
        uint64_t align = object->align ? object->align : 16, size = object->size ? object->size : 8;
        at = (at + align - 1) / align * align;
        d->objects[o] = (uint32_t)at;
        if (size > MAX_FRAME || at > MAX_FRAME - size) return false;
        at += size;
        if (object->kind == LS_OBJECT_LOCAL) place_variables(d, object, d->objects[o]);
    }
    d->c->local_bytes = (uint32_t)((at + 15) / 16 * 16);
    return true;
}

void em_place_signature(decoder *d) {
    const ls_ptx_function *f = d->c->function;
    d->c->params = LS_NEW_N(d->arena, frame_object, f->param_count + 1);
    d->c->returns = LS_NEW_N(d->arena, frame_object, f->return_count + 1);
    for (uint32_t k = 0; k < f->param_count + f->return_count; k++) {
        bool is_return = k >= f->param_count;
        const ls_ptx_variable *v = is_return ? f->returns[k - f->param_count] : f->params[k];
        frame_object *out = is_return ? &d->c->returns[k - f->param_count] : &d->c->params[k];
        *out = (frame_object){NO_SLOT, (uint32_t)ls_ptx_variable_size(v), v, {NO_SLOT, 0}};
        for (uint32_t o = 0; o < d->ir->object_count; o++)
            if (d->ir->objects[o]->variable == v) out->offset = d->objects[o];
        for (uint32_t r = 0; r < d->ir->register_count; r++)
            if (v->space == LS_SPACE_REG && d->ir->registers[r].symbol == v->symbol)
                out->reg = em_register(d, r);
    }
}
