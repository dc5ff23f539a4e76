/* Promotion of .local variables (the depot with its many slots) and of the .param variables of calls to
 * registers, so that they take part in SSA. Which address each register holds is found without regard to the
 * order of instructions: a register or slot holds one known address (object + constant) or it does not. The
 * analysis starts from the best case and takes back what turns out wrong:
 *   - an address that is used in any way other than copying, adding a constant, comparing, or as the address
 *     of a plain load or store makes its object escape: all of it stays memory;
 *   - accesses that overlap without being equal make their slots stay memory;
 *   - a pointer kept in a slot is known as long as the slot is a register.
 * What remains is rewritten: stores become moves to a slot's register, loads moves from it. A slot that is
 * read but never written reads as undefined. */
#include "ir/private.h"

#include "base/recover.h"

#include <assert.h>

enum { MAX_OBJECT = 1 << 16, MAX_ROUNDS = 64 };

typedef enum { CELL_UNSEEN, CELL_ADDRESS, CELL_OTHER } cell_state;

typedef struct { /* what a register or slot holds */
    uint8_t state;
    uint32_t object;
    int64_t offset;
} cell;

typedef struct {
    uint32_t object, offset, bytes;
    uint8_t type;
    bool bad; /* stays memory */
    uint32_t reg;
    cell holds;
} slot;

typedef struct {
    ls_ir_function *f;
    cell *cells; /* by register */
    ls_arena *scratch;
    uint32_t **owners; /* by object: for each byte the slot it is in + 1; NULL: nothing accessed yet */
    bool *escaped;     /* by object; set for those that are no candidates at all */
    ls_intmap extents; /* object, offset (below 2^16) and bytes → slot */
    LS_VEC(slot) slots;
    bool changed;
} promotion;

static void escape(promotion *p, uint32_t object) {
    if (p->escaped[object]) return;
    p->escaped[object] = true;
    p->changed = true;
}

static void escape_cell(promotion *p, const cell *c) {
    if (c->state == CELL_ADDRESS) escape(p, c->object);
}

/* *into takes what another definition brings. */
static void join(promotion *p, cell *into, cell from) {
    if (from.state == CELL_UNSEEN) return;
    if (into->state == CELL_UNSEEN) {
        *into = from;
        p->changed = true;
        return;
    }
    if (into->state == from.state &&
        (from.state == CELL_OTHER || (into->object == from.object && into->offset == from.offset)))
        return;
    escape_cell(p, into);
    escape_cell(p, &from);
    if (into->state != CELL_OTHER) {
        into->state = CELL_OTHER;
        p->changed = true;
    }
}

static const cell other = {.state = CELL_OTHER};

static cell operand_cell(const promotion *p, const ls_ir_operand *operand) {
    if (operand->kind == LS_IR_REG) return p->cells[operand->reg];
    if (operand->kind == LS_IR_OBJECT) {
        int64_t offset = operand->role == LS_ROLE_DATA ? operand->offset : 0;
        return (cell){CELL_ADDRESS, operand->object, offset};
    }
    return other;
}

/* --- Slots -----------------------------------------------------------------------------------------------
 */

static void make_bad(promotion *p, uint32_t index) {
    slot *s = &p->slots.items[index];
    if (s->bad) return;
    s->bad = true;
    escape_cell(p, &s->holds);
    s->holds = other;
    p->changed = true;
}

static uint32_t new_slot(promotion *p, uint32_t object, uint32_t offset, uint32_t bytes, ls_ptx_type type) {
    slot fresh = {
        .object = object, .offset = offset, .bytes = bytes, .type = (uint8_t)type, .reg = LS_IR_NONE};
    uint32_t index = p->slots.length, *owner = p->owners[object] + offset;
    bool overlaps = false;
    LS_VEC_PUSH(&p->slots, fresh);
    for (uint32_t i = 0; i < bytes; i++) {
        overlaps |= owner[i] != 0;
        if (owner[i]) make_bad(p, owner[i] - 1);
        owner[i] = index + 1;
    }
    if (overlaps || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)) make_bad(p, index);
    return index;
}

/* The slot of exactly these bytes; LS_IR_NONE where the object cannot have one. */
static uint32_t find_slot(promotion *p, uint32_t object, int64_t offset, uint32_t bytes, ls_ptx_type type) {
    uint64_t size = p->f->objects[object]->size;
    if (p->escaped[object]) return LS_IR_NONE;
    if (offset < 0 || (uint64_t)offset + bytes > size) {
        escape(p, object);
        return LS_IR_NONE;
    }
    if (!p->owners[object]) {
        p->owners[object] = LS_NEW_N(p->scratch, uint32_t, size);
    }
    bool is_new;
    uint64_t *at = ls_intmap_at(&p->extents, (uint64_t)object << 32 | (uint64_t)offset << 8 | bytes, &is_new);
    if (is_new) *at = new_slot(p, object, (uint32_t)offset, bytes, type);
    slot *s = &p->slots.items[*at];
    if (s->type != type) s->type = (uint8_t)ir_bits_type(bytes * 8);
    return (uint32_t)*at;
}

