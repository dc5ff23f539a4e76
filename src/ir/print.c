/* Printing of instructions, phis, gates and accesses, one line each, for the dumps. */
#include "ir/dump.h"

#include <stdio.h>

ls_ir_dump_kind dump_limit(const ls_ir_function *f, ls_ir_dump_kind kind) {
    if (f->stage == LS_IR_CFG) return LS_DUMP_CFG;
    if (f->stage == LS_IR_SSA && kind == LS_DUMP_GSA) return LS_DUMP_SSA;
    return kind;
}

void dump_position(ls_buf *out, const ls_place *pos) {
    for (const char *separator = ""; pos; pos = pos->at, separator = " < ") {
        const char *slash = strrchr(pos->file, '/');
        ls_buf_printf(out, "%s%s:%u", separator, slash ? slash + 1 : pos->file, pos->line);
    }
}

static void put_value(ls_buf *out, const ls_ir_function *f, const ls_ir_value *value) {
    char name[512];
    if (!value) {
        ls_buf_puts(out, "?");
        return;
    }
    ls_ir_value_name(f, value, name, sizeof name);
    ls_buf_puts(out, name);
}

/* --- Operands --------------------------------------------------------------------------------------------
 */

static void put_unvalued(ls_buf *out, const ls_ir_function *f, const ls_ir_operand *operand) {
    ls_ir_value constant = {.kind = LS_VALUE_IMM, .type = operand->type, .bits = operand->bits};
    ls_ir_value special = {.kind = LS_VALUE_SREG, .element = operand->element, .sreg = operand->sreg};
    switch (operand->kind) {
    case LS_IR_REG: ls_buf_puts(out, f->registers[operand->reg].name); break;
    case LS_IR_IMM: put_value(out, f, &constant); break;
    case LS_IR_SREG: put_value(out, f, &special); break;
    case LS_IR_OBJECT:
        if (operand->role == LS_ROLE_DATA) ls_buf_putc(out, '&');
        ls_buf_puts(out, f->objects[operand->object]->name);
        if (operand->role == LS_ROLE_DATA && operand->offset)
            ls_buf_printf(out, "%+lld", (long long)operand->offset);
        break;
    case LS_IR_BLOCK: ls_buf_printf(out, "b%u", operand->block->id); break;
    case LS_IR_SINK: ls_buf_putc(out, '_'); break;
    case LS_IR_OTHER:
        ls_buf_puts(out, operand->ast && operand->ast->kind == LS_OPERAND_SYMBOL && operand->ast->symbol
                             ? operand->ast->symbol->name
                             : "…");
        break;
    default: break;
    }
}

static void put_operand(ls_buf *out, const ls_ir_function *f, const ls_ir_operand *operand,
                        ls_ir_dump_kind kind) {
    bool brackets = ir_is_access_role(operand->role) || operand->role == LS_ROLE_POINTER;
    if (operand->flags & LS_OPERAND_NOT) ls_buf_putc(out, '!');
    if (operand->flags & LS_OPERAND_MINUS) ls_buf_putc(out, '-');
    if (brackets) ls_buf_putc(out, '[');
    bool named = operand->kind == LS_IR_REG && operand->value && kind != LS_DUMP_CFG;
    if (named)
        put_value(out, f, operand->value);
    else
        put_unvalued(out, f, operand);
    if (brackets && operand->offset) ls_buf_printf(out, "%+lld", (long long)operand->offset);
    if (brackets) ls_buf_putc(out, ']');
}

static void put_operands(ls_buf *out, const ls_ir_function *f, const ls_ir_operand *operands, uint32_t first,
                         uint32_t count, ls_ir_dump_kind kind) {
    for (uint32_t i = first; i < first + count; i++) {
        if (i > first) ls_buf_puts(out, ", ");
        put_operand(out, f, &operands[i], kind);
    }
}

/* --- Instructions ----------------------------------------------------------------------------------------
 */

static void put_call(ls_buf *out, const ls_ir_function *f, const ls_ir_instr *instr, ls_ir_dump_kind kind) {
    ls_buf_putc(out, ' ');
    if (instr->call->name)
        ls_buf_puts(out, instr->call->name);
    else
        put_operand(out, f, &instr->src[0], kind);
    ls_buf_putc(out, '(');
    for (uint32_t i = 0; i < instr->call->arg_count; i++) {
        const ls_ir_argument *argument = &instr->call->args[i];
        if (i) ls_buf_puts(out, "; ");
        put_operands(out, f, instr->src, argument->first, argument->count, kind);
    }
    ls_buf_putc(out, ')');
}

