/* The syntax tree as indented text, for `lockstep ptx --dump ast`. */
#include "base/buf.h"
#include "base/recover.h"
#include "lockstep/ptx.h"
#include "ptx/tables.h"

#include <inttypes.h>

static const char *const operand_names[] = {
    [LS_OPERAND_REGISTER] = "register", [LS_OPERAND_SYMBOL] = "symbol", [LS_OPERAND_INT] = "int",
    [LS_OPERAND_F32] = "f32",           [LS_OPERAND_F64] = "f64",       [LS_OPERAND_VECTOR] = "vector",
    [LS_OPERAND_ADDRESS] = "address",   [LS_OPERAND_PAIR] = "pair",     [LS_OPERAND_LIST] = "list",
    [LS_OPERAND_SINK] = "sink",         [LS_OPERAND_STRING] = "text",
};

static const char *const class_names[] = {
    [LS_CLASS_UNKNOWN] = "unknown", [LS_CLASS_INTEGER] = "integer", [LS_CLASS_FLOAT] = "float",
    [LS_CLASS_COMPARE] = "compare", [LS_CLASS_LOGIC] = "logic",     [LS_CLASS_MOVE] = "move",
    [LS_CLASS_MEMORY] = "memory",   [LS_CLASS_ATOMIC] = "atomic",   [LS_CLASS_CONTROL] = "control",
    [LS_CLASS_SYNC] = "sync",       [LS_CLASS_WARP] = "warp",       [LS_CLASS_ASYNC] = "async",
    [LS_CLASS_TEXTURE] = "texture", [LS_CLASS_SURFACE] = "surface", [LS_CLASS_MATRIX] = "matrix",
    [LS_CLASS_VIDEO] = "video",     [LS_CLASS_MISC] = "misc",
};

static void indent(ls_buf *out, uint32_t depth) {
    for (uint32_t i = 0; i < depth; i++) ls_buf_puts(out, "  ");
}

static void dump_operand(ls_buf *out, const ls_ptx_operand *operand, uint32_t depth) {
    indent(out, depth);
    ls_buf_puts(out, operand_names[operand->kind]);
    switch ((ls_ptx_operand_kind)operand->kind) {
    case LS_OPERAND_REGISTER:
    case LS_OPERAND_SYMBOL:
        ls_buf_printf(out, " %s%s%s", operand->flags & LS_OPERAND_NOT ? "!" : "",
                      operand->flags & LS_OPERAND_MINUS ? "-" : "", operand->symbol->name);
        if (operand->kind == LS_OPERAND_REGISTER)
            ls_buf_printf(out, " .%s", ls_ptx_type_text((ls_ptx_type)operand->symbol->type));
        if (operand->element) ls_buf_printf(out, " element %u", operand->element);
        if (operand->flags & LS_OPERAND_HAS_OFFSET) ls_buf_printf(out, " offset %" PRId64, operand->offset);
        break;
    case LS_OPERAND_INT: ls_buf_printf(out, " %" PRId64, (int64_t)operand->value); break;
    case LS_OPERAND_F32:
    case LS_OPERAND_F64: ls_buf_printf(out, " 0x%" PRIx64, operand->value); break;
    case LS_OPERAND_STRING: ls_buf_printf(out, " %s", operand->text); break;
    default: break;
    }
    ls_buf_putc(out, '\n');
    if (operand->kind >= LS_OPERAND_VECTOR && operand->kind <= LS_OPERAND_LIST)
        for (uint32_t i = 0; i < operand->count; i++) dump_operand(out, &operand->parts[i], depth + 1);
}

static void dump_instr(ls_buf *out, const ls_ptx_stmt *stmt, uint32_t depth) {
    const ls_ptx_instr *instr = stmt->instr;
    ls_buf_printf(out, "instr %s", instr->form->text);
    if (instr->guard) ls_buf_printf(out, " if %s%s", instr->guard_negated ? "not " : "", instr->guard->name);
    ls_buf_printf(out, " [%s]", class_names[instr->form->opcode->class]);
    if (instr->loc)
        ls_buf_printf(out, " loc %u:%u:%u", instr->loc->file, instr->loc->line, instr->loc->column);
    ls_buf_putc(out, '\n');
    for (uint32_t i = 0; i < instr->operand_count; i++) dump_operand(out, &instr->operands[i], depth + 1);
}

