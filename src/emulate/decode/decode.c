/* From IR to machine code: every instruction of a function becomes one or a few type-specialised operations
 * on register slots (the lesson of the baseline: decode once, no switch per lane). Blocks stand one after the
 * other in reverse post-order; a block that is the immediate post-dominator of a branch starts with a
 * reconvergence point. Guarded instructions run behind a guard that narrows the mask for one instruction. */
#include "emulate/decode/decode.h"
#include "emulate/texture/sample.h"

/* --- Arithmetic --- */
/* Widths of a vector loop's operands follow from its type; shifts take 32-bit counts, .wide is twice as wide.
 */
static bool decode_lane(decoder *d) {
    const ls_ir_instr *in = d->instr;
    bool swap;
    uint16_t lane = em_find_lane(in, &swap);
    ls_isa meaning; /* a loop is only another form of one */
    if (lane == LANE_NONE || in->dst_count != 1 || !em_find_meaning(d, &meaning)) return false;
    uint32_t s[3] = {0, 0, 0};
    bool not_selected = false;
    for (uint32_t k = 0; k < in->src_count && k < 3; k++) {
        ls_ir_operand o = in->src[k];
        if (in->op == LS_OP_SELP && k == 2 && o.kind == LS_IR_REG && o.flags & LS_OPERAND_NOT) {
            not_selected = true;
            o.flags &= (uint8_t)~LS_OPERAND_NOT;
        }
        s[k] = em_source(d, &o, em_width_of((ls_ptx_type)o.type)).slot;
    }
    if (in->op == LS_OP_SETP && swap) {
        uint32_t t = s[0];
        s[0] = s[1], s[1] = t;
    }
    if (in->src_count == 1) s[1] = s[0];
    uint8_t width = em_width_of((ls_ptx_type)in->dst[0].type);
    operand r = em_dst(d, &in->dst[0], width);
    insn *i = em_emit_lane(d, lane, r.slot, s[0], s[1], s[2]);
    i->guard_not = not_selected;
    em_finish_dst(d, &in->dst[0], r);
    return true;
}

bool em_find_meaning(const decoder *d, ls_isa *x) {
    const ls_ir_instr *in = d->instr;
    if (in->unknown || in->dst_count > 2 || in->src_count > LS_ISA_SOURCES) return false;
    bool named = in->dst_count && in->dst[0].kind == LS_IR_REG;
    return ls_isa_find(&(ls_isa_ask){.form = in->form,
                                     .ast = in->ast,
                                     .src_count = (uint8_t)in->src_count,
                                     .dst_count = (uint8_t)in->dst_count,
                                     .dst_bits = (uint8_t)(named ? em_register_bits(d, in->dst[0].reg) : 64)},
                       x);
}

void em_emit_scalar(decoder *d, const ls_isa *of) {
    const ls_ir_instr *in = d->instr;
    alu *x = LS_NEW(d->arena, alu);
    x->of = *of;
    x->src_count = (uint8_t)in->src_count;
    x->dst_count = (uint8_t)in->dst_count;
    for (uint32_t k = 0; k < in->src_count; k++) x->src[k] = em_source(d, &in->src[k], 255);
    for (uint32_t k = 0; k < in->dst_count; k++) {
        if (in->dst[k].kind == LS_IR_REG)
            x->dst[k] = em_register(d, in->dst[k].reg);
        else
            x->dst[k] = (operand){em_new_slot(d, 8), 8};
    }
    em_emit(d, em_exec_scalar)->extra = x;
}

/* Which space an address lies in: the machine's own windows tell. */
static uint64_t isspacep(const ls_isa *x, const uint64_t *s, uint64_t *more) {
    (void)more;
    uint64_t window = s[0] & WINDOW_MASK;
    switch (x->mode) {
    case LS_SPACE_SHARED:
    case LS_SPACE_SHARED_CLUSTER: return window == WINDOW_SHARED;
    case LS_SPACE_LOCAL: return window == WINDOW_LOCAL;
    case LS_SPACE_PARAM: return window == WINDOW_PARAM;
    case LS_SPACE_GLOBAL: return window == 0;
    default: return 0;
    }
}

static bool decode_scalar(decoder *d) {
    const ls_ir_instr *in = d->instr;
    ls_isa x = {.fn = isspacep, .mode = (uint16_t)ls_ptx_form_space(in->form)};
    if ((in->op != LS_OP_ISSPACEP || in->unknown) && !em_find_meaning(d, &x)) return false;
    em_emit_scalar(d, &x);
    return true;
}

