/* What a kernel that was not proved would need: conditions that programmers take for granted (a row is at
 * least as long as the grid is wide, a count is positive, there is one block) are assumed one after the
 * other, and the first under which the kernel is proved is what the report suggests to state with --assume. A
 * suggestion changes no verdict. */
#include "lockstep/verify.h"

#include "base/options.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PARAMETERS = 4 };
static const double MOST_SECONDS = 0.4;

typedef struct {
    const ls_ir_function *kernel;
    const ls_verify_options *options;
    const char *names[MOST_PARAMETERS]; /* integer parameters */
    uint32_t count;
    double left; /* seconds */
    char *out;
    size_t size;
} search;

static bool is_integer(const ls_ptx_variable *v) {
    ls_ptx_type_kind kind = ls_ptx_type_kind_of((ls_ptx_type)v->type);
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)v->type);
    return !v->dimension_count && !v->is_pointer && kind != LS_KIND_FLOAT && bits == 32;
}

static void find_parameters(search *s) {
    const ls_ptx_function *f = s->kernel->ptx;
    for (uint32_t i = 0; i < f->param_count && s->count < MOST_PARAMETERS; i++) {
        if (!is_integer(f->params[i])) continue;
        const char *name = i < s->options->parameter_count ? s->options->parameters[i] : NULL;
        s->names[s->count++] = name ? name : f->params[i]->symbol->name;
    }
}

/* Whether the kernel is proved under the condition in s->out. */
static bool helps(search *s) {
    enum { MOST_ASSUMPTIONS = 64 };
    const char *assumptions[MOST_ASSUMPTIONS];
    ls_verify_options o = *s->options;
    if (o.assumption_count >= MOST_ASSUMPTIONS || s->left <= 0) return false;
    for (uint32_t i = 0; i < o.assumption_count; i++) assumptions[i] = o.assumptions[i];
    assumptions[o.assumption_count++] = s->out;
    o.assumptions = assumptions;
    o.timeout = s->left;
    o.smt2_dir = NULL;
    ls_verify_result *r = ls_verify(s->kernel, &o);
    s->left -= r->seconds;
    bool proved = r->verdict == LS_PROVED;
    ls_verify_free(r);
    return proved;
}

static const char *extent(const search *s, int axis) {
    static const char *const names[2][2] = {{"gridDim.x*blockDim.x", "gridDim.y*blockDim.y"},
                                            {"get_global_size(0)", "get_global_size(1)"}};
    return names[s->options->opencl][axis];
}

static bool one_parameter(search *s, const char *name) {
    for (int axis = 0; axis < 2; axis++) {
        snprintf(s->out, s->size, "%s >= %s", name, extent(s, axis));
        if (helps(s)) return true;
    }
    snprintf(s->out, s->size, "%s > 0", name);
    return helps(s);
}

static bool two_parameters(search *s, const char *name, const char *other) {
    snprintf(s->out, s->size, "%s >= %s && %s >= %s", name, extent(s, 0), other, extent(s, 1));
    return helps(s);
}

static bool one_block(search *s) {
    if (s->options->grid[0]) return false;
    snprintf(s->out, s->size, "%s",
             s->options->opencl ? "get_num_groups(0) == 1 && get_num_groups(1) == 1 && get_num_groups(2) == 1"
                                : "gridDim.x == 1 && gridDim.y == 1 && gridDim.z == 1");
    return helps(s);
}

bool ls_verify_suggest(const ls_ir_function *kernel, const ls_verify_options *options,
                       const ls_verify_result *result, char *out, size_t size) {
    LS_OWN_OPTIONS(ls_verify_options, options);
    if (result->verdict == LS_PROVED) return false;
    search s = {.kernel = kernel, .options = options, .left = MOST_SECONDS, .out = out, .size = size};
    find_parameters(&s);
    for (uint32_t i = 0; i < s.count; i++)
        if (one_parameter(&s, s.names[i])) return true;
    if (one_block(&s)) return true;
    for (uint32_t i = 0; i < s.count; i++)
        for (uint32_t k = 0; k < s.count; k++)
            if (i != k && two_parameters(&s, s.names[i], s.names[k])) return true;
    return false;
}