static void dump_variable(ls_buf *out, const ls_ptx_variable *variable, uint32_t depth) {
    indent(out, depth);
    ls_buf_printf(out, "%s %s .%s", ls_ptx_space_text((ls_ptx_space)variable->space), variable->symbol->name,
                  ls_ptx_type_text((ls_ptx_type)variable->type));
    if (variable->vector > 1) ls_buf_printf(out, " v%u", variable->vector);
    if (variable->is_range) ls_buf_printf(out, " range %u", variable->range_count);
    if (variable->space != LS_SPACE_REG)
        ls_buf_printf(out, " size %" PRIu64 " align %u", ls_ptx_variable_size(variable),
                      ls_ptx_variable_align(variable));
    if (variable->is_pointer)
        ls_buf_printf(out, " pointer to %s", ls_ptx_space_text((ls_ptx_space)variable->pointer_space));
    ls_buf_putc(out, '\n');
    if (variable->initializer) dump_operand(out, variable->initializer, depth + 1);
}

static void dump_block(ls_buf *out, const ls_ptx_block *block, uint32_t depth);

static void dump_function(ls_buf *out, const ls_ptx_function *function, uint32_t depth) {
    ls_buf_printf(out, "%s %s%s registers %u labels %u instructions %u\n",
                  function->is_entry ? "entry" : "func", function->symbol->name,
                  function->body ? "" : " (declared only)", function->register_count, function->label_count,
                  function->instr_count);
    for (uint32_t i = 0; i < function->return_count; i++) dump_variable(out, function->returns[i], depth + 1);
    for (uint32_t i = 0; i < function->param_count; i++) dump_variable(out, function->params[i], depth + 1);
    for (uint32_t i = 0; i < function->tune_count; i++) {
        const ls_ptx_tune *tune = &function->tunes[i];
        indent(out, depth + 1);
        ls_buf_printf(out, "%s", ls_ptx_tune_text((ls_ptx_tune_kind)tune->kind));
        for (uint32_t k = 0; k < tune->count; k++) ls_buf_printf(out, " %u", tune->values[k]);
        ls_buf_putc(out, '\n');
    }
    if (function->body) dump_block(out, function->body, depth + 1);
}

static void dump_stmt(ls_buf *out, const ls_ptx_stmt *stmt, uint32_t depth) {
    if (stmt->kind == LS_STMT_DECLARE) {
        for (uint32_t i = 0; i < stmt->declared_count; i++) dump_variable(out, stmt->declared[i], depth);
        return;
    }
    indent(out, depth);
    switch ((ls_ptx_stmt_kind)stmt->kind) {
    case LS_STMT_INSTR: dump_instr(out, stmt, depth); break;
    case LS_STMT_LABEL: ls_buf_printf(out, "label %s\n", stmt->symbol->name); break;
    case LS_STMT_BLOCK:
        ls_buf_puts(out, "scope\n");
        dump_block(out, stmt->block, depth + 1);
        break;
    case LS_STMT_LOC:
        ls_buf_printf(out, "loc %u:%u:%u", stmt->loc->file, stmt->loc->line, stmt->loc->column);
        if (stmt->loc->at_line)
            ls_buf_printf(out, " inlined at %u:%u:%u", stmt->loc->at_file, stmt->loc->at_line,
                          stmt->loc->at_column);
        ls_buf_putc(out, '\n');
        break;
    case LS_STMT_BRANCHTARGETS:
    case LS_STMT_CALLTARGETS:
    case LS_STMT_CALLPROTOTYPE:
        ls_buf_printf(out, "targets %s\n", stmt->targets->label->name);
        for (uint32_t i = 0; i < stmt->targets->target_count; i++)
            dump_operand(out, &stmt->targets->targets[i], depth + 1);
        break;
    case LS_STMT_FUNCTION: dump_function(out, stmt->function, depth); break;
    case LS_STMT_ALIAS:
        ls_buf_printf(out, "alias %s = %s\n", stmt->symbol->name, stmt->symbol->alias->name);
        break;
    case LS_STMT_PRAGMA: ls_buf_printf(out, "pragma %s\n", stmt->text); break;
    case LS_STMT_FILE: ls_buf_printf(out, "file %s\n", stmt->text); break;
    case LS_STMT_SECTION: ls_buf_puts(out, "section\n"); break;
    default: ls_buf_printf(out, "text %s\n", stmt->text); break;
    }
}

static void dump_block(ls_buf *out, const ls_ptx_block *block, uint32_t depth) {
    for (uint32_t i = 0; i < block->count; i++) dump_stmt(out, &block->stmts[i], depth);
}

static char *ast_text(const ls_ptx_module *module) {
    ls_buf out = {0};
    ls_buf_printf(&out, "module version %u.%u address size %u targets", module->version_major,
                  module->version_minor, module->address_size);
    for (uint32_t i = 0; i < module->target_count; i++) ls_buf_printf(&out, " %s", module->targets[i]);
    ls_buf_putc(&out, '\n');
    dump_block(&out, &module->top, 1);
    return out.text;
}

char *ls_ptx_dump_ast(const ls_ptx_module *module) {
    LS_GUARDED((ls_escape_further(), NULL), ast_text(module));
}
