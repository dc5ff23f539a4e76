/* The text dump of a function: its objects, then each block with where it stands in the CFG, its phis (as γ
 * and μ with gating), the η of loops that are left to it, and its instructions, with source lines behind. */
#include "ir/dump.h"
#include "base/recover.h"

#include <stdio.h>

enum { COMMENT_COLUMN = 64 };

/* Characters, not bytes, since the start of the line: continuation bytes of UTF-8 are not counted. */
static size_t column_of(const ls_buf *out, size_t start) {
    size_t column = 0;
    for (size_t i = start; i < out->length; i++) column += (out->text[i] & 0xC0) != 0x80;
    return column;
}

static void put_comment(ls_buf *out, size_t start) {
    size_t column = column_of(out, start);
    for (; column < COMMENT_COLUMN; column++) ls_buf_putc(out, ' ');
    ls_buf_puts(out, "  ; ");
}

static void dump_header(ls_buf *out, const ls_ir_function *f) {
    ls_buf_printf(out, "%s %s: %u instructions, %u blocks, %u loops",
                  f->ptx->is_entry ? "kernel" : "function", f->name, f->instr_count, f->block_count,
                  f->loop_count);
    if (f->irreducible_count) ls_buf_printf(out, ", irreducible");
    if (f->stats.inlined_calls) ls_buf_printf(out, ", %u calls inlined", f->stats.inlined_calls);
    if (f->stats.promoted_slots) ls_buf_printf(out, ", %u slots promoted", f->stats.promoted_slots);
    ls_buf_putc(out, '\n');
    for (uint32_t i = 0; i < f->object_count; i++) {
        static const char *const kinds[] = {"parameter", "result",   "call parameter", "local",   "shared",
                                            "global",    "constant", "texture",        "function"};
        const ls_ir_object *object = f->objects[i];
        if (object->promoted || object->kind == LS_OBJECT_FUNCTION) continue;
        ls_buf_printf(out, "  %s %s", kinds[object->kind], object->name);
        if (object->size)
            ls_buf_printf(out, ": %llu bytes", (unsigned long long)object->size);
        else
            ls_buf_puts(out, ": size not known");
        if (object->escapes) ls_buf_puts(out, ", escapes");
        ls_buf_putc(out, '\n');
    }
}

static void put_block_list(ls_buf *out, const char *title, ls_ir_block *const *blocks, uint32_t count) {
    if (!count) return;
    ls_buf_printf(out, "  %s", title);
    for (uint32_t i = 0; i < count; i++) ls_buf_printf(out, " b%u", blocks[i]->id);
}

static void dump_block_header(ls_buf *out, const ls_ir_function *f, const ls_ir_block *block) {
    ls_buf_printf(out, "\nb%u", block->id);
    if (block->label) ls_buf_printf(out, " %s", block->label);
    ls_buf_puts(out, block == f->entry ? " (entry):" : block == f->exit ? " (exit):" : ":");
    put_block_list(out, "preds", block->preds, block->pred_count);
    put_block_list(out, "succs", block->succs, block->succ_count);
    if (block->idom) ls_buf_printf(out, "  idom b%u", block->idom->id);
    if (block->ipdom) ls_buf_printf(out, "  ipdom b%u", block->ipdom->id);
    if (block->loop)
        ls_buf_printf(out, "  %s b%u depth %u", block->is_loop_header ? "heads loop" : "in loop",
                      block->loop->header->id, block->loop->depth);
    if (block->irreducible_entry) ls_buf_puts(out, "  irreducible entry");
    if (block->never_exits) ls_buf_puts(out, "  never exits");
    ls_buf_putc(out, '\n');
}

static void dump_line(ls_buf *out, const ls_ir_function *f, const ls_ir_instr *instr, ls_ir_dump_kind kind) {
    size_t start = out->length;
    ls_buf_puts(out, "    ");
    dump_instr(out, f, instr, kind);
    put_comment(out, start);
    dump_position(out, instr->pos);
    for (uint32_t i = 0; kind == LS_DUMP_GSA && i < instr->access_count; i++) {
        ls_buf_puts(out, "  ");
        dump_access(out, f, &instr->accesses[i]);
    }
    ls_buf_putc(out, '\n');
}

static char *dump_text(const ls_ir_function *f, ls_ir_dump_kind kind) {
    ls_buf out = {0};
    kind = dump_limit(f, kind);
    dump_header(&out, f);
    LS_SCRATCH(scratch);
    eta_index etas = eta_index_new(&scratch, f);
    for (uint32_t b = 0; b < f->block_count; b++) {
        const ls_ir_block *block = f->blocks[b];
        dump_block_header(&out, f, block);
        for (uint32_t i = 0; kind != LS_DUMP_CFG && i < block->phi_count; i++) {
            ls_buf_puts(&out, "    ");
            dump_phi(&out, f, block->phis[i], kind);
            ls_buf_putc(&out, '\n');
        }
        for (uint32_t i = etas.start[block->id]; kind == LS_DUMP_GSA && i < etas.start[block->id + 1]; i++) {
            ls_buf_puts(&out, "    ");
            dump_eta(&out, f, etas.items[i]);
            ls_buf_putc(&out, '\n');
        }
        for (uint32_t i = 0; i < block->instr_count; i++) dump_line(&out, f, block->instrs[i], kind);
    }
    return out.text;
}

char *ls_ir_dump(const ls_ir_function *f, ls_ir_dump_kind kind) {
    LS_GUARDED((ls_escape_further(), NULL), dump_text(f, kind));
}
