/* Conditions evaluated in the executions that are witnesses of errors (exclude.h). What a witness does not
 * mention can be anything there: a condition on that leaves it in. */
#include "verify/query/exclude.h"

#include "base/recover.h"
#include "verify/execute/condition.h"

typedef struct {
    const ls_ir_function *kernel;
    const ls_verify_options *options;
    const ls_verify_execution *execution;
} scene;

static bool is_called(const scene *s, const ls_ir_object *o, const char *name) {
    if (o->kind != LS_OBJECT_PARAM) return false;
    const char *own = o->index < s->options->parameter_count ? s->options->parameters[o->index] : NULL;
    return !strcmp(o->name, name) || (own && !strcmp(own, name));
}

static bool parameter_value(const scene *s, const ls_condition *c, int64_t *value) {
    const ls_verify_execution *x = s->execution;
    for (uint32_t i = 0; i < x->parameter_count; i++) {
        const ls_verify_parameter *p = &x->parameters[i];
        if (p->offset || p->inside || !is_called(s, s->kernel->objects[p->object], c->name)) continue;
        bool is_signed = c->op == LS_COND_PARAMETER;
        *value = is_signed ? ls_signed(p->value, p->width) : (int64_t)p->value;
        return true;
    }
    return false;
}

static bool leaf_value(void *data, const ls_condition *c, int64_t *value) {
    const scene *s = data;
    const ls_verify_execution *x = s->execution;
    if (c->op != LS_COND_LAUNCH) return parameter_value(s, c, value);
    int64_t block = x->block[c->axis], grid = x->grid[c->axis];
    switch (c->launch) {
    case LS_LAUNCH_BLOCK_DIM: return *value = block, true;
    case LS_LAUNCH_GRID_DIM: return *value = grid, true;
    case LS_LAUNCH_GLOBAL_SIZE: return *value = block * grid, true;
    default: return false;
    }
}

static bool is_excluded(scene *s, const ls_condition *const *conditions, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        int64_t holds;
        if (conditions[i] && ls_condition_value(conditions[i], leaf_value, s, &holds) && !holds) return true;
    }
    return false;
}

const ls_verify_execution *ls_keep_execution(ls_arena *arena, const ls_verify_execution *from) {
    ls_verify_execution *copy = LS_NEW(arena, ls_verify_execution);
    *copy = (ls_verify_execution){.parameter_count = from->parameter_count};
    memcpy(copy->block, from->block, sizeof copy->block);
    memcpy(copy->grid, from->grid, sizeof copy->grid);
    copy->parameters = LS_NEW_N(arena, ls_verify_parameter, from->parameter_count + 1);
    for (uint32_t i = 0; i < from->parameter_count; i++) copy->parameters[i] = from->parameters[i];
    return copy;
}

bool ls_excludes_all(const ls_ir_function *kernel, const ls_verify_options *options,
                     const ls_verify_execution *const *executions, uint32_t execution_count,
                     const char *const *conditions, uint32_t count) {
    ls_arena arena;
    ls_arena_open(&arena);
    ls_diags *diags = ls_diags_new();
    const ls_condition **parsed = LS_NEW_N(&arena, const ls_condition *, count + 1);
    for (uint32_t i = 0; i < count; i++) parsed[i] = ls_condition_parse(&arena, conditions[i], diags);
    bool all = true;
    for (uint32_t i = 0; i < execution_count && all; i++) {
        scene s = {kernel, options, executions[i]};
        all = is_excluded(&s, parsed, count);
    }
    ls_diags_free(diags);
    ls_arena_close(&arena);
    return all;
}
