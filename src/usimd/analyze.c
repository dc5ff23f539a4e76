/* The analyses of 003 §3.3 and §3.4 on µ-SIMD programs: the translated program through src/ir and
 * src/analyze, once as the simple analysis (Figure 10), once each with polynomials of degree one (Figure 13)
 * and two, and the results under the names of the gated form (Figures 9, 11, 14, 15). */
#include "usimd/gated.h"

#include "base/recover.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>

struct ls_usimd_analysis_private {
    ls_arena arena;
    usimd_ptx ptx;
    ls_ptx_module *module;
    ls_ir_function *f;
    ls_analysis *analyses[LS_USIMD_ANALYSES];
    gated g;
    char *gated;
};

/* --- States ------------------------------------------------------------------------------------------------
 */
static ls_residue coefficient(const ls_shape *shape, ls_monomial monomial) {
    for (uint32_t i = 0; i < shape->term_count; i++)
        if (shape->monomials[i] == monomial) return shape->coefficients[i];
    return (ls_residue){0, 0};
}

/* The paper's tuples: (a1, a0), (a2, a1, a0). */
static const char *print_state(ls_arena *arena, const ls_shape *shape, ls_usimd_analysis_kind kind) {
    if (shape->kind == LS_SHAPE_UNSEEN) return "⊤";
    if (kind == LS_USIMD_SIMPLE) return ls_shape_uniform(shape) ? "U" : "D";
    bool divergent = shape->kind == LS_SHAPE_DIVERGENT;
    ls_residue a[3] = {coefficient(shape, LS_MONO_XX), coefficient(shape, LS_MONO_X), shape->constant};
    char text[3][32];
    for (uint32_t i = 0; i < 3; i++) {
        if (divergent || a[i].modulus)
            snprintf(text[i], sizeof text[i], "⊥");
        else
            snprintf(text[i], sizeof text[i], "%lld", (long long)a[i].rest);
    }
    if (kind == LS_USIMD_DEGREE1) return ls_arena_printf(arena, "(%s, %s)", text[1], text[2]);
    return ls_arena_printf(arena, "(%s, %s, %s)", text[0], text[1], text[2]);
}

/* --- Dependences -------------------------------------------------------------------------------------------
 */
typedef struct {
    const gated *g;
    ls_usimd_value *value;
    LS_VEC(uint32_t) needs;
} dependences;

static void need(dependences *d, const ls_ir_value *value) {
    if (!value) return;
    uint32_t index = d->g->index_of[value->id];
    if (index == UINT32_MAX) {
        if (strcmp(gated_name(d->g, value), "tid") == 0) d->value->needs_tid = true;
        return;
    }
    for (uint32_t i = 0; i < d->needs.length; i++)
        if (d->needs.items[i] == index) return;
    LS_VEC_PUSH_IN(d->g->arena, &d->needs, index);
}

static void need_branches(dependences *d, ls_ir_block *const *blocks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) need(d, gated_predicate(blocks[i]));
}

static void fill_needs(const gated *g, uint32_t index, ls_usimd_value *value) {
    dependences d = {.g = g, .value = value};
    const ls_ir_value *of = g->named[index];
    if (of->kind == LS_VALUE_PHI) {
        const ls_ir_block *block = of->phi->block;
        for (uint32_t i = 0; i < block->pred_count; i++) need(&d, of->phi->args[i]);
        need_branches(&d, block->gate_branches, block->gate_branch_count);
    } else if (of->kind == LS_VALUE_ETA) {
        need(&d, of->eta.value);
        need_branches(&d, of->eta.loop->exit_branches, of->eta.loop->exit_branch_count);
    } else if (g->at[index] != UINT32_MAX) {
        const ptx_group *group = &g->groups[g->at[index]];
        for (uint32_t i = 0; i < group->count; i++)
            for (uint32_t k = 0; k < group->ir[i]->src_count; k++) need(&d, group->ir[i]->src[k].value);
    }
    value->needs = d.needs.items;
    value->need_count = d.needs.length;
}

/* --- The whole ---------------------------------------------------------------------------------------------
 */
static void fill_values(ls_usimd_analysis *out) {
    struct ls_usimd_analysis_private *s = out->hidden;
    const gated *g = &s->g;
    ls_usimd_value *values = LS_NEW_N(&s->arena, ls_usimd_value, g->named_count + 1);
    for (uint32_t i = 0; i < g->named_count; i++) {
        ls_usimd_value *v = &values[i];
        v->name = g->names[g->named[i]->id];
        v->definition = gated_definition(g, i);
        v->instruction = g->named[i]->kind == LS_VALUE_INSTR ? g->at[i] : UINT32_MAX;
        v->line = g->at[i] == UINT32_MAX ? 0 : g->p->instrs[g->at[i]].line;
        for (uint32_t k = 0; k < LS_USIMD_ANALYSES; k++) {
            const ls_shape *shape = &s->analyses[k]->shapes[g->named[i]->id];
            v->states[k] = print_state(&s->arena, shape, (ls_usimd_analysis_kind)k);
            v->uniform[k] = ls_shape_uniform(shape);
        }
        fill_needs(g, i, v);
    }
    out->values = values;
    out->value_count = g->named_count;
}

