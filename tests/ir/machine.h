/* A tiny machine for the tests of src/ir: one thread, integers only. It runs a function in two ways that know
 * nothing of each other: registers over the CFG as decoded, with calls and memory as they are in the PTX, and
 * values over SSA after inlining, promotion and gating. Both give the trace of global stores. On the way the
 * second checks what the passes claim: the gate of a join leads to the edge that was taken, and an access
 * goes to one of its bases at the offset that was computed. */
#ifndef TEST_IR_MACHINE_H
#define TEST_IR_MACHINE_H

#include "base/map.h"
#include "lockstep/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRACE_MOST = 256,
    TAG_SHIFT = 32,
    TAG_PARAM = 0x10000,
    TAG_SHARED = 0x20000,
    OBJECT_BYTES = 256,
    START = 0x40000000
};

typedef struct {
    uint64_t trace[TRACE_MOST];
    uint32_t trace_length;
    uint32_t fuel; /* steps left */
    bool ran_out;
    uint64_t tid;
    uint8_t shared[OBJECT_BYTES];
    uint64_t next_tag; /* of the next frame's private objects */
    char wrong[512];   /* the first claim that did not hold */
    uint32_t gates_checked, accesses_checked, etas_read, priors_read;
    /* Values that are claimed to be the same in all threads: what one thread saw, by value and iteration. */
    const bool *divergent; /* by value; NULL: not asked */
    ls_intmap *seen;
    uint32_t iteration[256]; /* by loop */
    uint32_t uniform_compared;
} machine;

static uint64_t mixed(uint64_t x) {
    x ^= x >> 31, x *= 0x9E3779B97F4A7C15u, x ^= x >> 29;
    return x * 0xBF58476D1CE4E5B9u;
}

static void complain(machine *m, const char *what, uint32_t where) {
    if (!m->wrong[0]) snprintf(m->wrong, sizeof m->wrong, "%s (instruction or block %u)", what, where);
}

/* --- Frames: registers or values, and private memory -----------------------------------------------------
 */
typedef struct {
    const ls_ir_function *f;
    uint64_t *cells; /* by register or by value */
    uint8_t *memory; /* OBJECT_BYTES for each object */
    uint64_t tag;    /* address of object i is (tag + i) << 32 */
    bool ssa;
} frame;

static frame new_frame(machine *m, const ls_ir_function *f, bool ssa) {
    frame fr = {.f = f, .ssa = ssa, .tag = m->next_tag};
    fr.cells = calloc((ssa ? f->value_count : f->register_count) + 1, sizeof *fr.cells);
    fr.memory = calloc(f->object_count + 1, OBJECT_BYTES);
    m->next_tag += 0x100;
    return fr;
}

static void free_frame(frame *fr) {
    free(fr->cells), free(fr->memory);
}

/* Where each object and buffer starts: far from the ends of its own range, so that pointers may move both
 * ways and still tell what they were made from. */
static uint64_t tagged(uint64_t tag) {
    return tag << TAG_SHIFT | START;
}

static uint64_t object_address(const frame *fr, uint32_t id) {
    return tagged(fr->f->objects[id]->kind == LS_OBJECT_SHARED ? TAG_SHARED : fr->tag + id);
}

static uint64_t buffer_address(uint32_t index) {
    return tagged(TAG_PARAM + index);
}

