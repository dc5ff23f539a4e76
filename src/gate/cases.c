/* The cases of the gate (cases.h): parameters by name or position, sizes from lists and ranges, and what
 * follows from these. */
#include "gate/cases.h"

#include "gate/problems.h"
#include "lockstep/launch.h"

#include <inttypes.h>
#include <string.h>

/* --- Parameters ---------------------------------------------------------------------------------------- */

static uint32_t find_param(const ls_gate_spec *spec, const char *name) {
    for (uint32_t i = 0; name && i < spec->params.length; i++)
        if (!strcmp(spec->params.items[i].name, name)) return i;
    return UINT32_MAX;
}

/* A scalar that is called like a size is that. */
static uint32_t scalar_of_size(ls_gate_spec *spec, const char *name) {
    for (uint32_t i = 0; name && i < spec->sizes.length; i++)
        if (!strcmp(spec->sizes.items[i].name, name)) {
            ls_gate_param p = {.role = LS_GATE_SCALAR, .name = spec->sizes.items[i].name};
            p.value = p.name;
            LS_VEC_PUSH(&spec->params, p);
            return spec->params.length - 1;
        }
    return UINT32_MAX;
}

/* What a parameter is called: in the source, or in PTX of which no source is known; NULL: nothing. */
static const char *name_of(const ls_gate_kernel *kernel, uint32_t i) {
    if (kernel->names) return kernel->names[i];
    const ls_ptx_symbol *symbol = kernel->function->params[i]->symbol;
    return symbol ? symbol->name : NULL;
}

/* Finds by name which parameter of the spec each parameter of the kernel is; NULL, or the first one that is
 * not in the spec. */
static const char *match_by_name(ls_gate_state *g, ls_gate_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const char *name = name_of(kernel, i);
        kernel->of[i] = find_param(g->spec, name);
        if (kernel->of[i] == UINT32_MAX) kernel->of[i] = scalar_of_size(g->spec, name);
        if (kernel->of[i] == UINT32_MAX) return name ? name : "(without a name)";
        for (uint32_t k = 0; k < i; k++)
            if (kernel->of[k] == kernel->of[i]) return name;
    }
    return NULL;
}

bool ls_gate_match_candidate(ls_gate_state *g, const char **by) {
    ls_gate_kernel *c = &g->candidate;
    c->of = LS_NEW_N(&g->arena, uint32_t, c->param_count + 1);
    *by = "name";
    const char *missing = match_by_name(g, c);
    if (!missing) return true;
    if (!g->has_reference || c->param_count != g->reference.param_count) {
        ls_gate_problem(
            g->problems, -1, "parameters", &(ls_place){c->path, c->kernel->line, 0},
            "the reference has no parameter '%s', and the two kernels have different numbers of parameters",
            missing);
        return false;
    }
    memcpy(c->of, g->reference.of, c->param_count * sizeof *c->of);
    *by = "position";
    return true;
}

bool ls_gate_match_reference(ls_gate_state *g) {
    if (!g->has_reference) return true;
    ls_gate_kernel *r = &g->reference;
    r->of = LS_NEW_N(&g->arena, uint32_t, r->param_count + 1);
    const char *missing = match_by_name(g, r);
    if (missing)
        ls_diags_add(
            g->diags, LS_ERROR, r->path, r->kernel->line, 0,
            "the parameter '%s' is not described: add '// gate: in %s=f32[n]', or out, inout or scalar",
            missing, missing);
    return !missing;
}

/* --- Cases --------------------------------------------------------------------------------------------- */

