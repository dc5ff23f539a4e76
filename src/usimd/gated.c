/* Gated static single assignment form of µ-SIMD programs (003 §3.2, Figure 9). The IR of the translated
 * program has it already (src/ir/gating.c); here its values get the paper's names (s0, s1, … in the order of
 * the text) and are shown in place: μ at loop heads, γ and η where PEs meet, instead of the sync. */
#include "usimd/gated.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 400 }; /* of one gating expression that are shown */

/* --- Which PTX belongs to which instruction
 * ------------------------------------------------------------------
 */
static void fill_groups(gated *g, const usimd_ptx *ptx) {
    g->groups = LS_NEW_N(g->arena, ptx_group, g->p->instr_count);
    for (uint32_t i = 0; i < g->f->instr_count; i++) {
        const ls_ir_instr *ir = g->f->instrs[i];
        uint32_t line = ir->pos->ptx_line;
        uint32_t k = line < ptx->line_count ? ptx->instr_of[line] : UINT32_MAX;
        if (k == UINT32_MAX || g->groups[k].count == GROUP) continue;
        g->groups[k].ir[g->groups[k].count++] = ir;
    }
}

/* The instruction at which a block begins. */
static uint32_t start_of(const gated *g, const ls_map *labels, const usimd_ptx *ptx,
                         const ls_ir_block *block) {
    if (block == g->f->entry) return 0;
    if (block->label && strncmp(block->label, "L_", 2) == 0) {
        const char *name = block->label + 2;
        const usimd_label *l = ls_map_get(labels, name, strlen(name));
        if (l) return l->instr;
    }
    for (uint32_t i = 0; i < block->instr_count; i++) {
        uint32_t line = block->instrs[i]->pos->ptx_line;
        uint32_t k = line < ptx->line_count ? ptx->instr_of[line] : UINT32_MAX;
        if (k != UINT32_MAX) return k;
    }
    return UINT32_MAX;
}

static void fill_starts(gated *g, const usimd_ptx *ptx) {
    ls_map labels = {0};
    g->starts = LS_NEW_N(g->arena, const ls_ir_block *, g->p->instr_count);
    for (uint32_t i = 0; i < g->p->label_count; i++)
        *ls_map_at(&labels, g->p->labels[i].name, strlen(g->p->labels[i].name)) = &g->p->labels[i];
    for (uint32_t b = 0; b < g->f->block_count; b++) {
        uint32_t k = start_of(g, &labels, ptx, g->f->blocks[b]);
        if (k != UINT32_MAX) g->starts[k] = g->f->blocks[b];
    }
    ls_map_free(&labels);
}

/* --- Names -------------------------------------------------------------------------------------------------
 */
static uint32_t variable_of(const gated *g, const ls_ir_value *value) {
    if (value->reg == LS_IR_NONE || value->kind == LS_VALUE_UNDEF) return UINT32_MAX;
    return usimd_variable_of(g->f->registers[value->reg].name);
}

static void number(gated *g, uint32_t *versions, const ls_ir_value *value, uint32_t at) {
    uint32_t v = variable_of(g, value);
    if (v == UINT32_MAX || g->index_of[value->id] != UINT32_MAX) return;
    g->index_of[value->id] = g->named_count;
    g->named[g->named_count] = value;
    g->at[g->named_count++] = at;
    versions[v]++;
}

static const ls_ir_block *eta_place(const ls_ir_value *eta) {
    return eta->eta.loop->exit_count ? eta->eta.loop->exits[0].to : NULL;
}

/* η values by the block where they are shown: chains through next[value id], the values of one loop together,
 * in the order of their variables. */
typedef struct {
    const ls_ir_value **first, **next;
} eta_list;

static bool eta_before(const gated *g, const ls_ir_value *a, const ls_ir_value *b) {
    if (a->eta.loop != b->eta.loop) return a->eta.loop->id < b->eta.loop->id;
    return variable_of(g, a) < variable_of(g, b);
}

static eta_list list_etas(const gated *g) {
    eta_list list = {LS_NEW_N(g->arena, const ls_ir_value *, g->f->block_count),
                     LS_NEW_N(g->arena, const ls_ir_value *, g->f->value_count + 1)};
    for (uint32_t i = 0; i < g->f->value_count; i++) {
        const ls_ir_value *value = g->f->values[i];
        const ls_ir_block *place = value->kind == LS_VALUE_ETA ? eta_place(value) : NULL;
        if (!place) continue;
        const ls_ir_value **at = &list.first[place->id];
        while (*at && eta_before(g, *at, value)) at = &list.next[(*at)->id];
        list.next[value->id] = *at;
        *at = value;
    }
    return list;
}

