/* Watching: where a caller asks for it, every instruction is decoded with an operation in front that shows
 * the lanes' values of what it reads. Static claims (uniform, affine, coalesced, free of bank conflicts) are
 * checked with it against what is executed. Code that is not watched has none of these operations. */
#include "emulate/decode/decode.h"
#include "emulate/machine.h"
#include "emulate/matrix/fragment.h"

typedef struct {
    const ls_ptx_instr *instr;
    uint32_t source;
    operand value;
    int64_t offset;
    bool is_address;
} watched;

static void show_values(warp *w, const watched *x) {
    uint64_t values[MAX_LANES] = {0};
    FOR_LANES(l, w->mask) values[l] = read_lane(w, x->value, l) + (uint64_t)x->offset;
    const ls_emu_options *o = &w->machine->options;
    o->watch(o->watch_context, &(ls_emu_read){.instr = x->instr,
                                              .source = x->source,
                                              .is_address = x->is_address,
                                              .block = w->block->index,
                                              .warp = w->index,
                                              .mask = w->mask,
                                              .values = values});
}

static const insn *show(warp *w, const insn *i) {
    if (w->mask) show_values(w, i->extra);
    return i + 1;
}

void em_watch_piece(warp *w, const ls_ptx_instr *instr, uint32_t address) {
    show_values(w, &(watched){.instr = instr, .value = {address, 8}, .is_address = true});
}

/* What wmma accesses is shown piece by piece. */
static bool has_pieces(const ls_ir_instr *instr) {
    return instr->op == LS_OP_WMMA_LOAD || instr->op == LS_OP_WMMA_STORE;
}

static void watch(decoder *d, const ls_ir_operand *o, uint32_t source) {
    bool is_address = o->role == LS_ROLE_READ || o->role == LS_ROLE_WRITE || o->role == LS_ROLE_READ_WRITE;
    is_address &= !has_pieces(d->instr);
    bool is_variable = o->kind == LS_IR_OBJECT && is_address &&
                       (d->ir->objects[o->object]->kind == LS_OBJECT_SHARED ||
                        d->ir->objects[o->object]->kind == LS_OBJECT_GLOBAL);
    if (!d->instr->ast || (o->kind != LS_IR_REG && !is_variable)) return;
    ls_ir_operand plain = *o;
    plain.flags = 0;
    watched *x = LS_NEW(d->arena, watched);
    *x = (watched){.instr = d->instr->ast,
                   .source = source,
                   .value = em_source(d, &plain, 255),
                   .offset = is_address && o->kind == LS_IR_REG ? o->offset : 0,
                   .is_address = is_address};
    em_emit(d, show)->extra = x;
}

void em_watch_guard(decoder *d) {
    if (d->e->watched) watch(d, &d->instr->guard, LS_EMU_GUARD);
}

void em_watch_sources(decoder *d) {
    for (uint32_t k = 0; d->e->watched && k < d->instr->src_count; k++) watch(d, &d->instr->src[k], k);
}
