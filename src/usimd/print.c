/* Programs as text: the canonical form (one instruction a line, labels before it), and what the language's
 * operations are called. */
#include "base/recover.h"
#include "usimd/program.h"

#include <string.h>

const binary_info usimd_binaries[BINARY_COUNT] = {
#define USIMD_BINARY_ROW(id, text, ptx, compares) [BINARY_##id] = {text, ptx, compares},
    USIMD_BINARY(USIMD_BINARY_ROW)
#undef USIMD_BINARY_ROW
};

uint32_t ls_usimd_threads(const ls_usimd *p) {
    return p->threads ? p->threads : DEFAULT_THREADS;
}

uint32_t ls_usimd_variable_count(const ls_usimd *p) {
    return p->variable_count;
}

const char *ls_usimd_variable(const ls_usimd *p, uint32_t index) {
    return p->variables[index].name;
}

uint32_t ls_usimd_instruction_count(const ls_usimd *p) {
    return p->instr_count;
}

uint32_t ls_usimd_line(const ls_usimd *p, uint32_t index) {
    return p->instrs[index].line;
}

const char *ls_usimd_label(const ls_usimd *p, uint32_t index) {
    return p->label_of[index] ? p->label_of[index]->name : NULL;
}

/* --- Instructions ------------------------------------------------------------------------------------------
 */
typedef struct {
    ls_buf *out;
    const ls_usimd *p;
    uint32_t index;
    usimd_namer name;
    const void *context;
} writer;

static void put_operand(const writer *w, operand o, bool is_dst) {
    const char *name = w->name ? w->name(w->context, o, is_dst, w->index) : NULL;
    if (name)
        ls_buf_puts(w->out, name);
    else if (o.kind == OPERAND_CONSTANT)
        ls_buf_printf(w->out, "%d", o.value);
    else
        ls_buf_puts(w->out, o.kind == OPERAND_TID ? "tid" : w->p->variables[o.value].name);
}

static void put_dst(const writer *w, const instr *i) {
    put_operand(w, (operand){OPERAND_VARIABLE, (int32_t)i->dst}, true);
}

static void put_branch(const writer *w, const instr *i) {
    ls_buf_puts(w->out, i->kind == INSTR_BZ ? "bz " : "bnz ");
    put_operand(w, i->a, false);
    ls_buf_printf(w->out, ", %s", w->p->label_of[i->target]->name);
}

static void put_binary(const writer *w, const instr *i) {
    bool call = i->op == BINARY_MIN || i->op == BINARY_MAX;
    put_dst(w, i);
    ls_buf_puts(w->out, " = ");
    if (call) ls_buf_printf(w->out, "%s(", usimd_binaries[i->op].text);
    put_operand(w, i->a, false);
    if (call)
        ls_buf_puts(w->out, ", ");
    else
        ls_buf_printf(w->out, " %s ", usimd_binaries[i->op].text);
    put_operand(w, i->b, false);
    if (call) ls_buf_putc(w->out, ')');
}

void usimd_put_instr(ls_buf *out, const ls_usimd *p, uint32_t index, usimd_namer name, const void *context) {
    writer w = {out, p, index, name, context};
    const instr *i = &p->instrs[index];
    switch (i->kind) {
    case INSTR_BZ:
    case INSTR_BNZ: put_branch(&w, i); break;
    case INSTR_JUMP: ls_buf_printf(out, "jump %s", p->label_of[i->target]->name); break;
    case INSTR_STORE:
        ls_buf_puts(out, "↑");
        put_operand(&w, i->a, false);
        ls_buf_puts(out, " = ");
        put_operand(&w, i->b, false);
        break;
    case INSTR_LOAD:
    case INSTR_COPY:
        put_dst(&w, i);
        ls_buf_puts(out, i->kind == INSTR_LOAD ? " = ↓" : " = ");
        put_operand(&w, i->a, false);
        break;
    case INSTR_ATOMIC:
        put_dst(&w, i);
        ls_buf_puts(out, " ←a ");
        put_operand(&w, i->a, false);
        ls_buf_puts(out, " + 1");
        break;
    case INSTR_BINARY: put_binary(&w, i); break;
    case INSTR_SYNC: ls_buf_puts(out, "sync"); break;
    case INSTR_STOP: ls_buf_puts(out, "stop"); break;
    }
}

static char *instruction_text(const ls_usimd *p, uint32_t index) {
    ls_buf out = {0};
    usimd_put_instr(&out, p, index, NULL, NULL);
    return out.text;
}

char *ls_usimd_instruction(const ls_usimd *p, uint32_t index) {
    LS_GUARDED((ls_escape_further(), NULL), instruction_text(p, index));
}

/* --- Programs ----------------------------------------------------------------------------------------------
 */
static void put_memory(ls_buf *out, const ls_usimd *p) {
    uint32_t last = p->memory_size;
    while (last && !p->initial[last - 1]) last--;
    ls_buf_printf(out, "memory %u", p->memory_size);
    for (uint32_t i = 0; i < last; i++) ls_buf_printf(out, "%s%d", i ? ", " : " = {", p->initial[i]);
    ls_buf_puts(out, last ? "}\n" : "\n");
}

static char *print_program(const ls_usimd *p) {
    ls_buf out = {0};
    if (p->threads) ls_buf_printf(&out, "threads %u\n", p->threads);
    put_memory(&out, p);
    for (uint32_t v = 0; v < p->variable_count; v++)
        if (p->variables[v].is_input)
            ls_buf_printf(&out, "input %s = %d\n", p->variables[v].name, p->variables[v].value);
    for (uint32_t i = 0, l = 0; i < p->instr_count; i++) {
        for (; l < p->label_count && p->labels[l].instr == i; l++)
            ls_buf_printf(&out, "%s:\n", p->labels[l].name);
        ls_buf_puts(&out, "    ");
        usimd_put_instr(&out, p, i, NULL, NULL);
        ls_buf_putc(&out, '\n');
    }
    return out.text;
}

static char *form_text(const ls_usimd *p, ls_usimd_form form) {
    if (form == LS_USIMD_PROGRAM) return print_program(p);
    usimd_ptx ptx = usimd_translate(p, 0);
    char *text = ptx.text;
    ptx.text = NULL;
    usimd_ptx_free(&ptx);
    return text;
}

char *ls_usimd_print(const ls_usimd *p, ls_usimd_form form) {
    LS_GUARDED((ls_escape_further(), NULL), form_text(p, form));
}
