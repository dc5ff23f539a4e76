/* Operand types (PTX ISA, 9.4): the register classes that an opcode's signature in the instruction table
 * asks for. A mistake here means that ptxas would refuse the text; what the table leaves open ('x') and
 * forms with more types than the signature names are not checked. */
#include "ptx/parser.h"
#include "ptx/tables.h"

#include <stdio.h>

static bool kinds_agree(ls_ptx_type_kind wanted, ls_ptx_type_kind got) {
    if (wanted == LS_KIND_BITS || got == LS_KIND_BITS) return true;
    bool wants_integer = wanted == LS_KIND_SIGNED || wanted == LS_KIND_UNSIGNED;
    bool is_integer = got == LS_KIND_SIGNED || got == LS_KIND_UNSIGNED;
    return wants_integer ? is_integer : wanted == got;
}

/* ld, st and cvt take registers wider than the type. */
static bool register_fits(const ls_ptx_form *form, ls_ptx_type wanted, const ls_ptx_symbol *symbol) {
    ls_ptx_type got = (ls_ptx_type)symbol->type;
    ls_ptx_type_kind wanted_kind = ls_ptx_type_kind_of(wanted), got_kind = ls_ptx_type_kind_of(got);
    if (wanted_kind == LS_KIND_PREDICATE || got_kind == LS_KIND_PREDICATE) return wanted_kind == got_kind;
    if (wanted_kind == LS_KIND_OPAQUE || got_kind == LS_KIND_OPAQUE) return true;
    uint32_t bits = ls_ptx_type_bits(wanted), has = ls_ptx_type_bits(got) * symbol->vector;
    bool may_be_wider = form->opcode->class == LS_CLASS_MEMORY;
    if (may_be_wider ? has < bits : has != bits) return false;
    return may_be_wider || kinds_agree(wanted_kind, got_kind);
}

/* The type that a signature letter stands for, LS_TYPE_NONE where nothing is asked. */
static ls_ptx_type wanted_type(const ls_ptx_form *form, char letter) {
    switch (letter) {
    case '0':
    case '1':
    case '2':
    case '3': { /* add.f32.f16 has a type of its own for some sources, add.f32 the same for all */
        const uint32_t number = (uint32_t)(letter - '0');
        return ls_ptx_form_type(form, number < form->type_count ? number : 0);
    }
    case 'p': return LS_TYPE_PRED;
    case 'm':
        return ls_ptx_form_has(form, LS_MOD_WIDE) ? ls_ptx_wide_type(ls_ptx_form_type(form, 0))
                                                  : ls_ptx_form_type(form, 0);
    default: return LS_TYPE_NONE;
    }
}

static const char *check_one(const ls_ptx_form *form, const ls_ptx_operand *operand, ls_ptx_type wanted,
                             uint32_t number, char *buffer, size_t size) {
    if (wanted == LS_TYPE_NONE) return NULL;
    if (operand->kind == LS_OPERAND_VECTOR) {
        for (uint32_t i = 0; i < operand->count && form->vector > 1; i++) {
            const char *wrong = check_one(form, &operand->parts[i], wanted, number, buffer, size);
            if (wrong) return wrong;
        }
        return NULL;
    }
    if (operand->kind != LS_OPERAND_REGISTER || operand->element) return NULL;
    if (operand->symbol->vector > 1) return NULL;
    if (register_fits(form, wanted, operand->symbol)) return NULL;
    snprintf(buffer, size, "type mismatch: operand %u of '%s' is '%s', a .%s register, where .%s is expected",
             number, form->text, operand->symbol->name, ls_ptx_type_text((ls_ptx_type)operand->symbol->type),
             ls_ptx_type_text(wanted));
    return buffer;
}

/* { … } has as many elements as the opcode's .vN says. */
static const char *check_elements(const ls_ptx_form *form, const ls_ptx_operand *operand, uint32_t number,
                                  char *buffer, size_t size) {
    if (operand->kind != LS_OPERAND_VECTOR || operand->count == form->vector) return NULL;
    if (!buffer) return form->text; /* only whether something is wrong was asked */
    snprintf(buffer, size, "operand %u of '%s' is a vector of %u, where %s is expected", number, form->text,
             operand->count,
             form->vector == 1   ? "a single register"
             : form->vector == 2 ? "one of 2"
             : form->vector == 4 ? "one of 4"
                                 : "one of 8");
    return buffer;
}

bool ls_ptx_types_checked(const ls_ptx_form *form) {
    const uint32_t named = ls_ptx_types_named(form->op);
    return !named || (form->type_count && form->type_count <= named);
}

const char *check_operands(const ls_ptx_form *form, const ls_ptx_operand *operands, uint32_t count,
                           char *buffer, size_t size) {
    if (form->op == LS_OP_UNKNOWN || form->unknown_modifiers) return NULL;
    const char *signature = form->opcode->operands;
    const uint32_t named = ls_ptx_types_named(form->op);
    const bool types_known = form->type_count <= named;
    if (named && !form->type_count) {
        if (!buffer) return form->text;
        snprintf(buffer, size, "'%s' has no type", form->text);
        return buffer;
    }
    uint32_t least = 0, given = count, number = 0;
    bool any_more = false;
    for (const char *item = signature; *item; number++) {
        bool optional = false, more = false, vector = false;
        const char *end = item, *bar = NULL;
        for (; *end && *end != ' '; end++) {
            optional |= *end == '?', more |= *end == '*', vector |= *end == 'v';
            if (*end == '|' && !bar) bar = end;
        }
        if (!optional && !more) least++;
        any_more |= more;
        if (number < given && vector) {
            const char *wrong = check_elements(form, &operands[number], number + 1, buffer, size);
            if (wrong) return wrong;
        }
        if (number < given && types_known && !more) {
            const ls_ptx_operand *operand = &operands[number];
            const char *wrong = NULL;
            if (operand->kind == LS_OPERAND_PAIR) {
                wrong =
                    check_one(form, &operand->parts[0], wanted_type(form, item[1]), number + 1, buffer, size);
                if (!wrong && bar)
                    wrong = check_one(form, &operand->parts[1], wanted_type(form, bar[1]), number + 1, buffer,
                                      size);
            } else {
                wrong = check_one(form, operand, wanted_type(form, item[1]), number + 1, buffer, size);
            }
            if (wrong) return wrong;
        }
        item = *end ? end + 1 : end;
    }
    if (given < least || (!any_more && given > number)) {
        snprintf(buffer, size, "'%s' has %u operand%s where %s%u %s expected", form->text, given,
                 given == 1 ? "" : "s", given < least ? "at least " : "at most ",
                 given < least ? least : number, (given < least ? least : number) == 1 ? "is" : "are");
        return buffer;
    }
    return NULL;
}
