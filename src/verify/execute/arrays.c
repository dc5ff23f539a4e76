/* --arrays: races are looked for on the arrays of these names alone, parameters and variables. */
#include "verify/execute/arrays.h"
#include "verify/proof.h"

#include <ctype.h>

/* A variable of a kernel has the kernel's name before its own: foo_$_a, _ZZ3foovE1a. */
static bool is_called(const char *symbol, const char *name) {
    size_t all = strlen(symbol), length = strlen(name);
    if (all < length || strcmp(symbol + all - length, name) != 0) return false;
    if (all == length) return true;
    char before = symbol[all - length - 1];
    return before == '$' || before == '.' || isdigit((unsigned char)before) ||
           (before == '_' && all - length >= 2 && symbol[all - length - 2] == '$');
}

static bool is_array(const ls_proof *p, uint32_t object, const char *name) {
    const ls_ir_object *o = p->f->objects[object];
    if (o->kind == LS_OBJECT_PARAM) return !strcmp(ls_proof_parameter(p, object), name);
    return (o->kind == LS_OBJECT_SHARED || o->kind == LS_OBJECT_GLOBAL) && is_called(o->name, name);
}

void ls_find_arrays(ls_proof *p) {
    bool *found = LS_NEW_N(&p->arena, bool, p->options->array_count + 1);
    for (uint32_t i = 0; i < p->options->array_count; i++) {
        for (uint32_t o = 0; o < p->f->object_count; o++) found[i] |= is_array(p, o, p->options->arrays[i]);
        for (uint32_t k = 0; k < p->options->parameter_count; k++)
            found[i] |=
                p->options->parameters[k] && !strcmp(p->options->parameters[k], p->options->arrays[i]);
    }
    p->result->arrays = found;
    if (p->options->array_count)
        ls_scope_line(p, "races on the arrays of --arrays only",
                      "races were looked for only on the arrays named by --arrays; the others are assumed to "
                      "have none");
}

bool ls_is_left_out(const ls_proof *p, const ls_ir_base *base) {
    if (!p->options->array_count) return false;
    bool object = base->kind == LS_BASE_OBJECT || base->kind == LS_BASE_PARAM;
    for (uint32_t i = 0; i < p->options->array_count && object; i++)
        if (is_array(p, base->object, p->options->arrays[i])) return false;
    return object;
}