static void number_all(gated *g, uint32_t *versions) {
    eta_list etas = list_etas(g);
    const ls_ir_block *entry = g->f->entry;
    for (uint32_t i = 0; i < entry->instr_count; i++) /* inputs */
        if (entry->instrs[i]->op == LS_OP_LD && entry->instrs[i]->dst_count && entry->instrs[i]->accesses &&
            entry->instrs[i]->accesses[0].space == LS_SPACE_PARAM)
            number(g, versions, entry->instrs[i]->dst[0].value, UINT32_MAX);
    for (uint32_t k = 0; k < g->p->instr_count; k++) {
        const ls_ir_block *block = g->starts[k];
        for (uint32_t i = 0; block && i < block->phi_count; i++)
            number(g, versions, block->phis[i]->value, k);
        for (const ls_ir_value *eta = block ? etas.first[block->id] : NULL; eta; eta = etas.next[eta->id])
            number(g, versions, eta, k);
        for (uint32_t i = 0; i < g->groups[k].count; i++)
            for (uint32_t d = 0; d < g->groups[k].ir[i]->dst_count; d++)
                if (g->groups[k].ir[i]->dst[d].value)
                    number(g, versions, g->groups[k].ir[i]->dst[d].value, k);
    }
}

static void fill_names(gated *g) {
    uint32_t count = g->f->value_count + 1;
    uint32_t *versions = LS_NEW_N(g->arena, uint32_t, g->p->variable_count + 1);
    g->names = LS_NEW_N(g->arena, const char *, count);
    g->index_of = LS_NEW_N(g->arena, uint32_t, count);
    memset(g->index_of, 0xFF, count * sizeof *g->index_of);
    g->named = LS_NEW_N(g->arena, const ls_ir_value *, count);
    g->at = LS_NEW_N(g->arena, uint32_t, count);
    number_all(g, versions);
    uint32_t *next = LS_NEW_N(g->arena, uint32_t, g->p->variable_count + 1);
    for (uint32_t i = 0; i < g->named_count; i++) {
        uint32_t v = variable_of(g, g->named[i]);
        bool plain = g->p->variables[v].is_input && versions[v] == 1;
        g->names[g->named[i]->id] = plain
                                        ? g->p->variables[v].name
                                        : ls_arena_printf(g->arena, "%s%u", g->p->variables[v].name, next[v]);
        next[v]++;
    }
}

void gated_fill(gated *g, const ls_usimd *p, const usimd_ptx *ptx, const ls_ir_function *f, ls_arena *arena) {
    *g = (gated){.p = p, .arena = arena, .f = f};
    fill_groups(g, ptx);
    fill_starts(g, ptx);
    fill_names(g);
}

const char *gated_name(const gated *g, const ls_ir_value *value) {
    if (!value || value->kind == LS_VALUE_UNDEF) return "undefined";
    if (g->names[value->id]) return g->names[value->id];
    return value->reg != LS_IR_NONE && strcmp(g->f->registers[value->reg].name, "%tid_x") == 0 ? "tid" : "?";
}

const ls_ir_value *gated_predicate(const ls_ir_block *block) {
    bool negated;
    const ls_ir_value *z = ls_ir_branch_predicate(block, &negated);
    if (!z || z->kind != LS_VALUE_INSTR || !z->instr->src_count) return NULL;
    return z->instr->src[0].value;
}

/* --- Gating functions --------------------------------------------------------------------------------------
 */
typedef struct {
    const gated *g;
    ls_buf *out;
    ls_ir_phi *const *phis; /* shown together, in the paper's matrix notation */
    uint32_t phi_count;
    uint32_t parts;
} show;

static void show_edge(show *s, uint32_t edge) {
    if (s->phi_count > 1) ls_buf_putc(s->out, '(');
    for (uint32_t i = 0; i < s->phi_count; i++)
        ls_buf_printf(s->out, "%s%s", i ? ", " : "", gated_name(s->g, s->phis[i]->args[edge]));
    if (s->phi_count > 1) ls_buf_putc(s->out, ')');
}