static uint64_t cut(uint64_t x, uint32_t bits) {
    return bits >= 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

static uint64_t value_of(machine *m, const frame *fr, const ls_ir_value *value) {
    switch (value->kind) {
    case LS_VALUE_ETA: m->etas_read++; return value_of(m, fr, value->eta.value);
    case LS_VALUE_IMM: return value->bits;
    case LS_VALUE_SREG: return m->tid;
    case LS_VALUE_OBJECT: return object_address(fr, value->object.id) + (uint64_t)value->object.offset;
    case LS_VALUE_UNDEF: return 0;
    default: return fr->cells[value->id];
    }
}

static uint64_t read_operand(machine *m, const frame *fr, const ls_ir_operand *o) {
    uint64_t x = 0;
    if (fr->ssa && o->value)
        x = value_of(m, fr, o->value);
    else if (o->kind == LS_IR_REG)
        x = fr->cells[o->reg];
    else if (o->kind == LS_IR_IMM)
        x = o->bits;
    else if (o->kind == LS_IR_SREG)
        x = m->tid;
    else if (o->kind == LS_IR_OBJECT)
        x = object_address(fr, o->object) + (uint64_t)(o->role == LS_ROLE_DATA ? o->offset : 0);
    return o->flags & LS_OPERAND_NOT ? !x : x;
}

static void write_operand(const frame *fr, const ls_ir_operand *o, uint64_t x) {
    if (o->kind != LS_IR_REG) return;
    x = cut(x, ls_ptx_type_bits((ls_ptx_type)fr->f->registers[o->reg].type));
    fr->cells[fr->ssa ? o->value->id : o->reg] = x;
}

/* --- Memory ----------------------------------------------------------------------------------------------
 */

typedef enum { MEMORY_BYTES, MEMORY_GLOBAL, MEMORY_NONE } memory_kind;

/* Private or shared memory has bytes, and nothing outside of its objects; global memory reads as a function
 * of the address. */
static memory_kind find_memory(machine *m, frame **frames, uint32_t count, uint64_t address, uint32_t size,
                               uint8_t **bytes) {
    uint64_t tag = address >> TAG_SHIFT, offset = (address & 0xFFFFFFFFu) - START;
    bool inside = offset < OBJECT_BYTES && offset + size <= OBJECT_BYTES;
    if (tag < 0x1000 || (tag >= TAG_PARAM && tag != TAG_SHARED)) return MEMORY_GLOBAL;
    if (!inside) return MEMORY_NONE;
    if (tag == TAG_SHARED) {
        *bytes = m->shared + offset;
        return MEMORY_BYTES;
    }
    for (uint32_t i = 0; i < count; i++)
        if (tag >= frames[i]->tag && tag < frames[i]->tag + frames[i]->f->object_count) {
            *bytes = frames[i]->memory + (tag - frames[i]->tag) * OBJECT_BYTES + offset;
            return MEMORY_BYTES;
        }
    return MEMORY_NONE;
}

static uint64_t load(machine *m, frame **frames, uint32_t count, uint64_t address, uint32_t size) {
    uint64_t x = 0;
    uint8_t *bytes = NULL;
    memory_kind kind = find_memory(m, frames, count, address, size, &bytes);
    if (kind == MEMORY_GLOBAL) return cut(mixed(address), size * 8);
    if (kind == MEMORY_BYTES) memcpy(&x, bytes, size);
    return x;
}

static void store(machine *m, frame **frames, uint32_t count, uint64_t address, uint32_t size, uint64_t x) {
    uint8_t *bytes = NULL;
    memory_kind kind = find_memory(m, frames, count, address, size, &bytes);
    if (kind == MEMORY_BYTES) memcpy(bytes, &x, size);
    if (kind != MEMORY_GLOBAL) return;
    if (m->trace_length < TRACE_MOST)
        m->trace[m->trace_length++] = mixed(address) ^ cut(x, size * 8);
    else
        m->ran_out = true;
}

/* --- Instructions ----------------------------------------------------------------------------------------
 */

static uint64_t sign_extended(uint64_t x, uint32_t bits) {
    if (bits < 64 && x >> (bits - 1) & 1) x |= ~((UINT64_C(1) << bits) - 1);
    return x;
}

static uint64_t widened_operand(machine *m, const frame *fr, const ls_ir_operand *o) {
    ls_ptx_type type = (ls_ptx_type)o->type;
    uint32_t bits = ls_ptx_type_bits(type);
    uint64_t x = cut(read_operand(m, fr, o), bits);
    return ls_ptx_type_kind_of(type) == LS_KIND_SIGNED ? sign_extended(x, bits) : x;
}

static bool compare(const ls_ptx_form *form, uint64_t a, uint64_t b) {
    switch (form->compare) {
    case LS_MOD_EQ: return a == b;
    case LS_MOD_NE: return a != b;
    case LS_MOD_LT: return a < b;
    default: return a >= b;
    }
}

/* The first result of an instruction that is neither control flow nor memory. */
static uint64_t compute(machine *m, const frame *fr, const ls_ir_instr *in) {
    uint64_t a = in->src_count > 0 ? read_operand(m, fr, &in->src[0]) : 0;
    uint64_t b = in->src_count > 1 ? read_operand(m, fr, &in->src[1]) : 0;
    uint64_t c = in->src_count > 2 ? read_operand(m, fr, &in->src[2]) : 0;
    bool wide = ls_ptx_form_has(in->form, LS_MOD_WIDE);
    if (wide) a = widened_operand(m, fr, &in->src[0]), b = widened_operand(m, fr, &in->src[1]);
    switch (in->op) {
    case LS_OP_MOV:
    case LS_OP_CVTA: return a;
    case LS_OP_CVT: return widened_operand(m, fr, &in->src[0]);
    case LS_OP_ADD: return a + b;
    case LS_OP_ADDC: return a + b + c;
    case LS_OP_SUB: return a - b;
    case LS_OP_MUL: return a * b;
    case LS_OP_MAD: return a * b + c;
    case LS_OP_AND: return a & b;
    case LS_OP_XOR: return a ^ b;
    case LS_OP_SHL: return a << (b & 31);
    case LS_OP_SETP: return compare(in->form, a, b);
    case LS_OP_SELP: return c ? a : b;
    default: complain(m, "the machine does not know this instruction", in->id); return 0;
    }
}

static uint64_t run_function(machine *m, const ls_ptx_module *module, const ls_ir_function *f, bool ssa,
                             frame **callers, uint32_t depth, const frame *arguments,
                             const ls_ir_instr *call);

static void execute_access(machine *m, frame **frames, uint32_t depth, const ls_ir_instr *in) {
    frame *fr = frames[depth];
    bool is_load = in->op == LS_OP_LD;
    ls_ptx_type type = ls_ptx_form_type(in->form, 0);
    uint32_t size = ls_ptx_type_bits(type) / 8, count = in->form->vector > 1 ? in->form->vector : 1;
    uint64_t address = read_operand(m, fr, &in->src[0]) + (uint64_t)in->src[0].offset;
    bool is_signed = ls_ptx_type_kind_of(type) == LS_KIND_SIGNED;
    for (uint32_t i = 0; i < count; i++) {
        if (is_load) {
            uint64_t x = load(m, frames, depth + 1, address + i * size, size);
            write_operand(fr, &in->dst[i], is_signed ? sign_extended(x, size * 8) : x);
        } else {
            store(m, frames, depth + 1, address + i * size, size, read_operand(m, fr, &in->src[1 + i]));
        }
    }
}

/* Calls of functions without a body: a result that depends on the arguments. */
static void call_external(machine *m, frame **frames, uint32_t depth, const ls_ir_instr *in) {
    frame *fr = frames[depth];
    uint64_t sum = 7;
    for (uint32_t i = 0; i < in->call->arg_count; i++) {
        const ls_ir_argument *argument = &in->call->args[i];
        for (uint32_t k = 0; k < argument->count; k++) {
            const ls_ir_operand *o = &in->src[argument->first + k];
            uint64_t x = o->kind == LS_IR_OBJECT
                             ? load(m, frames, depth + 1, object_address(fr, o->object), 4)
                             : read_operand(m, fr, o);
            sum = mixed(sum + x);
        }
    }
    for (uint32_t i = 0; i < in->dst_count; i++) {
        const ls_ir_operand *o = &in->dst[i];
        if (o->kind == LS_IR_OBJECT ||
            (!fr->ssa && in->call->results[0].object != LS_IR_NONE && o->kind != LS_IR_REG))
            store(m, frames, depth + 1, object_address(fr, o->object), 4, sum);
        else
            write_operand(fr, o, cut(sum, 32));
    }
}

static void call_internal(machine *m, const ls_ptx_module *module, frame **frames, uint32_t depth,
                          const ls_ir_instr *in) {
    ls_ir_options plain = {.stage = LS_IR_CFG, .no_inline = true, .no_promote = true, .quiet = true};
    ls_ir_function *callee = ls_ir_build(module, in->call->callee->definition, &plain, NULL);
    if (depth < 14)
        run_function(m, module, callee, false, frames, depth + 1, frames[depth], in);
    else
        m->ran_out = true;
    ls_ir_free(callee);
}

static void execute(machine *m, const ls_ptx_module *module, frame **frames, uint32_t depth,
                    const ls_ir_instr *in) {
    frame *fr = frames[depth];
    if (in->guard.kind != LS_IR_ABSENT && !read_operand(m, fr, &in->guard)) {
        for (uint32_t d = 0; fr->ssa && d < in->dst_count; d++) {
            if (in->dst[d].kind == LS_IR_REG) write_operand(fr, &in->dst[d], value_of(m, fr, in->prior[d]));
            m->priors_read++;
        }
        return;
    }
    if (in->call && in->call->callee && in->call->callee->definition && in->call->callee->definition->body)
        call_internal(m, module, frames, depth, in);
    else if (in->call)
        call_external(m, frames, depth, in);
    else if (in->op == LS_OP_LD || in->op == LS_OP_ST)
        execute_access(m, frames, depth, in);
    else if (in->op == LS_OP_MOV && in->dst_count == 2) { /* mov.b64 {a, b}, c */
        uint64_t x = read_operand(m, fr, &in->src[0]);
        write_operand(fr, &in->dst[0], x & 0xFFFFFFFFu), write_operand(fr, &in->dst[1], x >> 32);
    } else if (in->dst_count) {
        uint64_t x = compute(m, fr, in);
        bool carries = in->dst_count == 2 && (in->op == LS_OP_ADD || in->op == LS_OP_ADDC);
        bool carry = carries && (x >> 32 & 1);
        write_operand(fr, &in->dst[0], x);
        if (carries)
            write_operand(fr, &in->dst[1], carry);
        else if (in->dst_count == 2)
            write_operand(fr, &in->dst[1], !x); /* setp p|q */
    }
}

/* --- Claims of the passes, checked where they apply ------------------------------------------------------
 */

static const ls_ir_gate *chosen_edge(machine *m, const frame *fr, const ls_ir_gate *gate) {
    while (gate && gate->kind != LS_GATE_EDGE) {
        bool negated = false;
        if (gate->kind == LS_GATE_ETA) {
            gate = gate->parts[0];
            continue;
        }
        uint64_t x = value_of(m, fr, ls_ir_branch_predicate(gate->block, &negated));
        const ls_ir_instr *end = gate->block->terminator;
        uint32_t way = (x != 0) != negated ? 0 : 1;
        if (end->op == LS_OP_BRX_IDX)
            for (way = 0; gate->block->succs[way] != end->targets[x % end->target_count];) way++;
        gate = gate->parts[way];
    }
    return gate;
}

static void check_gate(machine *m, const frame *fr, const ls_ir_block *block, uint32_t edge) {
    bool back = block->is_loop_header && block->preds[edge]->id >= block->id;
    const ls_ir_gate *gate = back ? block->carried : block->gate;
    if (!gate) return;
    const ls_ir_gate *leaf = chosen_edge(m, fr, gate);
    m->gates_checked++;
    if (!leaf || leaf->edge != edge) complain(m, "the gate leads to another edge", block->id);
}

static bool base_address(const frame *fr, const ls_ir_base *base, uint64_t *out) {
    if (base->kind == LS_BASE_OBJECT)
        *out = object_address(fr, base->object);
    else if (base->kind == LS_BASE_PARAM)
        *out = buffer_address(fr->f->objects[base->object]->index);
    else
        return false;
    return true;
}

static void check_access(machine *m, const frame *fr, const ls_ir_access *access) {
    uint64_t address = read_operand(m, fr, &access->instr->src[access->src]);
    address += (uint64_t)access->instr->src[access->src].offset;
    if (!access->has_offset || access->other_bases) return;
    bool fits = false;
    for (uint32_t b = 0; b < access->base_count && !fits; b++) {
        uint64_t start, sum = (uint64_t)access->constant;
        if (!base_address(fr, access->bases[b], &start)) return;
        for (uint32_t t = 0; t < access->term_count; t++) {
            const ls_ir_term *term = &access->terms[t];
            uint32_t bits = ls_ptx_type_bits((ls_ptx_type)term->value->type);
            uint64_t x = cut(value_of(m, fr, term->value), bits);
            if (term->extend == LS_EXTEND_SIGN) x = sign_extended(x, bits);
            sum += (uint64_t)term->coefficient * (term->relative ? x - start : x);
        }
        fits = start + sum == address && start >> TAG_SHIFT == address >> TAG_SHIFT;
    }
    m->accesses_checked++;
    if (!fits) complain(m, "the access is not where its base and offset say", access->instr->id);
}

/* A value that does not differ between threads is the same in the same iteration of the loops around it. */
static void check_uniform(machine *m, const frame *fr, const ls_ir_value *value) {
    if (!m->divergent || m->divergent[value->id]) return;
    uint64_t key = mixed(value->id + 1);
    bool is_new;
    for (const ls_ir_loop *loop = value->block->loop; loop; loop = loop->parent)
        key = mixed(key * 31 + loop->id * 1000003u + m->iteration[loop->id & 255]);
    uint64_t *at = ls_intmap_at(m->seen, key, &is_new);
    if (is_new)
        *at = fr->cells[value->id];
    else
        m->uniform_compared++;
    if (*at == fr->cells[value->id] || m->wrong[0]) return;
    char name[64];
    ls_ir_value_name(fr->f, value, name, sizeof name);
    snprintf(m->wrong, sizeof m->wrong, "%s is %llx here and %llx there", name,
             (unsigned long long)fr->cells[value->id], (unsigned long long)*at);
}

static void count_iteration(machine *m, const ls_ir_block *from, const ls_ir_block *to) {
    if (!to->is_loop_header) return;
    uint32_t *count = &m->iteration[to->loop->id & 255];
    *count = ls_ir_loop_contains(to->loop, from) ? *count + 1 : 0;
}

/* --- Control ---------------------------------------------------------------------------------------------
 */

static const ls_ir_block *next_block(machine *m, const frame *fr, const ls_ir_block *block) {
    const ls_ir_instr *end = block->terminator;
    if (!end) return block->succs[0];
    if (end->op == LS_OP_BRX_IDX) return end->targets[read_operand(m, fr, &end->src[0]) % end->target_count];
    bool taken = end->guard.kind == LS_IR_ABSENT || read_operand(m, fr, &end->guard);
    if (end->op == LS_OP_BRA && taken) return end->src[0].block;
    if (taken) return fr->f->exit;
    return block->succs[block->succ_count - 1];
}

static void enter_block(machine *m, const frame *fr, const ls_ir_block *from, const ls_ir_block *to) {
    uint32_t edge = 0;
    uint64_t values[64];
    count_iteration(m, from, to);
    if (!fr->ssa || !to->phi_count) return;
    while (to->preds[edge] != from) edge++;
    check_gate(m, fr, to, edge);
    for (uint32_t i = 0; i < to->phi_count && i < 64; i++)
        values[i] = value_of(m, fr, to->phis[i]->args[edge]);
    for (uint32_t i = 0; i < to->phi_count && i < 64; i++) fr->cells[to->phis[i]->value->id] = values[i];
    for (uint32_t i = 0; i < to->phi_count && i < 64; i++) check_uniform(m, fr, to->phis[i]->value);
}

static void pass_parameters(machine *m, frame **frames, uint32_t depth, const frame *caller,
                            const ls_ir_instr *call, bool in) {
    frame *fr = frames[depth];
    for (uint32_t i = 0; i < fr->f->object_count; i++) {
        const ls_ir_object *object = fr->f->objects[i];
        if (object->kind != (in ? LS_OBJECT_PARAM : LS_OBJECT_RETURN)) continue;
        const ls_ir_argument *argument =
            in ? &call->call->args[object->index] : &call->call->results[object->index];
        const ls_ir_operand *o = in ? &call->src[argument->first] : &call->dst[argument->first];
        uint8_t *mine = fr->memory + i * OBJECT_BYTES;
        uint64_t x = 0;
        if (argument->object != LS_IR_NONE) {
            uint8_t *theirs = caller->memory + argument->object * OBJECT_BYTES;
            memcpy(in ? mine : theirs, in ? theirs : mine, object->size);
        } else if (in) {
            x = read_operand(m, caller, o);
            memcpy(mine, &x, object->size);
        } else {
            memcpy(&x, mine, object->size);
            write_operand(caller, o, x);
        }
    }
}

static uint64_t run_function(machine *m, const ls_ptx_module *module, const ls_ir_function *f, bool ssa,
                             frame **frames, uint32_t depth, const frame *caller, const ls_ir_instr *call) {
    frame fr = new_frame(m, f, ssa);
    frames[depth] = &fr;
    if (call) pass_parameters(m, frames, depth, caller, call, true);
    for (uint32_t i = 0; !call && i < f->object_count; i++) { /* a kernel's parameters: pointers, numbers */
        uint64_t x = buffer_address(f->objects[i]->index);
        if (f->objects[i]->kind != LS_OBJECT_PARAM) continue;
        if (f->objects[i]->size == 4) x = mixed(f->objects[i]->index) & 15;
        memcpy(fr.memory + i * OBJECT_BYTES, &x, f->objects[i]->size);
    }
    const ls_ir_block *block = f->entry;
    while (block != f->exit && !m->ran_out) {
        for (uint32_t i = 0; i < block->instr_count; i++) {
            const ls_ir_instr *in = block->instrs[i];
            if (!m->fuel--) m->ran_out = true;
            if (m->ran_out) break;
            if (in == block->terminator) continue;
            bool runs = in->guard.kind == LS_IR_ABSENT || read_operand(m, &fr, &in->guard);
            for (uint32_t a = 0; ssa && runs && a < in->access_count; a++)
                check_access(m, &fr, &in->accesses[a]);
            execute(m, module, frames, depth, in);
            for (uint32_t d = 0; ssa && d < in->dst_count; d++)
                if (in->dst[d].value) check_uniform(m, &fr, in->dst[d].value);
        }
        if (m->ran_out || (!block->instr_count && !m->fuel--)) break;
        const ls_ir_block *next = next_block(m, &fr, block);
        enter_block(m, &fr, block, next);
        block = next;
    }
    if (call) pass_parameters(m, frames, depth, caller, call, false);
    free_frame(&fr);
    return 0;
}

static void run_machine(machine *m, const ls_ptx_module *module, const ls_ir_function *f, bool ssa,
                        uint32_t fuel, uint64_t tid) {
    frame *frames[16] = {0};
    *m = (machine){.fuel = fuel, .tid = tid, .next_tag = 0x1000};
    run_function(m, module, f, ssa, frames, 0, NULL, NULL);
}

#endif