/* --- Control flow --- */
static void decode_end(decoder *d, const ls_ir_instr *in) {
    const ls_ir_block *b = in->block;
    switch (in->op) {
    case LS_OP_BRA: {
        insn *i =
            em_emit(d, in->guard.kind == LS_IR_REG && b->succ_count > 1 ? em_exec_branch : em_exec_jump);
        i->extra = LS_NEW(d->arena, branch_info);
        if (i->fn == em_exec_branch) em_set_guard(d, i);
        break;
    }
    case LS_OP_RET: { /* in a kernel the thread ends: it must not wait for others at the end */
        insn *i = em_emit(d, d->c->is_kernel ? em_exec_exit : em_exec_return);
        if (!d->c->is_kernel) i->extra = LS_NEW(d->arena, branch_info);
        em_set_guard(d, i);
        break;
    }
    case LS_OP_BRX_IDX: {
        operand index = em_source(d, &in->src[0], 4);
        switch_info *s = LS_NEW(d->arena, switch_info);
        s->index = index;
        s->count = in->target_count;
        s->targets = LS_NEW_N(d->arena, const insn *, in->target_count + 1);
        em_emit(d, em_exec_switch)->extra = s;
        break;
    }
    default: break;
    }
}

/* Those that need no operands decoded. */
static const struct {
    uint32_t op;
    exec_fn run;
} PLAIN[] = {
    {LS_OP_PREFETCH, em_exec_nop},   {LS_OP_PREFETCHU, em_exec_nop}, {LS_OP_APPLYPRIORITY, em_exec_nop},
    {LS_OP_DISCARD, em_exec_nop},    {LS_OP_PMEVENT, em_exec_nop},   {LS_OP_BRKPT, em_exec_nop},
    {LS_OP_SETMAXNREG, em_exec_nop}, {LS_OP_TRAP, em_exec_trap},     {LS_OP_NANOSLEEP, em_exec_yield},
};

static bool decode_plain(decoder *d) {
    for (size_t i = 0; i < sizeof PLAIN / sizeof *PLAIN; i++)
        if (PLAIN[i].op == d->instr->op) return em_emit(d, PLAIN[i].run), true;
    return false;
}

static bool decode_memory(decoder *d) {
    uint32_t op = d->instr->op;
    bool is_access = op == LS_OP_LD || op == LS_OP_LDU || op == LS_OP_ST;
    if (is_access) em_decode_memory(d);
    return is_access || decode_plain(d);
}

static bool decode_atomic(decoder *d) {
    bool is_atomic = d->instr->op == LS_OP_ATOM || d->instr->op == LS_OP_RED;
    if (is_atomic) em_decode_atomic(d);
    return is_atomic;
}

static bool decode_move(decoder *d) {
    uint32_t op = d->instr->op;
    if (op == LS_OP_MOV) return em_decode_mov(d), true;
    return (op == LS_OP_CVT || op == LS_OP_CVTA || op == LS_OP_CVT_PACK) && em_decode_cvt(d);
}

static bool decode_by_class(decoder *d) {
    const ls_ptx_opcode *opcode = d->instr->form->opcode;
    switch (opcode ? opcode->class : LS_CLASS_UNKNOWN) {
    case LS_CLASS_MEMORY: return decode_memory(d);
    case LS_CLASS_ATOMIC: return decode_atomic(d);
    case LS_CLASS_WARP: return em_decode_warp(d);
    case LS_CLASS_MATRIX: return em_decode_fragment(d) || em_decode_wgmma(d) || em_decode_tcgen05(d);
    case LS_CLASS_TEXTURE:
    case LS_CLASS_SURFACE: return em_decode_sample(d);
    case LS_CLASS_ASYNC: return em_decode_async(d) || em_decode_bulk(d);
    case LS_CLASS_MOVE: return decode_move(d);
    case LS_CLASS_MISC: return decode_plain(d) || em_decode_tensor(d);
    default: return false;
    }
}

static void decode_one(decoder *d) {
    bool decoded = decode_by_class(d) || em_decode_cluster(d) || em_decode_contracted(d) || decode_lane(d) ||
                   em_decode_composed(d) || decode_scalar(d);
    if (!decoded) em_unsupported(d, "the instruction");
}

