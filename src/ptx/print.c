/* The printer: from the tree back to PTX text that ptxas takes for the same program. */
#include "base/buf.h"
#include "base/recover.h"
#include "lockstep/ptx.h"
#include "ptx/tables.h"

#include <inttypes.h>
#include <stdio.h>

static void print_operand(ls_buf *out, const ls_ptx_operand *operand);

static void print_parts(ls_buf *out, const ls_ptx_operand *operand, char open, char close) {
    ls_buf_putc(out, open);
    for (uint32_t i = 0; i < operand->count; i++) {
        if (i) ls_buf_puts(out, ", ");
        print_operand(out, &operand->parts[i]);
    }
    ls_buf_putc(out, close);
}

static void print_element(ls_buf *out, const ls_ptx_operand *operand) {
    uint8_t element = operand->element;
    if (element == LS_ELEMENT_SELECT) {
        char digits[8];
        uint32_t value = (uint32_t)operand->offset;
        ls_buf_puts(out, value >> 31 ? ".h" : ".b");
        for (int i = operand->select_digits - 1; i >= 0; i--, value >>= 3)
            digits[i] = (char)('0' + (value & 7));
        ls_buf_add(out, digits, operand->select_digits);
    } else if (element >= LS_ELEMENT_H0) {
        ls_buf_printf(out, ".h%d", element - LS_ELEMENT_H0);
    } else if (element >= LS_ELEMENT_B0) {
        ls_buf_printf(out, ".b%d", element - LS_ELEMENT_B0);
    } else if (element) {
        ls_buf_putc(out, '.');
        ls_buf_putc(out, "xyzw"[element - LS_ELEMENT_X]);
    }
}

static void print_int(ls_buf *out, uint64_t value, bool is_unsigned) {
    char digits[24];
    bool negative = !is_unsigned && value >> 63;
    uint64_t magnitude = negative ? -value : value;
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + magnitude % 10);
    while (magnitude /= 10);
    if (negative) digits[--at] = '-';
    ls_buf_add(out, digits + at, sizeof digits - at);
}

static void print_offset(ls_buf *out, int64_t offset) {
    ls_buf_putc(out, '+'); /* ptxas takes [a+-4], not [a-4] */
    print_int(out, (uint64_t)offset, false);
}

static void print_symbol(ls_buf *out, const ls_ptx_operand *operand) {
    if (operand->flags & LS_OPERAND_NOT) ls_buf_putc(out, '!');
    if (operand->flags & LS_OPERAND_MINUS) ls_buf_putc(out, '-');
    bool masked = operand->flags & LS_OPERAND_MASKED, generic = operand->flags & LS_OPERAND_GENERIC;
    if (masked) ls_buf_printf(out, "0x%" PRIX64 "(", UINT64_C(0xff) << (8 * operand->element));
    if (generic) ls_buf_puts(out, "generic(");
    ls_buf_add(out, operand->symbol->name, operand->symbol->length);
    if (generic) ls_buf_putc(out, ')');
    if (!masked) print_element(out, operand);
    if (operand->flags & LS_OPERAND_HAS_OFFSET) print_offset(out, operand->offset);
    if (masked) ls_buf_putc(out, ')');
}

static void print_operand(ls_buf *out, const ls_ptx_operand *operand) {
    switch ((ls_ptx_operand_kind)operand->kind) {
    case LS_OPERAND_REGISTER:
    case LS_OPERAND_SYMBOL: print_symbol(out, operand); break;
    case LS_OPERAND_INT: print_int(out, operand->value, operand->flags & LS_OPERAND_UNSIGNED); break;
    case LS_OPERAND_F32: ls_buf_printf(out, "0f%08" PRIX64, operand->value); break;
    case LS_OPERAND_F64: ls_buf_printf(out, "0d%016" PRIX64, operand->value); break;
    case LS_OPERAND_VECTOR: print_parts(out, operand, '{', '}'); break;
    case LS_OPERAND_ADDRESS: print_parts(out, operand, '[', ']'); break;
    case LS_OPERAND_LIST: print_parts(out, operand, '(', ')'); break;
    case LS_OPERAND_PAIR:
        print_operand(out, &operand->parts[0]);
        ls_buf_putc(out, '|');
        print_operand(out, &operand->parts[1]);
        break;
    case LS_OPERAND_SINK: ls_buf_putc(out, '_'); break;
    case LS_OPERAND_STRING: ls_buf_add(out, operand->text, operand->count); break;
    }
}

