/* What an earlier launch of the kernel has left (again.h), by what the host code says of its launches. */
#include "verify/check/again.h"
#include "verify/execute/allocations.h"
#include "verify/execute/roots.h"

#include <string.h>

/* The variable of the device that the host code calls so: names of variables that a file has for itself are
 * made longer by compilers. */
static bool is_named(const char *name, const char *host) {
    size_t length = strlen(host);
    return !strncmp(name, host, length) && (!name[length] || !strncmp(name + length, "__", 2));
}

static bool writes(const ls_ir_function *f, const ls_ptx_variable *variable) {
    for (uint32_t i = 0; i < f->instr_count; i++)
        for (uint32_t k = 0; k < f->instrs[i]->access_count; k++) {
            const ls_ir_access *a = &f->instrs[i]->accesses[k];
            if (a->kind == LS_ACCESS_READ) continue;
            if (!a->base_count || a->other_bases) return true; /* it may */
            for (uint32_t b = 0; b < a->base_count; b++)
                if (a->bases[b]->kind == LS_BASE_OBJECT &&
                    f->objects[a->bases[b]->object]->variable == variable)
                    return true;
        }
    return false;
}

/* Another kernel, which is launched between: one that is not in this file may do anything. */
static bool may_set(const ls_proof *p, const char *kernel, const ls_ptx_variable *variable) {
    const ls_ptx_function *function = ls_ptx_find_function(p->f->module, kernel);
    if (!function || !function->body) return true;
    ls_diags *ignored = ls_diags_new();
    ls_ir_function *f = ls_ir_build(p->f->module, function, &(ls_ir_options){.quiet = true}, ignored);
    bool sets = !f || writes(f, variable);
    if (f) ls_ir_free(f);
    ls_diags_free(ignored);
    return sets;
}

static bool is_variable_left(const ls_proof *p, const ls_launch_again *again, const ls_ir_object *object) {
    if (!again->variables || !object->variable) return false;
    for (uint32_t i = 0; i < again->renewed_count; i++)
        if (is_named(object->variable->symbol->name, again->renewed[i])) return false;
    for (uint32_t i = 0; i < again->kernel_count; i++)
        if (may_set(p, again->kernels[i], object->variable)) return false;
    return true;
}

bool ls_is_left_over(const ls_proof *p, const ls_ir_base *base) {
    const ls_launch_again *again = p->options->again;
    if (!again || (base->kind != LS_BASE_PARAM && base->kind != LS_BASE_OBJECT)) return false;
    const ls_ir_object *object = p->f->objects[base->object];
    if (base->kind == LS_BASE_OBJECT) return is_variable_left(p, again, object);
    bool listed = false;
    for (uint32_t i = 0; i < again->parameter_count; i++) listed |= again->parameters[i] == object->index;
    return listed && !ls_is_zeroed(p, base);
}

void ls_doubt_left_over(ls_proof *p, const ls_event *flag) {
    const char *name = ls_base_name(p, flag->access->bases[0]);
    const char *text =
        ls_arena_printf(&p->arena,
                        "'%s' is 0 before the first launch alone: the host code makes the "
                        "launch again without setting it, and the kernel does not leave it at 0",
                        name);
    for (const ls_verify_note *n = p->result->reasons; n; n = n->next)
        if (!strcmp(n->text, text)) return;
    ls_unknown(p, flag->access->instr->pos, "set it to 0 before each launch, or let the last block do it",
               "%s", text);
}