static void put_prior(ls_buf *out, const ls_ir_function *f, const ls_ir_instr *instr) {
    ls_buf_puts(out, " else ");
    for (uint32_t i = 0; i < instr->dst_count; i++) {
        if (i) ls_buf_puts(out, ", ");
        put_value(out, f, instr->prior[i]);
    }
}

void dump_instr(ls_buf *out, const ls_ir_function *f, const ls_ir_instr *instr, ls_ir_dump_kind kind) {
    if (instr->dst_count) {
        put_operands(out, f, instr->dst, 0, instr->dst_count, kind);
        ls_buf_puts(out, " = ");
    }
    if (ir_is_guarded(instr)) {
        ls_buf_putc(out, '@');
        put_operand(out, f, &instr->guard, kind);
        ls_buf_putc(out, ' ');
    }
    ls_buf_add(out, instr->form->text, instr->form->length);
    if (instr->call) {
        put_call(out, f, instr, kind);
    } else if (instr->op == LS_OP_BRX_IDX) {
        ls_buf_putc(out, ' ');
        if (instr->src_count) put_operand(out, f, &instr->src[0], kind);
        for (uint32_t i = 0; i < instr->target_count; i++)
            ls_buf_printf(out, "%sb%u", i ? ", " : " → ", instr->targets[i]->id);
    } else if (instr->src_count) {
        ls_buf_putc(out, ' ');
        put_operands(out, f, instr->src, 0, instr->src_count, kind);
    }
    if (instr->prior && kind != LS_DUMP_CFG) put_prior(out, f, instr);
    if (instr->unknown) ls_buf_puts(out, " (unknown)");
}

/* --- Phis and gates --------------------------------------------------------------------------------------
 */

typedef struct { /* one step of printing a gate: a gate, or text that follows one */
    const ls_ir_gate *gate;
    const char *text;
} todo;

static void put_loop_predicates(ls_buf *out, const ls_ir_function *f, const ls_ir_loop *loop) {
    for (uint32_t i = 0; i < loop->exit_branch_count; i++) {
        if (i) ls_buf_puts(out, ", ");
        put_value(out, f, ls_ir_branch_predicate(loop->exit_branches[i], NULL));
    }
}

/* Whether a γ is printed the other way round: γ(p: a, b) rather than γ(!p: b, a). */
static bool is_swapped(const ls_ir_gate *gate) {
    bool negated = false;
    if (gate->kind == LS_GATE_GAMMA) ls_ir_branch_predicate(gate->block, &negated);
    return negated && gate->part_count == 2;
}

/* γ(p: a, b), η(loop, …), or the phi's argument. The stack holds what is still to print. */
static void put_gate(ls_buf *out, const ls_ir_function *f, const ls_ir_phi *phi, const ls_ir_gate *root) {
    enum { MOST = 200 }; /* a DAG printed as a tree can be far larger than it is */
    LS_VEC(todo) stack = {0};
    todo first = {root, NULL};
    uint32_t printed = 0;
    LS_VEC_PUSH(&stack, first);
    while (stack.length) {
        todo next = stack.items[--stack.length];
        if (next.text) {
            ls_buf_puts(out, next.text);
        } else if (!next.gate) {
            ls_buf_puts(out, "∅");
        } else if (next.gate->kind == LS_GATE_EDGE) {
            put_value(out, f, phi->args[next.gate->edge]);
        } else if (++printed > MOST) {
            ls_buf_puts(out, "…");
        } else {
            bool gamma = next.gate->kind == LS_GATE_GAMMA;
            todo close = {NULL, ")"}, comma = {NULL, ", "};
            ls_buf_puts(out, gamma ? "γ(" : "η(");
            bool swapped = is_swapped(next.gate);
            if (gamma)
                put_value(out, f, ls_ir_branch_predicate(next.gate->block, NULL));
            else
                ls_buf_printf(out, "loop b%u", next.gate->loop->header->id);
            ls_buf_puts(out, ": ");
            LS_VEC_PUSH(&stack, close);
            for (uint32_t i = next.gate->part_count; i-- > 0;) {
                todo part = {next.gate->parts[swapped ? 1 - i : i], NULL};
                LS_VEC_PUSH(&stack, part);
                if (i) LS_VEC_PUSH(&stack, comma);
            }
        }
    }
    LS_VEC_FREE(&stack);
}