static void print_instr(ls_buf *out, const ls_ptx_instr *instr) {
    if (instr->guard) {
        ls_buf_puts(out, instr->guard_negated ? "@!" : "@");
        ls_buf_add(out, instr->guard->name, instr->guard->length);
        ls_buf_putc(out, ' ');
    }
    ls_buf_add(out, instr->form->text, instr->form->length);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        ls_buf_puts(out, i ? ", " : "\t");
        print_operand(out, &instr->operands[i]);
    }
    ls_buf_putc(out, ';');
}

static char *instr_text(const ls_ptx_instr *instr) {
    ls_buf out = {0};
    print_instr(&out, instr);
    return out.text;
}

char *ls_ptx_print_instr(const ls_ptx_instr *instr) {
    LS_GUARDED((ls_escape_further(), NULL), instr_text(instr));
}

/* --- Declarations ----------------------------------------------------------------------------------------
 */
static void print_linkage(ls_buf *out, uint8_t linkage) {
    if (linkage & LS_LINK_EXTERN) ls_buf_puts(out, ".extern ");
    if (linkage & LS_LINK_VISIBLE) ls_buf_puts(out, ".visible ");
    if (linkage & LS_LINK_WEAK) ls_buf_puts(out, ".weak ");
    if (linkage & LS_LINK_COMMON) ls_buf_puts(out, ".common ");
}

static void print_prefix(ls_buf *out, const ls_ptx_variable *variable) {
    print_linkage(out, variable->linkage);
    ls_buf_printf(out, ".%s", ls_ptx_space_text((ls_ptx_space)variable->space));
    if (variable->const_bank) ls_buf_printf(out, "[%u]", variable->const_bank);
    if (variable->attribute) ls_buf_printf(out, " .attribute(%s)", variable->attribute);
    if (variable->align) ls_buf_printf(out, " .align %u", variable->align);
    if (variable->vector > 1) ls_buf_printf(out, " .v%u", variable->vector);
    ls_buf_printf(out, " .%s ", ls_ptx_type_text((ls_ptx_type)variable->type));
    if (!variable->is_pointer) return;
    ls_buf_puts(out, ".ptr ");
    if (variable->pointer_space != LS_SPACE_GENERIC)
        ls_buf_printf(out, ".%s ", ls_ptx_space_text((ls_ptx_space)variable->pointer_space));
    if (variable->pointer_align) ls_buf_printf(out, ".align %u ", variable->pointer_align);
}

static void print_declarator(ls_buf *out, const ls_ptx_variable *variable) {
    ls_buf_add(out, variable->symbol->name, variable->symbol->length);
    if (variable->is_range) ls_buf_printf(out, "<%u>", variable->range_count);
    for (uint32_t i = 0; i < variable->dimension_count; i++) {
        if (i == 0 && variable->open_array)
            ls_buf_puts(out, "[]");
        else
            ls_buf_printf(out, "[%" PRIu64 "]", variable->dimensions[i]);
    }
    if (!variable->initializer) return;
    ls_buf_puts(out, " = ");
    print_operand(out, variable->initializer);
}

static void print_declaration(ls_buf *out, const ls_ptx_stmt *stmt) {
    print_prefix(out, stmt->declared[0]);
    for (uint32_t i = 0; i < stmt->declared_count; i++) {
        if (i) ls_buf_puts(out, ", ");
        print_declarator(out, stmt->declared[i]);
    }
    ls_buf_puts(out, ";\n");
}

static void print_parameters(ls_buf *out, ls_ptx_variable *const *params, uint32_t count) {
    ls_buf_putc(out, '(');
    for (uint32_t i = 0; i < count; i++) {
        ls_buf_puts(out, i ? ",\n\t" : count > 1 ? "\n\t" : "");
        print_prefix(out, params[i]);
        print_declarator(out, params[i]);
    }
    ls_buf_puts(out, count > 1 ? "\n)" : ")");
}

static void print_tunes(ls_buf *out, const ls_ptx_function *function) {
    for (uint32_t i = 0; i < function->tune_count; i++) {
        const ls_ptx_tune *tune = &function->tunes[i];
        ls_buf_printf(out, "\n.%s", ls_ptx_tune_text((ls_ptx_tune_kind)tune->kind));
        for (uint32_t k = 0; k < tune->count; k++) ls_buf_printf(out, "%s %u", k ? "," : "", tune->values[k]);
        if (tune->text) ls_buf_printf(out, " %s;", tune->text);
    }
}

static void print_signature(ls_buf *out, const ls_ptx_function *function) {
    if (function->attribute) ls_buf_printf(out, ".attribute(%s) ", function->attribute);
    if (function->return_count) {
        print_parameters(out, function->returns, function->return_count);
        ls_buf_putc(out, ' ');
    }
    ls_buf_puts(out, function->symbol ? function->symbol->name : "_");
    print_parameters(out, function->params, function->param_count);
    print_tunes(out, function);
}