typedef struct {
    uint32_t slots[8];
    uint32_t count; /* 0: not a plain access of a candidate */
    bool all_good;
} slot_access;

static bool is_plain_access(const ls_ir_instr *instr) {
    if (instr->unknown || !instr->form->opcode->plain) return false;
    return instr->src_count && ir_is_access_role(instr->src[0].role);
}

static slot_access access_slots(promotion *p, const ls_ir_instr *instr) {
    slot_access a = {.all_good = true};
    bool load = instr->op != LS_OP_ST;
    const ls_ir_operand *address = &instr->src[0];
    cell at = operand_cell(p, address);
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    uint32_t bytes = ls_ptx_type_bits(type) / 8;
    uint32_t count = instr->form->vector > 1 ? instr->form->vector : 1;
    uint32_t data = load ? instr->dst_count : instr->src_count - 1u;
    if (at.state != CELL_ADDRESS || p->escaped[at.object]) return a;
    if (!bytes || count > 8 || data < count) {
        escape(p, at.object);
        return a;
    }
    for (uint32_t i = 0; i < count; i++) {
        int64_t offset = (int64_t)((uint64_t)at.offset + (uint64_t)address->offset + i * bytes);
        a.slots[i] = find_slot(p, at.object, offset, bytes, type);
        if (a.slots[i] == LS_IR_NONE) return (slot_access){0};
    }
    for (uint32_t i = 0; i < count; i++) a.all_good &= !p->slots.items[a.slots[i]].bad;
    for (uint32_t i = 0; i < count && !a.all_good; i++) make_bad(p, a.slots[i]);
    a.count = count;
    return a;
}

/* --- Transfer --------------------------------------------------------------------------------------------
 */

static void set_dst(promotion *p, const ls_ir_operand *dst, cell c) {
    if (dst->kind == LS_IR_REG)
        join(p, &p->cells[dst->reg], c);
    else
        escape_cell(p, &c);
}

static void transfer_access(promotion *p, const ls_ir_instr *instr) {
    bool load = instr->op != LS_OP_ST;
    if (operand_cell(p, &instr->src[0]).state == CELL_UNSEEN) return; /* the address is still to come */
    slot_access a = access_slots(p, instr);
    for (uint32_t i = 0; load && i < instr->dst_count; i++) {
        bool known = a.count && a.all_good && i < a.count;
        /* A slot that nothing has been stored to yet says nothing yet. */
        set_dst(p, &instr->dst[i], known ? p->slots.items[a.slots[i]].holds : other);
    }
    for (uint32_t i = 1; i < instr->src_count; i++) {
        cell value = operand_cell(p, &instr->src[i]);
        bool kept = !load && a.count && a.all_good && i - 1 < a.count;
        if (kept)
            join(p, &p->slots.items[a.slots[i - 1]].holds, value);
        else
            escape_cell(p, &value);
    }
}

/* dst = address + constant, if this instruction is one. */
static bool transfer_copy(promotion *p, const ls_ir_instr *instr) {
    if (instr->unknown || instr->dst_count != 1) return false;
    ls_ptx_linear kind = instr->form->opcode->linear;
    bool copies = kind == LS_LINEAR_COPY && instr->src_count == 1;
    bool adds = (kind == LS_LINEAR_SUM || kind == LS_LINEAR_DIFFERENCE) && instr->src_count == 2;
    if (copies) {
        set_dst(p, &instr->dst[0], operand_cell(p, &instr->src[0]));
        return true;
    }
    if (!adds || ls_ptx_type_kind_of(ls_ptx_form_type(instr->form, 0)) == LS_KIND_FLOAT) return false;
    bool swapped = kind == LS_LINEAR_SUM && instr->src[0].kind == LS_IR_IMM;
    const ls_ir_operand *base = &instr->src[swapped], *constant = &instr->src[!swapped];
    if (constant->kind != LS_IR_IMM) return false;
    cell sum = operand_cell(p, base);
    if (sum.state == CELL_ADDRESS) {
        uint64_t bits = constant->bits;
        if (ls_ptx_type_bits((ls_ptx_type)constant->type) == 32) bits = (uint64_t)(int64_t)(int32_t)bits;
        if (kind == LS_LINEAR_DIFFERENCE) bits = -bits;
        sum.offset = (int64_t)((uint64_t)sum.offset + bits);
    }
    set_dst(p, &instr->dst[0], sum);
    return true;
}