static void show_predicates(show *s, ls_ir_block *const *blocks, uint32_t count) {
    if (count != 1) ls_buf_putc(s->out, '(');
    for (uint32_t i = 0; i < count; i++)
        ls_buf_printf(s->out, "%s%s", i ? ", " : "", gated_name(s->g, gated_predicate(blocks[i])));
    if (count != 1) ls_buf_putc(s->out, ')');
}

static void show_gate(show *s, const ls_ir_gate *gate);

/* γ[p, o1, o2]: o1 where p is not 0. A branch's first successor is where its guard leads, which for bz is
 * where p is 0. */
static void show_gamma(show *s, const ls_ir_gate *gate) {
    bool negated;
    const ls_ir_value *z = ls_ir_branch_predicate(gate->block, &negated);
    bool zero_first = z && z->kind == LS_VALUE_INSTR && ls_ptx_form_has(z->instr->form, LS_MOD_EQ);
    ls_buf_printf(s->out, "γ[%s", gated_name(s->g, gated_predicate(gate->block)));
    for (uint32_t i = 0; i < gate->part_count; i++) {
        ls_buf_puts(s->out, ", ");
        show_gate(s, gate->parts[zero_first != negated ? gate->part_count - 1 - i : i]);
    }
    ls_buf_putc(s->out, ']');
}

static void show_gate(show *s, const ls_ir_gate *gate) {
    if (s->parts++ > MOST_PARTS) {
        ls_buf_puts(s->out, "…");
    } else if (!gate) {
        ls_buf_puts(s->out, "–"); /* that way does not lead here */
    } else if (gate->kind == LS_GATE_EDGE) {
        show_edge(s, gate->edge);
    } else if (gate->kind == LS_GATE_ETA) {
        ls_buf_puts(s->out, "η[");
        show_predicates(s, gate->loop->exit_branches, gate->loop->exit_branch_count);
        ls_buf_puts(s->out, ", ");
        show_gate(s, gate->parts[0]);
        ls_buf_putc(s->out, ']');
    } else {
        show_gamma(s, gate);
    }
}

/* What the phis of one block are. */
static void show_phis(show *s) {
    const ls_ir_block *block = s->phis[0]->block;
    if (s->phis[0]->kind == LS_PHI_MU && block->gate && block->carried) {
        ls_buf_puts(s->out, "μ[");
        show_gate(s, block->gate);
        ls_buf_puts(s->out, ", ");
        show_gate(s, block->carried);
        ls_buf_putc(s->out, ']');
    } else if (s->phis[0]->kind == LS_PHI_GAMMA && block->gate) {
        show_gate(s, block->gate);
    } else {
        ls_buf_puts(s->out, "φ[");
        for (uint32_t i = 0; i < block->pred_count; i++) {
            if (i) ls_buf_puts(s->out, ", ");
            show_edge(s, i);
        }
        ls_buf_putc(s->out, ']');
    }
}

/* --- Instructions ------------------------------------------------------------------------------------------
 */
static const char *name_operand(const void *context, operand o, bool is_dst, uint32_t k) {
    const gated *g = context;
    if (o.kind != OPERAND_VARIABLE) return NULL;
    for (uint32_t i = 0; i < g->groups[k].count; i++) {
        const ls_ir_instr *ir = g->groups[k].ir[i];
        const ls_ir_operand *operands = is_dst ? ir->dst : ir->src;
        for (uint32_t n = 0; n < (is_dst ? ir->dst_count : ir->src_count); n++) {
            if (operands[n].kind != LS_IR_REG) continue;
            if (usimd_variable_of(g->f->registers[operands[n].reg].name) != (uint32_t)o.value) continue;
            return gated_name(g, operands[n].value);
        }
    }
    return NULL;
}

static void put_instr(const gated *g, ls_buf *out, uint32_t k) {
    usimd_put_instr(out, g->p, k, name_operand, g);
}

const char *gated_definition(const gated *g, uint32_t index) {
    const ls_ir_value *value = g->named[index];
    ls_buf out = {0};
    show s = {.g = g, .out = &out};
    const char *from = NULL;
    if (value->kind == LS_VALUE_PHI) {
        s.phis = &(ls_ir_phi *){value->phi};
        s.phi_count = 1;
        show_phis(&s);
    } else if (value->kind == LS_VALUE_ETA) {
        ls_buf_puts(&out, "η[");
        show_predicates(&s, value->eta.loop->exit_branches, value->eta.loop->exit_branch_count);
        ls_buf_printf(&out, ", %s]", gated_name(g, value->eta.value));
    } else if (g->at[index] == UINT32_MAX) {
        ls_buf_puts(&out, "input");
    } else {
        put_instr(g, &out, g->at[index]);
        from = strstr(out.text, " = ");
        from = from ? from + 3 : strchr(out.text, ' ') + 1;
    }
    const char *text = ls_arena_strdup(g->arena, from ? from : out.text);
    ls_buf_free(&out);
    return text;
}