/* Instructions that look at their guard themselves. */
static bool decode_own_guard(decoder *d, const ls_ir_instr *in) {
    switch (in->op) {
    case LS_OP_BRA:
    case LS_OP_RET:
    case LS_OP_BRX_IDX: decode_end(d, in); return true;
    case LS_OP_EXIT: em_set_guard(d, em_emit(d, em_exec_exit)); return true;
    case LS_OP_CALL: em_decode_call(d); return true;
    default: break;
    }
    if (in->form->opcode && in->form->opcode->class == LS_CLASS_SYNC) {
        em_decode_barrier(d);
        return true;
    }
    return false;
}

static void decode_guarded(decoder *d) {
    const ls_ir_instr *in = d->instr;
    em_watch_guard(d);
    em_check_guard(d);
    if (in->guard.kind != LS_IR_REG) em_check_unit_registers(d);
    if (decode_own_guard(d, in)) {
        if (in != in->block->terminator) em_note_written(d);
        return;
    }
    if (in->guard.kind != LS_IR_REG) {
        em_watch_sources(d);
        em_check_sources(d);
        uint32_t from = d->out.length, first_slot = (uint32_t)d->next_slot, mark = d->used.length;
        decode_one(d);
        em_hoist(d, from, first_slot, mark);
        em_note_written(d);
        return;
    }
    em_register(d, in->guard.reg);
    uint32_t at = d->out.length;
    em_set_guard(d, em_emit(d, em_exec_guard));
    em_watch_sources(d);
    em_check_sources(d);
    em_check_unit_registers(d);
    decode_one(d);
    em_note_written(d);
    d->out.items[at].imm = d->out.length - at - 1; /* how many operations it covers */
}

static void new_site(decoder *d, const ls_ir_instr *in) {
    site s = {.pos = in->pos, .ast = in->ast, .ptx_line = in->pos->ptx_line};
    d->site = d->e->sites.length;
    LS_VEC_PUSH(&d->e->sites, s);
}

/* A function without instructions stands where it is declared: its end has a place, too. */
static void site_of_empty(decoder *d) {
    const ls_ptx_pos at = d->c->function->pos;
    const char *file = d->e->module->filename;
    ls_place *pos = LS_NEW(d->arena, ls_place);
    *pos = (ls_place){.file = file ? file : "?", .line = at.line, .is_ptx = true, .ptx_line = at.line};
    d->site = d->e->sites.length;
    LS_VEC_PUSH(&d->e->sites, ((site){.pos = pos, .ptx_line = at.line}));
}

/* Loops with a barrier in them are counted, so that threads that meet at it in different iterations are
 * found (000, Figure 4d). */
static bool loop_has_barrier(const ls_ir_loop *loop) {
    for (uint32_t b = 0; b < loop->block_count; b++)
        for (uint32_t i = 0; i < loop->blocks[b]->instr_count; i++) {
            const ls_ir_instr *in = loop->blocks[b]->instrs[i];
            if (in->form->opcode && in->form->opcode->effects & LS_BARRIER) return true;
        }
    return false;
}

/* A loop that begins with a wait (a block that branches to itself) has one header with it: an iteration is
 * counted where the wait is over. */
static const ls_ir_block *counted_at(const ls_ir_block *header) {
    for (uint32_t k = 0; k < 2 && header->succ_count == 2; k++) {
        const ls_ir_block *next = header->succs[1 - k];
        if (header->succs[k] == header && next != header && next->pred_count == 1) return next;
    }
    return header;
}

/* The loop of which an iteration begins here, or NULL. */
static const ls_ir_loop *begins(const ls_ir_block *b) {
    const ls_ir_block *candidates[2] = {b, b->pred_count == 1 ? b->preds[0] : NULL};
    for (uint32_t k = 0; k < 2; k++) {
        const ls_ir_block *h = candidates[k];
        if (h && h->is_loop_header && h->loop && h->loop->header == h && counted_at(h) == b) return h->loop;
    }
    return NULL;
}

static void decode_block(decoder *d, const ls_ir_block *b) {
    d->block_at[b->id] = d->out.length;
    if (b->instr_count) new_site(d, b->instrs[0]);
    if (d->is_reconvergence[b->id]) em_emit(d, em_exec_reconverge);
    const ls_ir_loop *loop = begins(b);
    if (loop && d->e->checks & LS_CHECK_BARRIER && d->c->is_kernel && loop->id < MAX_COUNTED_LOOPS &&
        loop_has_barrier(loop)) {
        em_emit(d, em_exec_loop)->imm = loop->id;
        if (loop->id >= d->c->counted_loops) d->c->counted_loops = loop->id + 1;
    }
    if (d->tails) em_enter_tail(d, d->tails[b->id]);
    em_enter_unit_block(d, b);
    for (uint32_t i = 0; i < b->instr_count; i++) {
        d->instr = b->instrs[i];
        new_site(d, d->instr);
        decode_guarded(d);
        em_note_writer(d);
    }
}