static bool only_compares(const ls_ir_instr *instr) {
    return instr->op == LS_OP_SETP || instr->op == LS_OP_ISSPACEP;
}

/* A call that stays passes .param objects by value: what their slots hold gets out. */
static void transfer_call(promotion *p, const ls_ir_instr *instr) {
    for (uint32_t i = 0; i < instr->src_count; i++) {
        cell value = operand_cell(p, &instr->src[i]);
        bool by_value = instr->src[i].kind == LS_IR_OBJECT &&
                        p->f->objects[instr->src[i].object]->kind == LS_OBJECT_CALL_PARAM &&
                        instr->src[i].offset == 0;
        if (!by_value) escape_cell(p, &value);
    }
    for (uint32_t i = 0; i < instr->dst_count; i++)
        if (instr->dst[i].kind == LS_IR_REG) join(p, &p->cells[instr->dst[i].reg], other);
}

static void transfer(promotion *p, const ls_ir_instr *instr) {
    if (instr->call) {
        transfer_call(p, instr);
    } else if (is_plain_access(instr)) {
        transfer_access(p, instr);
    } else if (!transfer_copy(p, instr)) {
        for (uint32_t i = 0; i < instr->src_count && !only_compares(instr); i++) {
            cell value = operand_cell(p, &instr->src[i]);
            escape_cell(p, &value);
        }
        for (uint32_t i = 0; i < instr->dst_count; i++)
            if (instr->dst[i].kind == LS_IR_REG) join(p, &p->cells[instr->dst[i].reg], other);
    }
}

/* Contents of slots that calls pass on, and of objects that escaped; results that calls leave in slots. */
static void settle_slots(promotion *p, const bool *arguments, const bool *results) {
    for (uint32_t i = 0; i < p->slots.length; i++) {
        slot *s = &p->slots.items[i];
        if (p->escaped[s->object] && !s->bad) make_bad(p, i);
        if (s->bad && p->f->objects[s->object]->kind == LS_OBJECT_CALL_PARAM) escape(p, s->object);
        if (arguments[s->object]) escape_cell(p, &s->holds);
        if (results[s->object]) join(p, &s->holds, other);
    }
}

/* --- Rewriting -------------------------------------------------------------------------------------------
 */

static uint32_t slot_register(promotion *p, uint32_t index) {
    slot *s = &p->slots.items[index];
    if (s->reg != LS_IR_NONE) return s->reg;
    const char *name =
        ls_arena_printf(&p->f->hidden->arena, "%s+%u", p->f->objects[s->object]->name, s->offset);
    s->reg = ir_new_register(p->f, LS_REGISTER_SLOT, name, (ls_ptx_type)s->type);
    p->f->registers[s->reg].object = s->object;
    p->f->registers[s->reg].offset = s->offset;
    p->f->stats.promoted_slots++;
    return s->reg;
}

static ls_ptx_type integer_type(uint32_t bits, bool is_signed) {
    static const uint8_t types[2][4] = {{LS_TYPE_U8, LS_TYPE_U16, LS_TYPE_U32, LS_TYPE_U64},
                                        {LS_TYPE_S8, LS_TYPE_S16, LS_TYPE_S32, LS_TYPE_S64}};
    return (ls_ptx_type)types[is_signed][bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3];
}

/* Width of what an operand holds, which may be more than the access takes (ld.u8 into a 32-bit register). */
static uint32_t operand_bits(const promotion *p, const ls_ir_operand *operand, uint32_t accessed) {
    if (operand->kind != LS_IR_REG) return accessed;
    return ls_ptx_type_bits((ls_ptx_type)p->f->registers[operand->reg].type);
}