/* --- Statements ------------------------------------------------------------------------------------------
 */
static void print_loc(ls_buf *out, const ls_ptx_loc *loc) {
    ls_buf_printf(out, "\t.loc\t%u %u %u", loc->file, loc->line, loc->column);
    if (loc->function_name) { /* ptxas takes the two together only */
        ls_buf_printf(out, ", function_name %s", loc->function_name);
        if (loc->at_line)
            ls_buf_printf(out, ", inlined_at %u %u %u", loc->at_file, loc->at_line, loc->at_column);
    }
    ls_buf_putc(out, '\n');
}

static void print_targets(ls_buf *out, const ls_ptx_stmt *stmt) {
    const ls_ptx_targets *targets = stmt->targets;
    ls_buf_printf(out, "%s: ", targets->label->name);
    if (stmt->kind == LS_STMT_CALLPROTOTYPE) {
        ls_buf_puts(out, ".callprototype ");
        print_signature(out, targets->prototype);
    } else {
        ls_buf_puts(out, stmt->kind == LS_STMT_BRANCHTARGETS ? ".branchtargets" : ".calltargets");
        for (uint32_t i = 0; i < targets->target_count; i++) {
            ls_buf_puts(out, i ? ", " : " ");
            print_operand(out, &targets->targets[i]);
        }
    }
    ls_buf_puts(out, ";\n");
}

static void print_function(ls_buf *out, const ls_ptx_function *function);

static void print_block(ls_buf *out, const ls_ptx_block *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        const ls_ptx_stmt *stmt = &block->stmts[i];
        switch ((ls_ptx_stmt_kind)stmt->kind) {
        case LS_STMT_INSTR:
            ls_buf_putc(out, '\t');
            print_instr(out, stmt->instr);
            ls_buf_putc(out, '\n');
            break;
        case LS_STMT_LABEL:
            ls_buf_add(out, stmt->symbol->name, stmt->symbol->length);
            ls_buf_puts(out, ":\n");
            break;
        case LS_STMT_BLOCK:
            ls_buf_puts(out, "\t{\n");
            print_block(out, stmt->block);
            ls_buf_puts(out, "\t}\n");
            break;
        case LS_STMT_DECLARE: print_declaration(out, stmt); break;
        case LS_STMT_LOC: print_loc(out, stmt->loc); break;
        case LS_STMT_PRAGMA: ls_buf_printf(out, "\t.pragma %s;\n", stmt->text); break;
        case LS_STMT_BRANCHTARGETS:
        case LS_STMT_CALLTARGETS:
        case LS_STMT_CALLPROTOTYPE: print_targets(out, stmt); break;
        case LS_STMT_FILE: ls_buf_printf(out, ".file\t%s\n", stmt->text); break;
        case LS_STMT_SECTION:
            ls_buf_puts(out, ".section\t");
            ls_buf_puts(out, stmt->text);
            ls_buf_putc(out, '\n');
            break;
        case LS_STMT_RAW: ls_buf_printf(out, "%s\n", stmt->text); break;
        case LS_STMT_FUNCTION: print_function(out, stmt->function); break;
        case LS_STMT_ALIAS:
            ls_buf_printf(out, ".alias %s, %s;\n", stmt->symbol->name, stmt->symbol->alias->name);
            break;
        }
    }
}

static void print_function(ls_buf *out, const ls_ptx_function *function) {
    ls_buf_putc(out, '\n');
    print_linkage(out, function->linkage);
    ls_buf_puts(out, function->is_entry ? ".entry " : ".func ");
    print_signature(out, function);
    if (!function->body) {
        ls_buf_puts(out, ";\n");
        return;
    }
    ls_buf_puts(out, "\n{\n");
    print_block(out, function->body);
    ls_buf_puts(out, "}\n");
}

static char *module_text(const ls_ptx_module *module, size_t *length) {
    ls_buf out = {0};
    ls_buf_printf(&out, ".version %u.%u\n", module->version_major, module->version_minor);
    for (uint32_t i = 0; i < module->target_count; i++)
        ls_buf_printf(&out, "%s%s", i ? ", " : ".target ", module->targets[i]);
    if (module->target_count) ls_buf_putc(&out, '\n');
    if (module->address_size) ls_buf_printf(&out, ".address_size %u\n", module->address_size);
    print_block(&out, &module->top);
    if (length) *length = out.length;
    return out.text;
}

char *ls_ptx_print(const ls_ptx_module *module, size_t *length) {
    LS_GUARDED((ls_escape_further(), NULL), module_text(module, length));
}