static void fill_branches(ls_usimd_analysis *out) {
    struct ls_usimd_analysis_private *s = out->hidden;
    const gated *g = &s->g;
    ls_usimd_branch *list = LS_NEW_N(&s->arena, ls_usimd_branch, g->p->instr_count + 1);
    for (uint32_t k = 0; k < g->p->instr_count; k++) {
        const ptx_group *group = &g->groups[k];
        if (!branches(&g->p->instrs[k]) || !group->count) continue;
        bool negated;
        const ls_ir_value *z = ls_ir_branch_predicate(group->ir[group->count - 1]->block, &negated);
        ls_usimd_branch *b = &list[out->branch_count++];
        b->instruction = k;
        for (uint32_t a = 0; z && a < LS_USIMD_ANALYSES; a++)
            b->divergent[a] = !ls_shape_uniform(&s->analyses[a]->shapes[z->id]);
    }
    out->branches = list;
}

static ls_usimd_analysis *analyze_program(const ls_usimd *p, ls_diags *diags) {
    static const uint32_t degrees[] = {LS_DEGREE_SIMPLE, 1, 2};
    ls_usimd_analysis *out = ls_xmalloc(sizeof *out);
    struct ls_usimd_analysis_private *s = ls_xmalloc(sizeof *s);
    *s = (struct ls_usimd_analysis_private){.ptx = usimd_translate(p, 0)};
    *out = (ls_usimd_analysis){.hidden = s};
    ls_arena_init(&s->arena);
    s->module = ls_ptx_parse(s->ptx.text, s->ptx.length, p->file, diags);
    const ls_ptx_function *kernel = s->module ? ls_ptx_find_function(s->module, USIMD_KERNEL) : NULL;
    if (kernel) s->f = ls_ir_build(s->module, kernel, NULL, diags);
    if (!s->f) {
        ls_usimd_analysis_free(out);
        return NULL;
    }
    for (uint32_t k = 0; k < LS_USIMD_ANALYSES; k++)
        s->analyses[k] = ls_analyze(s->f, &(ls_analyze_options){.degree = degrees[k], .shapes_only = true});
    gated_fill(&s->g, p, &s->ptx, s->f, &s->arena);
    fill_values(out);
    fill_branches(out);
    out->gated = s->gated = gated_print(&s->g);
    return out;
}

ls_usimd_analysis *ls_usimd_analyze(const ls_usimd *p, ls_diags *diags) {
    LS_GUARDED((ls_diags_no_memory(diags), NULL), analyze_program(p, diags));
}

void ls_usimd_analysis_free(ls_usimd_analysis *analysis) {
    if (!analysis) return;
    struct ls_usimd_analysis_private *s = analysis->hidden;
    for (uint32_t k = 0; k < LS_USIMD_ANALYSES; k++) ls_analysis_free(s->analyses[k]);
    ls_ir_free(s->f);
    ls_ptx_module_free(s->module);
    usimd_ptx_free(&s->ptx);
    free(s->gated);
    ls_arena_free(&s->arena);
    free(s);
    free(analysis);
}

static char *dependences_text(const ls_usimd_analysis *a, ls_usimd_analysis_kind kind) {
    ls_buf out = {0};
    ls_buf_puts(&out, "digraph dependences {\n    node [shape=box, fontname=\"monospace\"];\n"
                      "    tid [style=filled, fillcolor=gray];\n");
    for (uint32_t i = 0; i < a->value_count; i++) {
        const ls_usimd_value *v = &a->values[i];
        ls_buf_printf(&out, "    \"%s\" [label=\"%s = %s\\n%s\"%s];\n", v->name, v->name, v->definition,
                      v->states[kind], v->uniform[kind] ? "" : ", style=filled, fillcolor=gray");
        if (v->needs_tid) ls_buf_printf(&out, "    tid -> \"%s\";\n", v->name);
        for (uint32_t k = 0; k < v->need_count; k++)
            ls_buf_printf(&out, "    \"%s\" -> \"%s\";\n", a->values[v->needs[k]].name, v->name);
    }
    ls_buf_puts(&out, "}\n");
    return out.text;
}

char *ls_usimd_dependences(const ls_usimd_analysis *a, ls_usimd_analysis_kind kind) {
    LS_GUARDED((ls_escape_further(), NULL), dependences_text(a, kind));
}