void dump_phi(ls_buf *out, const ls_ir_function *f, const ls_ir_phi *phi, ls_ir_dump_kind kind) {
    put_value(out, f, phi->value);
    ls_buf_puts(out, " = ");
    if (kind == LS_DUMP_GSA && phi->kind == LS_PHI_GAMMA) {
        put_gate(out, f, phi, phi->block->gate);
        return;
    }
    if (kind == LS_DUMP_GSA && phi->kind == LS_PHI_MU) {
        ls_buf_puts(out, "μ(");
        put_gate(out, f, phi, phi->block->gate);
        ls_buf_puts(out, ", ");
        put_gate(out, f, phi, phi->block->carried);
        ls_buf_putc(out, ')');
        return;
    }
    ls_buf_puts(out, "φ(");
    for (uint32_t i = 0; i < phi->block->pred_count; i++) {
        ls_buf_printf(out, "%sb%u: ", i ? ", " : "", phi->block->preds[i]->id);
        put_value(out, f, phi->args[i]);
    }
    ls_buf_putc(out, ')');
}

static const ls_ir_block *eta_place(const ls_ir_value *eta) {
    const ls_ir_loop *loop = eta->eta.loop;
    const ls_ir_block *first = NULL;
    for (uint32_t i = 0; i < loop->exit_count; i++)
        if (!first || loop->exits[i].to->id < first->id) first = loop->exits[i].to;
    return first;
}

eta_index eta_index_new(ls_arena *arena, const ls_ir_function *f) {
    eta_index index = {ls_arena_alloc(arena, sizeof *index.items * (f->stats.etas + 1)),
                       LS_NEW_N(arena, uint32_t, f->block_count + 2)};
    for (int filling = 0; filling < 2; filling++) {
        for (uint32_t i = 0; f->stats.etas && i < f->value_count; i++) {
            const ls_ir_block *place = f->values[i]->kind == LS_VALUE_ETA ? eta_place(f->values[i]) : NULL;
            if (!place) continue;
            if (filling)
                index.items[index.start[place->id + 1]++] = f->values[i];
            else
                index.start[place->id + 2]++; /* one too far: the filling moves it back */
        }
        for (uint32_t b = 0; !filling && b < f->block_count + 1; b++) index.start[b + 1] += index.start[b];
    }
    return index;
}

void dump_eta(ls_buf *out, const ls_ir_function *f, const ls_ir_value *eta) {
    put_value(out, f, eta);
    ls_buf_puts(out, " = η(");
    put_loop_predicates(out, f, eta->eta.loop);
    ls_buf_puts(out, ": ");
    put_value(out, f, eta->eta.value);
    ls_buf_putc(out, ')');
}

/* --- Accesses --------------------------------------------------------------------------------------------
 */

static void put_term(ls_buf *out, const ls_ir_function *f, const ls_ir_access *access,
                     const ls_ir_term *term) {
    static const char *const extends[] = {"", "zext ", "sext "};
    if (term->coefficient == -1)
        ls_buf_putc(out, '-');
    else if (term->coefficient != 1)
        ls_buf_printf(out, "%lld·", (long long)term->coefficient);
    ls_buf_puts(out, term->relative || term->extend ? "(" : "");
    ls_buf_puts(out, extends[term->extend]);
    put_value(out, f, term->value);
    if (term->relative) ls_buf_puts(out, access->base_count ? " - base" : "");
    ls_buf_puts(out, term->relative || term->extend ? ")" : "");
}

void dump_access(ls_buf *out, const ls_ir_function *f, const ls_ir_access *access) {
    static const char *const kinds[] = {"read", "write", "atomic"};
    static const char *const certainties[] = {"", "?", ""};
    ls_buf_printf(out, "%s %s%s ", kinds[access->kind], ls_ptx_space_text((ls_ptx_space)access->space),
                  access->space_certainty == LS_ASSUMED ? certainties[1] : "");
    if (access->bytes) ls_buf_printf(out, "%u", access->bytes);
    if (access->count > 1) ls_buf_printf(out, "×%u", access->count);
    if (access->bytes) ls_buf_putc(out, ' ');
    for (uint32_t i = 0; i < access->base_count; i++)
        ls_buf_printf(out, "%s%s", i ? "|" : "", access->bases[i]->name);
    if (access->other_bases) ls_buf_puts(out, access->base_count ? "|?" : "?");
    ls_buf_puts(out, access->has_offset ? "[" : " at [");
    for (uint32_t i = 0; i < access->term_count; i++) {
        if (i) ls_buf_puts(out, " + ");
        put_term(out, f, access, &access->terms[i]);
    }
    if (!access->term_count)
        ls_buf_printf(out, "%lld", (long long)access->constant);
    else if (access->constant)
        ls_buf_printf(out, " %c %llu", access->constant < 0 ? '-' : '+',
                      access->constant < 0 ? -(unsigned long long)access->constant
                                           : (unsigned long long)access->constant);
    ls_buf_putc(out, ']');
}