/* A store cuts to the slot's width, a load extends from it as its type says. */
static ls_ir_instr *made_move(promotion *p, const ls_ir_instr *access, uint32_t index, uint32_t element) {
    ls_ir_function *f = p->f;
    bool load = access->op != LS_OP_ST;
    uint32_t bits = p->slots.items[index].bytes * 8;
    ls_ir_operand slot_operand = {
        .kind = LS_IR_REG, .reg = slot_register(p, index), .part = (uint16_t)element};
    ls_ir_operand data = load ? access->dst[element] : access->src[1 + element];
    uint32_t wide = operand_bits(p, &data, bits);
    bool is_signed = ls_ptx_type_kind_of(ls_ptx_form_type(access->form, 0)) == LS_KIND_SIGNED;
    ls_ptx_type narrow_type = ir_bits_type(bits), wide_type = ir_bits_type(wide);
    const ls_ptx_form *form;
    if (wide == bits) {
        form = ir_make_form(f, LS_OP_MOV, LS_SPACE_GENERIC, narrow_type, LS_TYPE_NONE);
    } else {
        narrow_type = integer_type(bits, is_signed), wide_type = integer_type(wide, is_signed);
        form = ir_make_form(f, LS_OP_CVT, LS_SPACE_GENERIC, load ? wide_type : narrow_type,
                            load ? narrow_type : wide_type);
    }
    slot_operand.type = (uint8_t)narrow_type;
    data.type = (uint8_t)wide_type;
    ls_ir_instr *move = ir_new_instr(f, form, 1, 1);
    move->dst[0] = load ? data : slot_operand;
    move->src[0] = load ? slot_operand : data;
    move->guard = access->guard;
    move->ast = access->ast;
    move->pos = access->pos;
    move->made = true;
    return move;
}

static void rewrite_access(promotion *p, ls_ir_instr *instr, const slot_access *a, ls_ir_instr **out,
                           uint32_t *count) {
    bool load = instr->op != LS_OP_ST;
    for (uint32_t i = 0; i < a->count; i++) {
        if (load && instr->dst[i].kind != LS_IR_REG) continue;
        out[(*count)++] = made_move(p, instr, a->slots[i], i);
    }
}

typedef LS_VEC(ls_ir_operand) operand_list;

/* The slots of an argument or result, in order of their bytes. */
static void add_slots(promotion *p, uint32_t object, uint32_t operand, operand_list *out) {
    uint64_t size = p->f->objects[object]->size;
    for (uint64_t byte = 0; p->owners[object] && byte < size; byte++) {
        uint32_t owner = p->owners[object][byte];
        if (!owner || p->slots.items[owner - 1].offset != byte) continue;
        ls_ir_operand o = {.kind = LS_IR_REG, .flags = LS_IR_IMPLICIT, .operand = (uint8_t)operand};
        o.reg = slot_register(p, owner - 1);
        o.type = p->slots.items[owner - 1].type;
        o.offset = (int64_t)byte;
        LS_VEC_PUSH(out, o);
    }
}

static void rewrite_arguments(promotion *p, const ls_ir_operand *old, ls_ir_argument *arguments,
                              uint32_t count, operand_list *out) {
    for (uint32_t i = 0; i < count; i++) {
        ls_ir_argument *argument = &arguments[i];
        uint32_t first = argument->first, object = argument->object;
        bool slots = object != LS_IR_NONE && !p->escaped[object];
        argument->first = out->length;
        if (slots)
            add_slots(p, object, i, out);
        else
            for (uint32_t k = 0; k < argument->count; k++) LS_VEC_PUSH(out, old[first + k]);
        argument->count = out->length - argument->first;
    }
}

static void rewrite_call(promotion *p, ls_ir_instr *instr) {
    ls_arena *arena = &p->f->hidden->arena;
    operand_list src = {0}, dst = {0};
    LS_VEC_PUSH(&src, instr->src[0]);
    rewrite_arguments(p, instr->src, instr->call->args, instr->call->arg_count, &src);
    rewrite_arguments(p, instr->dst, instr->call->results, instr->call->result_count, &dst);
    assert(src.length <= UINT16_MAX && dst.length <= UINT16_MAX);
    instr->src_count = (uint16_t)src.length;
    instr->src = ls_arena_alloc(arena, sizeof *src.items * src.length);
    memcpy(instr->src, src.items, sizeof *src.items * src.length);
    instr->dst_count = (uint16_t)dst.length;
    instr->dst = ls_arena_alloc(arena, sizeof *instr->dst * (dst.length + 1));
    if (dst.length) memcpy(instr->dst, dst.items, sizeof *dst.items * dst.length);
    LS_VEC_FREE(&src);
    LS_VEC_FREE(&dst);
}

static void rewrite_block(promotion *p, ls_ir_block *block, ls_ir_instr ***buffer, uint32_t *capacity) {
    uint32_t count = 0;
    if (*capacity < block->instr_count * 8 + 8) {
        *capacity = 2 * (block->instr_count * 8 + 8);
        *buffer = ls_arena_alloc(p->scratch, sizeof **buffer * *capacity);
    }
    for (uint32_t i = 0; i < block->instr_count; i++) {
        ls_ir_instr *instr = block->instrs[i];
        slot_access a = {0};
        if (instr->call)
            rewrite_call(p, instr);
        else if (is_plain_access(instr))
            a = access_slots(p, instr);
        if (a.count && a.all_good)
            rewrite_access(p, instr, &a, *buffer, &count);
        else
            (*buffer)[count++] = instr;
    }
    block->instrs = ls_arena_alloc(&p->f->hidden->arena, sizeof *block->instrs * (count + 1));
    if (count) memcpy(block->instrs, *buffer, sizeof **buffer * count);
    block->instr_count = count;
}