uint64_t ls_gate_mix(uint64_t x) { /* splitmix64 */
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint32_t ls_gate_count_cases(const ls_gate_state *g) {
    uint32_t count = 1;
    bool ranges = false;
    for (uint32_t i = 0; i < g->spec->sizes.length; i++) {
        const ls_gate_size *s = &g->spec->sizes.items[i];
        if (s->values.length > count) count = s->values.length;
        ranges |= s->low <= s->high;
    }
    return ranges || count > g->o->cases || !g->spec->sizes.length ? g->o->cases : count;
}

void ls_gate_choose_sizes(const ls_gate_state *g, uint32_t number, ls_gate_name *names) {
    for (uint32_t i = 0; i < g->spec->sizes.length; i++) {
        const ls_gate_size *s = &g->spec->sizes.items[i];
        bool any = s->low <= s->high && number >= s->values.length;
        uint64_t draw = ls_gate_mix(g->o->seed + number * 64 + i),
                 range = (uint64_t)s->high - (uint64_t)s->low + 1;
        if (range) draw %= range;
        names[i].name = s->name;
        names[i].value = any                ? (int64_t)((uint64_t)s->low + draw)
                         : s->values.length ? s->values.items[number % s->values.length]
                                            : 1;
    }
}

static bool wrong_spec(ls_gate_state *g, const char *what, const char *text) {
    ls_diags_add(g->diags, LS_ERROR, g->o->reference, 0, 0,
                 "%s '%s' cannot be computed from the sizes of a case, or has a value that is not allowed",
                 what, text);
    return false;
}

/* The argument of a parameter as `lockstep run --arg` has it. */
static const char *argument_of(ls_gate_state *g, const ls_gate_param *p, const ls_gate_name *names,
                               uint64_t seed, ls_arena *arena) {
    int64_t value;
    uint32_t count = g->spec->sizes.length;
    if (p->role == LS_GATE_SCALAR)
        return ls_gate_evaluate(p->value, names, count, &value) ? ls_arena_printf(arena, "%" PRId64, value)
                                                                : p->value;
    if (!ls_gate_evaluate(p->count, names, count, &value) || value < 1 || value > (INT64_C(1) << 28)) {
        wrong_spec(g, "the number of elements", p->count);
        return NULL;
    }
    if (p->role == LS_GATE_OUT) return ls_arena_printf(arena, "%s[%" PRId64 "]=uninit", p->type, value);
    if (p->fill) return ls_arena_printf(arena, "%s[%" PRId64 "]=%s", p->type, value, p->fill);
    return ls_arena_printf(arena, "%s[%" PRId64 "]=random:%" PRIu64, p->type, value, seed);
}

bool ls_gate_arguments(ls_gate_state *g, ls_gate_case *c, const ls_gate_name *names, uint64_t seed,
                       ls_arena *arena) {
    const char **arguments = LS_NEW_N(arena, const char *, g->spec->params.length + 1);
    for (uint32_t i = 0; i < g->spec->params.length; i++) {
        arguments[i] = argument_of(g, &g->spec->params.items[i], names, ls_gate_mix(seed + i) >> 1, arena);
        if (!arguments[i]) return false;
    }
    c->arguments = arguments;
    c->spec = g->spec;
    return true;
}

bool ls_gate_launch_of(ls_gate_state *g, const ls_gate_kernel *k, ls_gate_case *c, const ls_gate_name *names,
                       bool is_candidate) {
    const ls_gate_launch *own = &k->launch, *common = &g->spec->launch;
    const char *grid = own->grid ? own->grid : common->grid, *block = own->block ? own->block : common->block;
    const char *shared = own->shared ? own->shared : common->shared;
    uint32_t count = g->spec->sizes.length;
    int64_t bytes = LS_EMU_SHARED_UNKNOWN;
    const ls_launch_size *g_known = &k->kernel->grid, *b_known = &k->kernel->block;
    bool good = true;
    if (grid)
        good = ls_gate_dimensions(grid, names, count, c->grid);
    else if (g_known->known)
        c->grid[0] = g_known->x, c->grid[1] = g_known->y, c->grid[2] = g_known->z;
    if (good && block)
        good = ls_gate_dimensions(block, names, count, c->block);
    else if (b_known->known)
        c->block[0] = b_known->x, c->block[1] = b_known->y, c->block[2] = b_known->z;
    if (good && shared)
        good = ls_gate_evaluate(shared, names, count, &bytes) && bytes >= 0 && bytes < (1 << 20);
    c->shared = (uint32_t)bytes;
    if (good && c->grid[0] && c->block[0]) return true;
    if (is_candidate && (own->grid || own->block || own->shared)) {
        ls_gate_problem(g->problems, -1, "launch", NULL, "the candidate's own launch cannot be computed");
        return false;
    }
    if (good) {
        ls_diags_add(
            g->diags, LS_ERROR, k->path, 0, 0,
            "the launch sizes are not known: add '// gate: grid cdiv(n, 256)' and '// gate: block 256'");
        return false;
    }
    return wrong_spec(g, "the launch", grid ? grid : block);
}