/* Control goes on to the block behind this one: by falling through or by a jump. */
const ls_ir_block *em_falls_to(const ls_ir_block *b) {
    const ls_ir_instr *end = b->terminator;
    if (!end) return b->succ_count ? b->succs[0] : NULL;
    if (end->op == LS_OP_BRX_IDX) return NULL;
    if (end->guard.kind != LS_IR_REG) return NULL;
    if (end->op == LS_OP_BRA || end->op == LS_OP_RET || end->op == LS_OP_EXIT)
        return b->succ_count > 1 ? b->succs[1] : b->succs[0];
    return b->succ_count ? b->succs[b->succ_count - 1] : NULL;
}

static void mark_reconvergence(decoder *d) {
    for (uint32_t b = 0; b < d->ir->block_count; b++) {
        const ls_ir_block *block = d->ir->blocks[b];
        if (block->succ_count < 2) continue;
        const ls_ir_block *r = block->ipdom ? block->ipdom : d->ir->exit;
        d->is_reconvergence[r->id] = true;
    }
    d->is_reconvergence[d->ir->exit->id] = true;
}

code *em_code_of(ls_emulator *e, const ls_ptx_function *function) {
    bool is_new;
    uint64_t *number = ls_intmap_at(&e->code_of, (uintptr_t)function, &is_new);
    if (!is_new) return e->codes.items[*number];
    code *c = LS_NEW(&e->arena, code);
    c->function = function;
    c->is_kernel = function->is_entry;
    *number = e->codes.length;
    LS_VEC_PUSH(&e->codes, c);
    return c;
}

static void decode(ls_emulator *e, code *c) {
    if (!c->function->body) return; /* external: stops the run where it is called */
    ls_ir_options options = {.stage = LS_IR_CFG, .no_inline = true, .no_promote = true, .quiet = true};
    c->ir = ls_ir_build(e->module, c->function, &options, e->diags);
    if (!c->ir) return;
    decoder d = {.e = e, .c = c, .ir = c->ir, .arena = &e->arena};
    d.registers = LS_NEW_N(d.arena, operand, c->ir->register_count + 1);
    for (uint32_t r = 0; r < c->ir->register_count; r++) d.registers[r].slot = NO_SLOT;
    d.block_at = LS_NEW_N(d.arena, uint32_t, c->ir->block_count + 1);
    d.is_reconvergence = LS_NEW_N(d.arena, bool, c->ir->block_count + 1);
    if (!em_place_objects(&d)) return;
    if (!c->is_kernel) em_place_signature(&d);
    mark_reconvergence(&d);
    em_find_undefined(&d);
    em_find_unit_registers(&d);
    em_find_tails(&d);
    em_count_assignments(&d);
    if (!c->function->instr_count) site_of_empty(&d);
    for (uint32_t b = 0; b < c->ir->block_count; b++) {
        const ls_ir_block *block = c->ir->blocks[b];
        decode_block(&d, block);
        const ls_ir_block *next = em_falls_to(block);
        if (next && (b + 1 == c->ir->block_count || c->ir->blocks[b + 1] != next)) {
            insn *i = em_emit(&d, em_exec_jump);
            i->extra = LS_NEW(d.arena, branch_info);
            i->aux = 1;
        }
        if (block == c->ir->exit) em_emit(&d, em_exec_exit); /* the end of a kernel */
    }
    c->before_count = d.before.length;
    c->before = LS_NEW_N(d.arena, insn, d.before.length + 1);
    if (d.before.length) memcpy(c->before, d.before.items, d.before.length * sizeof(insn));
    em_make_streams(&d);
    c->frame_bytes = (uint32_t)((d.next_slot + 63) / 64 * 64);
    c->decoded = d.next_slot <= MAX_REGISTER_FRAME;
    LS_VEC_FREE(&d.out);
    LS_VEC_FREE(&d.before);
    LS_VEC_FREE(&d.used);
    ls_intmap_free(&d.fixed);
    ls_intmap_free(&d.sums);
    for (int k = 0; k < 3; k++) ls_intmap_free(&d.constants[k]);
}

/* One after the other, not one within the other: chains of calls may be long. */
void em_decode_all(ls_emulator *e) {
    while (e->decoded < e->codes.length) decode(e, e->codes.items[e->decoded++]);
}
