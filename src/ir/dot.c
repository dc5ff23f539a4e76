/* The Graphviz dump of a function: one node a block with what the text dump has in it, edges marked with the
 * predicate that leads along them, back edges dashed. */
#include "base/recover.h"
#include "ir/dump.h"

#include <stdio.h>

/* Left-justified lines of a label: quotes and backslashes are escaped, each line ends in \l. */
static void put_escaped(ls_buf *out, const ls_buf *line) {
    for (const char *c = ls_buf_text(line); *c; c++) {
        if (*c == '"' || *c == '\\') ls_buf_putc(out, '\\');
        ls_buf_putc(out, *c);
    }
    ls_buf_puts(out, "\\l");
}

static void put_source(ls_buf *line, const ls_place *pos) {
    ls_buf_puts(line, "    ; ");
    dump_position(line, pos);
}

static void dot_block(ls_buf *out, const ls_ir_function *f, const ls_ir_block *block, const eta_index *etas,
                      ls_ir_dump_kind kind) {
    ls_buf line = {0};
    ls_buf_printf(out, "  b%u [label=\"", block->id);
    ls_buf_printf(&line, "b%u", block->id);
    if (block->label) ls_buf_printf(&line, " %s", block->label);
    ls_buf_puts(&line, block == f->entry ? " (entry)" : block == f->exit ? " (exit)" : "");
    put_escaped(out, &line);
    for (uint32_t i = 0; kind != LS_DUMP_CFG && i < block->phi_count; i++) {
        line.length = 0;
        dump_phi(&line, f, block->phis[i], kind);
        put_escaped(out, &line);
    }
    for (uint32_t i = etas->start[block->id]; kind == LS_DUMP_GSA && i < etas->start[block->id + 1]; i++) {
        line.length = 0;
        dump_eta(&line, f, etas->items[i]);
        put_escaped(out, &line);
    }
    for (uint32_t i = 0; i < block->instr_count; i++) {
        line.length = 0;
        dump_instr(&line, f, block->instrs[i], kind);
        put_source(&line, block->instrs[i]->pos);
        put_escaped(out, &line);
    }
    ls_buf_printf(out, "\"%s];\n", block->is_loop_header ? ", style=bold" : "");
    ls_buf_free(&line);
}

static void put_edge_label(ls_buf *out, const ls_ir_function *f, const ls_ir_block *block, uint32_t succ,
                           ls_ir_dump_kind kind) {
    const ls_ir_instr *end = block->terminator;
    if (block->succ_count < 2 || !end) return;
    if (end->op == LS_OP_BRX_IDX) {
        ls_buf_puts(out, " [label=\"");
        for (uint32_t i = 0, shown = 0; i < end->target_count; i++)
            if (end->targets[i] == block->succs[succ]) ls_buf_printf(out, "%s%u", shown++ ? "," : "", i);
        ls_buf_puts(out, "\"]");
        return;
    }
    char name[512];
    bool negated = (end->guard.flags & LS_OPERAND_NOT) != 0;
    if (kind != LS_DUMP_CFG && end->guard.value)
        ls_ir_value_name(f, end->guard.value, name, sizeof name);
    else
        snprintf(name, sizeof name, "%s",
                 end->guard.kind == LS_IR_REG ? f->registers[end->guard.reg].name : "");
    ls_buf_printf(out, " [label=\"%s%s\"]", (succ == 0) == negated ? "!" : "", name);
}

static char *dot_text(const ls_ir_function *f, ls_ir_dump_kind kind) {
    ls_buf out = {0};
    kind = dump_limit(f, kind);
    LS_SCRATCH(scratch);
    eta_index etas = eta_index_new(&scratch, f);
    ls_buf_printf(&out, "digraph \"%s\" {\n  label=\"%s\";\n  labelloc=t;\n", f->name, f->name);
    ls_buf_puts(&out, "  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
                      "  edge [fontname=\"monospace\", fontsize=9];\n");
    for (uint32_t i = 0; i < f->block_count; i++) dot_block(&out, f, f->blocks[i], &etas, kind);
    for (uint32_t i = 0; i < f->block_count; i++) {
        const ls_ir_block *block = f->blocks[i];
        for (uint32_t s = 0; s < block->succ_count; s++) {
            ls_buf_printf(&out, "  b%u -> b%u", block->id, block->succs[s]->id);
            put_edge_label(&out, f, block, s, kind);
            ls_buf_puts(&out, block->succs[s]->id <= block->id ? " [style=dashed];\n" : ";\n");
        }
    }
    ls_buf_puts(&out, "}\n");
    return out.text;
}

char *ls_ir_dot(const ls_ir_function *f, ls_ir_dump_kind kind) {
    LS_GUARDED((ls_escape_further(), NULL), dot_text(f, kind));
}