static void rewrite(promotion *p) {
    ls_ir_instr **buffer = NULL;
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < p->f->block_count; i++) rewrite_block(p, p->f->blocks[i], &buffer, &capacity);
    for (uint32_t i = 0; i < p->f->object_count; i++) {
        ls_ir_object *object = p->f->objects[i];
        if (object->kind != LS_OBJECT_LOCAL && object->kind != LS_OBJECT_CALL_PARAM) continue;
        object->escapes = p->escaped[i];
        object->promoted = !p->escaped[i];
        for (uint64_t b = 0; p->owners[i] && b < object->size; b++)
            if (p->owners[i][b] && p->slots.items[p->owners[i][b] - 1].bad) object->promoted = false;
        p->f->stats.promoted_objects += object->promoted;
    }
}

/* --- The pass --------------------------------------------------------------------------------------------
 */

static bool choose_candidates(promotion *p) {
    bool any = false;
    for (uint32_t i = 0; i < p->f->object_count; i++) {
        const ls_ir_object *object = p->f->objects[i];
        bool candidate = object->kind == LS_OBJECT_LOCAL || object->kind == LS_OBJECT_CALL_PARAM;
        p->escaped[i] = !candidate || !object->size || object->size > MAX_OBJECT;
        any |= !p->escaped[i];
    }
    return any;
}

/* An instruction has room for so many operands: a call with more bytes than that keeps its arguments as
 * memory. */
static void refuse_large_calls(promotion *p) {
    for (uint32_t i = 0; i < p->f->instr_count; i++) {
        const ls_ir_call *call = p->f->instrs[i]->call;
        uint64_t bytes = 0;
        for (uint32_t a = 0; call && a < call->arg_count + call->result_count; a++) {
            const ls_ir_argument *arg =
                a < call->arg_count ? &call->args[a] : &call->results[a - call->arg_count];
            bytes += arg->object == LS_IR_NONE ? 1 : p->f->objects[arg->object]->size + 1;
        }
        for (uint32_t a = 0; call && bytes > UINT16_MAX / 2 && a < call->arg_count + call->result_count;
             a++) {
            const ls_ir_argument *arg =
                a < call->arg_count ? &call->args[a] : &call->results[a - call->arg_count];
            if (arg->object != LS_IR_NONE) p->escaped[arg->object] = true;
        }
    }
}

static void mark_call_objects(const ls_ir_function *f, bool *arguments, bool *results) {
    for (uint32_t i = 0; i < f->instr_count; i++) {
        const ls_ir_call *call = f->instrs[i]->call;
        for (uint32_t a = 0; call && a < call->arg_count; a++)
            if (call->args[a].object != LS_IR_NONE) arguments[call->args[a].object] = true;
        for (uint32_t r = 0; call && r < call->result_count; r++)
            if (call->results[r].object != LS_IR_NONE) results[call->results[r].object] = true;
    }
}

static bool solve(promotion *p) {
    uint32_t n = p->f->object_count;
    bool *arguments = ls_arena_zalloc(p->scratch, 2 * n + 1), *results = arguments + n;
    mark_call_objects(p->f, arguments, results);
    uint32_t rounds = 0;
    do {
        p->changed = false;
        for (uint32_t i = 0; i < p->f->instr_count; i++) transfer(p, p->f->instrs[i]);
        settle_slots(p, arguments, results);
    } while (p->changed && ++rounds < MAX_ROUNDS);
    return !p->changed;
}

void ir_promote(ls_ir_function *f) {
    LS_SCRATCH(scratch);
    promotion p = {.f = f, .scratch = &scratch};
    p.cells = ls_arena_zalloc(&scratch, sizeof *p.cells * (f->register_count + 1));
    p.owners = LS_NEW_N(&scratch, uint32_t *, f->object_count + 1);
    p.escaped = LS_NEW_N(&scratch, bool, f->object_count + 1);
    bool any = choose_candidates(&p);
    refuse_large_calls(&p);
    if (any && solve(&p)) {
        rewrite(&p);
        ir_number_instrs(f);
    }
    ls_intmap_free(&p.extents);
    LS_VEC_FREE(&p.slots);
}