/* --- Figure 9 ----------------------------------------------------------------------------------------------
 */
static void put_margin(ls_buf *out, const char **label) {
    if (*label)
        ls_buf_printf(out, "%s:%*s", *label, strlen(*label) < 6 ? (int)(7 - strlen(*label)) : 1, "");
    else
        ls_buf_puts(out, "        ");
    *label = NULL;
}

static bool put_phis(const gated *g, ls_buf *out, const ls_ir_block *block, const char **label) {
    ls_ir_phi **phis = LS_NEW_N(g->arena, ls_ir_phi *, block->phi_count + 1);
    show s = {.g = g, .out = out, .phis = phis};
    for (uint32_t i = 0; i < block->phi_count; i++)
        if (g->names[block->phis[i]->value->id]) phis[s.phi_count++] = block->phis[i];
    if (!s.phi_count) return false;
    put_margin(out, label);
    for (uint32_t i = 0; i < s.phi_count; i++)
        ls_buf_printf(out, "%s%s", i ? ", " : "[", g->names[phis[i]->value->id]);
    ls_buf_puts(out, "] = ");
    show_phis(&s);
    ls_buf_putc(out, '\n');
    return phis[0]->kind != LS_PHI_MU;
}

/* The η of one loop, from `first` on; returns the number of the first that is of another one. */
static uint32_t put_loop_etas(const gated *g, ls_buf *out, uint32_t first, uint32_t k, const char **label) {
    const ls_ir_loop *loop = g->named[first]->eta.loop;
    uint32_t end = first;
    while (end < g->named_count && g->at[end] == k && g->named[end]->kind == LS_VALUE_ETA &&
           g->named[end]->eta.loop == loop)
        end++;
    put_margin(out, label);
    for (uint32_t i = first; i < end; i++)
        ls_buf_printf(out, "%s%s", i > first ? ", " : "[", g->names[g->named[i]->id]);
    ls_buf_puts(out, "] = η[");
    show_predicates(&(show){.g = g, .out = out}, loop->exit_branches, loop->exit_branch_count);
    ls_buf_puts(out, end - first > 1 ? ", (" : ", ");
    for (uint32_t i = first; i < end; i++)
        ls_buf_printf(out, "%s%s", i > first ? ", " : "", gated_name(g, g->named[i]->eta.value));
    ls_buf_puts(out, end - first > 1 ? ")]\n" : "]\n");
    return end;
}

/* Gating functions at instruction k; whether they stand for its sync. `next` is the first value defined at k.
 */
static bool put_gates(const gated *g, ls_buf *out, uint32_t k, uint32_t next, const char **label) {
    if (!g->starts[k]) return false;
    bool meets = put_phis(g, out, g->starts[k], label);
    while (next < g->named_count && g->at[next] == k) {
        if (g->named[next]->kind == LS_VALUE_ETA) {
            next = put_loop_etas(g, out, next, k, label);
            meets = true;
        } else {
            next++;
        }
    }
    return meets;
}

char *gated_print(const gated *g) {
    ls_buf out = {0};
    uint32_t next = 0;
    while (next < g->named_count && g->at[next] == UINT32_MAX) next++;
    for (uint32_t k = 0, meets = false; k < g->p->instr_count; k++) {
        const char *label = ls_usimd_label(g->p, k);
        bool is_sync = g->p->instrs[k].kind == INSTR_SYNC;
        meets = put_gates(g, &out, k, next, &label) || (meets && is_sync && !g->starts[k]);
        while (next < g->named_count && g->at[next] == k) next++;
        if (meets && is_sync) continue;
        put_margin(&out, &label);
        put_instr(g, &out, k);
        bool reached = g->groups[k].count || is_sync || g->p->instrs[k].kind == INSTR_JUMP;
        ls_buf_puts(&out, reached ? "\n" : "    // never reached\n");
    }
    return out.text;
}
