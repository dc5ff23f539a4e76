/* Scalar parameters that have one value: given with --kernel-args, or by a precondition "parameter =
 * constant" at the kernel's start. They become constants everywhere, so that loops over them have known
 * bounds. */
#include "verify/execute/parameters.h"
#include "verify/execute/calls.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"

#include <ctype.h>

static bool is_pointer(const ls_proof *p, const ls_ir_object *object) {
    if (object->variable && object->variable->is_pointer) return true;
    for (uint32_t i = 0; i < p->f->base_count; i++)
        if (p->f->bases[i]->kind == LS_BASE_PARAM && p->f->bases[i]->object == object->id) return true;
    return false;
}

static void bind(ls_proof *p, uint32_t object, uint64_t offset, uint32_t width, uint64_t value) {
    bool is_new;
    *ls_intmap_at(&p->bound, (uint64_t)object << 32 | offset << 8 | width, &is_new) = value & ls_mask(width);
}

/* A number as written, little-endian, in all the pieces it may be read in. */
static void bind_bytes(ls_proof *p, uint32_t object, const uint8_t *bytes, uint32_t size) {
    static const uint32_t widths[] = {8, 16, 32, 64};
    for (uint32_t w = 0; w < 4; w++)
        for (uint32_t at = 0; at + widths[w] / 8 <= size; at += widths[w] / 8) {
            uint64_t value = 0;
            for (uint32_t k = 0; k < widths[w] / 8; k++) value |= (uint64_t)bytes[at + k] << 8 * k;
            bind(p, object, at, widths[w], value);
        }
}

static bool read_number(const char *text, size_t length, uint8_t *bytes, uint32_t size) {
    bool hex = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    memset(bytes, 0, size);
    if (!hex) {
        char *end;
        long long v = strtoll(text, &end, 10);
        for (uint32_t k = 0; k < size; k++)
            bytes[k] = (uint8_t)(k < 8 ? (uint64_t)v >> 8 * k : v < 0 ? 255 : 0);
        return end == text + length;
    }
    uint32_t nibble = 0;
    for (size_t i = length; i-- > 2; nibble++) {
        if (!isxdigit((unsigned char)text[i])) return false;
        int digit = isdigit((unsigned char)text[i]) ? text[i] - '0' : tolower(text[i]) - 'a' + 10;
        if (nibble / 2 < size) bytes[nibble / 2] |= (uint8_t)(digit << (nibble % 2 * 4));
    }
    return true;
}

/* "kernel,VALUE,*,VALUE" */
static void bind_arguments(ls_proof *p) {
    const char *text = p->options->arguments;
    if (!text) return;
    size_t length = strcspn(text, ",");
    if (strlen(p->f->name) != length || strncmp(p->f->name, text, length)) return;
    for (uint32_t i = 0; i < p->f->object_count && text[length]; i++) {
        const ls_ir_object *object = p->f->objects[i];
        if (object->kind != LS_OBJECT_PARAM || is_pointer(p, object)) continue;
        text += length + 1;
        length = strcspn(text, ",");
        uint32_t size = object->size < 4096 ? (uint32_t)object->size : 4096;
        uint8_t *bytes = LS_NEW_N(&p->arena, uint8_t, size + 1);
        if (length == 1 && *text == '*') continue;
        if (read_number(text, length, bytes, size))
            bind_bytes(p, object->id, bytes, size);
        else
            ls_unknown(p, NULL, NULL, "--kernel-args: '%.*s' is not a number", (int)length, text);
    }
    if (text[length])
        ls_unknown(p, NULL, NULL, "--kernel-args has more values than the kernel has scalar parameters: '%s'",
                   text + length + 1);
    ls_scope_line(p, "for the parameter values of --kernel-args",
                  "for the parameter values of --kernel-args");
}

/* A precondition "parameter < constant" or the like narrows the symbol's range: it gets a new one. */
static void narrow(ls_proof *p, const ls_term *c) {
    bool negated = c->op == LS_T_NOT;
    if (negated) c = c->args[0];
    if (c->op != LS_T_SLT && c->op != LS_T_ULT) return;
    bool is_signed = c->op == LS_T_SLT, low_side = ls_is_const(c->args[1]);
    const ls_term *symbol = low_side ? c->args[0] : c->args[1], *bound = low_side ? c->args[1] : c->args[0];
    uint64_t key;
    if (symbol->op != LS_T_SYM || !ls_is_const(bound)) return;
    if (!ls_intmap_get(&p->parameter_keys, symbol->value, &key)) return;
    /* sym < b, b < sym, and with the negation sym >= b, sym <= b */
    bool upper = low_side != negated;
    __int128 b = is_signed ? (__int128)ls_signed(bound->value, bound->width) : (__int128)bound->value;
    __int128 slo = symbol->slo, shi = symbol->shi, ulo = symbol->ulo, uhi = symbol->uhi;
    __int128 *lo = is_signed ? &slo : &ulo, *hi = is_signed ? &shi : &uhi;
    if (upper && b - !negated < *hi) *hi = b - !negated;
    if (!upper && b + !negated > *lo) *lo = b + !negated;
    if (slo > shi || ulo > uhi) return; /* contradictory: the precondition itself will say so */
    ls_replace_parameter(p, key, symbol, (int64_t)slo, (int64_t)shi, (uint64_t)ulo, (uint64_t)uhi);
}

/* Preconditions "symbol = constant" on the way that every thread takes from the entry. */
static void bind_required(ls_proof *p) {
    ls_state *s = ls_state_new(p, NULL, "?");
    const ls_ir_block *b = p->f->entry;
    for (uint32_t steps = 0; steps < 64 && b && !b->is_loop_header; steps++) {
        for (uint32_t k = 0; k < b->instr_count; k++) {
            const ls_ir_instr *i = b->instrs[k];
            ls_lower_instr(s, i);
            ls_ir_value *argument =
                ls_call_of(i) == LS_CALL_REQUIRE && !i->pos->at ? ls_ir_argument_value(i, 0, 0) : NULL;
            if (!argument || i->guard.kind != LS_IR_ABSENT || p->options->no_annotations) continue;
            const ls_term *v = ls_value_of(s, argument);
            const ls_term *c = ls_not(&p->terms, ls_eq(&p->terms, v, ls_const(&p->terms, v->width, 0)));
            narrow(p, c);
            if (c->op != LS_T_EQ) continue;
            const ls_term *symbol = c->args[0], *value = c->args[1];
            uint64_t key;
            bool is_new;
            if (symbol->op != LS_T_SYM || !ls_is_const(value)) continue;
            if (!ls_intmap_get(&p->parameter_keys, symbol->value, &key)) continue;
            *ls_intmap_at(&p->bound, key, &is_new) = value->value;
        }
        b = b->succ_count == 1 && b->succs[0]->pred_count == 1 ? b->succs[0] : NULL;
    }
}

void ls_bind_parameters(ls_proof *p) {
    if (!p->f->ptx->is_entry) return; /* arguments of a function differ from thread to thread */
    bind_arguments(p);
    bind_required(p);
}
