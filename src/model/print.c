/* Printing of programs (000, Figures 3, 5 and 7). */
#include "model/print.h"

#include <assert.h>
#include <inttypes.h>

typedef struct {
    ls_buf *out;
    const ls_kprog *prog;
    bool paper; /* the paper's signs instead of ASCII */
    bool phi;   /* private variables are written v_t */
} printer;

static printer printer_for(ls_buf *out, const ls_kprog *prog) {
    return (printer){out, prog, prog->form != LS_KF_KERNEL, prog->form == LS_KF_LOCKSTEP};
}

/* The paper's sign for an operator whose ASCII text differs. */
static const char *sign(const printer *p, ls_kop op) {
    static const char *const paper[LS_KX_COUNT] = {
        [LS_KX_EQ] = "=", [LS_KX_NE] = "≠",  [LS_KX_LE] = "≤",      [LS_KX_GE] = "≥",  [LS_KX_AND] = "∧",
        [LS_KX_OR] = "∨", [LS_KX_NOT] = "¬", [LS_KX_IMPLIES] = "⇒", [LS_KX_MUL] = "·",
    };
    return p->paper && paper[op] ? paper[op] : ls_kops[op].infix;
}

const char *ls_klabel(const ls_kprog *prog, uint32_t block) {
    if (prog->kernel) prog = prog->kernel;
    return block == LS_KEND ? "End" : prog->blocks.items[block].label;
}

/* ---- Expressions ------------------------------------------------------------------------------------- */

static void print_expr(printer *p, const ls_kexpr *expr, unsigned precedence);

static void print_var(printer *p, const ls_kvar *var) {
    ls_buf_puts(p->out, var->name);
    if (p->phi && var->class == LS_KC_PRIVATE)
        ls_buf_puts(p->out, var->role == LS_KR_USER || var->role == LS_KR_TID ? "_t" : ",t");
}

static void print_place(printer *p, const ls_kvar *var, const ls_kexpr *index) {
    print_var(p, var);
    if (!index) return;
    ls_buf_putc(p->out, '[');
    print_expr(p, index, 1);
    ls_buf_putc(p->out, ']');
}

static void print_leaf(printer *p, const ls_kexpr *expr) {
    if (expr->op == LS_KX_TS)
        ls_buf_puts(p->out, "TS");
    else if (expr->var)
        print_place(p, expr->var, expr->count ? expr->args[0] : NULL);
    else if (expr->type.kind == LS_KT_BOOL)
        ls_buf_puts(p->out, expr->value ? "true" : "false");
    else if (expr->type.kind == LS_KT_LABEL)
        ls_buf_puts(p->out, ls_klabel(p->prog, (uint32_t)expr->value));
    else if (expr->type.kind == LS_KT_INT)
        ls_buf_printf(p->out, expr->value < 0 ? "(%" PRId64 ")" : "%" PRId64, expr->value);
    else if (expr->value >= 0)
        ls_buf_printf(p->out, "bv(%" PRId64 ", %u)", expr->value, expr->type.width);
    else /* a 64-bit constant beyond what an integer literal holds */
        ls_buf_printf(p->out, "concat(bv(%" PRIu64 ", 32), bv(%" PRIu64 ", 32))", (uint64_t)expr->value >> 32,
                      (uint64_t)expr->value & 0xffffffff);
}

static void print_call(printer *p, const ls_kexpr *expr) {
    ls_buf_printf(p->out, "%s(", ls_kops[expr->op].name);
    for (uint32_t i = 0; i < expr->count; i++) {
        if (i) ls_buf_puts(p->out, ", ");
        print_expr(p, expr->args[i], 1);
    }
    if (expr->op == LS_KX_EXTRACT)
        ls_buf_printf(p->out, ", %d, %d", (int)((expr->value >> 8) + (expr->value & 0xff) - 1),
                      (int)(expr->value & 0xff));
    else if (ls_kops[expr->op].signature == LS_KSIG_RESIZE || expr->op == LS_KX_TO_BV)
        ls_buf_printf(p->out, ", %d", (int)expr->value);
    ls_buf_putc(p->out, ')');
}

static void print_infix(printer *p, const ls_kexpr *expr) {
    unsigned own = ls_kops[expr->op].precedence;
    if (expr->count == 1) {
        ls_buf_puts(p->out, sign(p, expr->op));
        print_expr(p, expr->args[0], own + 1);
        return;
    }
    if (expr->op == LS_KX_ITE) {
        print_expr(p, expr->args[0], own + 1);
        ls_buf_puts(p->out, " ? ");
        print_expr(p, expr->args[1], own + 1);
        ls_buf_puts(p->out, " : ");
        print_expr(p, expr->args[2], own);
        return;
    }
    bool right = expr->op == LS_KX_IMPLIES; /* groups to the right; all others to the left */
    for (uint32_t i = 0; i < expr->count; i++) {
        if (i) ls_buf_printf(p->out, " %s ", sign(p, expr->op));
        bool loose = right ? i + 1 == expr->count : i == 0;
        print_expr(p, expr->args[i], loose && expr->count == 2 ? own : own + 1);
    }
}

/* Parentheses where the operator binds looser than its surroundings ask for, and, for the eye, around
 * comparisons in the paper's formulas. */
static void print_expr(printer *p, const ls_kexpr *expr, unsigned precedence) {
    const ls_kop_info *info = &ls_kops[expr->op];
    if (info->signature == LS_KSIG_LEAF) {
        print_leaf(p, expr);
    } else if (!info->infix) {
        print_call(p, expr);
    } else {
        bool formula = p->paper && precedence > 1 && precedence <= 6 && info->precedence < 13;
        bool bracket = info->precedence < precedence || formula;
        if (bracket) ls_buf_putc(p->out, '(');
        print_infix(p, expr);
        if (bracket) ls_buf_putc(p->out, ')');
    }
}

/* ---- Statements -------------------------------------------------------------------------------------- */

/* (pred) ? value : place, or value where there is no predicate. */
static void print_selected(printer *p, const ls_kstmt *stmt) {
    if (!stmt->pred) {
        print_expr(p, stmt->value, 1);
        return;
    }
    ls_buf_putc(p->out, '(');
    print_expr(p, stmt->pred, 1);
    ls_buf_puts(p->out, ") ? ");
    print_expr(p, stmt->value, 2);
    ls_buf_puts(p->out, " : ");
    print_place(p, stmt->var, stmt->index);
}

/* (pred) ⇒ value, or value where there is no predicate. */
static void print_implied(printer *p, const ls_kstmt *stmt) {
    if (stmt->pred) {
        ls_buf_putc(p->out, '(');
        print_expr(p, stmt->pred, 1);
        ls_buf_puts(p->out, ") ⇒ ");
    }
    print_expr(p, stmt->value, stmt->pred ? 3 : 1);
}

static void print_labels(printer *p, const ls_kstmt *stmt) {
    ls_buf_putc(p->out, '{');
    for (uint32_t i = 0; i < stmt->label_count; i++)
        ls_buf_printf(p->out, "%s%s", i ? ", " : "", ls_klabel(p->prog, stmt->labels[i]));
    ls_buf_putc(p->out, '}');
}

static void print_plain(printer *p, const ls_kstmt *stmt) {
    switch ((ls_kstmt_kind)stmt->kind) {
    case LS_KS_ASSIGN:
        print_place(p, stmt->var, stmt->index);
        ls_buf_puts(p->out, " := ");
        print_selected(p, stmt);
        break;
    case LS_KS_HAVOC:
        ls_buf_puts(p->out, "havoc ");
        print_place(p, stmt->var, stmt->index);
        break;
    case LS_KS_ASSUME:
    case LS_KS_ASSERT:
        ls_buf_puts(p->out, stmt->kind == LS_KS_ASSUME ? "assume " : "assert ");
        print_implied(p, stmt);
        break;
    case LS_KS_BARRIER:
        ls_buf_puts(p->out, "barrier");
        if (stmt->pred) {
            ls_buf_puts(p->out, " (");
            print_expr(p, stmt->pred, 1);
            ls_buf_putc(p->out, ')');
        }
        break;
    case LS_KS_CHOOSE:
        print_var(p, stmt->var);
        ls_buf_puts(p->out, " :∈ ");
        print_labels(p, stmt);
        break;
    default: ls_buf_puts(p->out, "skip");
    }
}

static void print_quantified(printer *p, const char *before, const ls_kstmt *stmt, const char *after) {
    ls_buf_puts(p->out, before);
    print_implied(p, stmt);
    ls_buf_puts(p->out, after);
}

static void print_barrier_assert(printer *p, const ls_kstmt *stmt) {
    ls_buf_puts(p->out, "assert (∨ₜ (");
    print_expr(p, stmt->pred, 1);
    ls_buf_puts(p->out, ")) ⇒ (∧ₜ (");
    print_expr(p, stmt->pred, 1);
    ls_buf_puts(p->out, "))");
}

static void print_psi(printer *p, const ls_kstmt *stmt) {
    ls_buf_printf(p->out, "%s%s := ψ(⟨", stmt->var->name, stmt->index ? "[·]" : "");
    if (stmt->pred)
        print_expr(p, stmt->pred, 1);
    else
        ls_buf_puts(p->out, "true");
    ls_buf_puts(p->out, ", ");
    if (stmt->index) {
        print_expr(p, stmt->index, 1);
        ls_buf_puts(p->out, ", ");
    }
    print_expr(p, stmt->value, 1);
    ls_buf_puts(p->out, "⟩)");
}

static void print_vector(printer *p, const ls_kstmt *stmt) {
    switch ((ls_kstmt_kind)stmt->kind) {
    case LS_KS_VECTOR_ASSIGN:
        ls_buf_puts(p->out, "⟨");
        print_place(p, stmt->var, stmt->index);
        ls_buf_puts(p->out, "⟩ := ⟨");
        print_selected(p, stmt);
        ls_buf_puts(p->out, "⟩");
        break;
    case LS_KS_VECTOR_HAVOC:
        ls_buf_puts(p->out, "havoc ⟨");
        print_place(p, stmt->var, stmt->index);
        ls_buf_puts(p->out, "⟩");
        break;
    case LS_KS_VECTOR_CHOOSE:
        ls_buf_puts(p->out, "⟨");
        print_var(p, stmt->var);
        ls_buf_puts(p->out, "⟩ :∈ ⟨");
        print_labels(p, stmt);
        ls_buf_puts(p->out, "⟩");
        break;
    case LS_KS_PSI: print_psi(p, stmt); break;
    case LS_KS_ASSERT_ALL: print_quantified(p, "assert ∧ₜ (", stmt, ")"); break;
    case LS_KS_ASSUME_ALL: print_quantified(p, "assume ∧ₜ (", stmt, ")"); break;
    case LS_KS_ASSUME_ANY: print_quantified(p, "assume ∨ₜ (", stmt, ")"); break;
    default: print_barrier_assert(p, stmt);
    }
}

void ls_kstmt_print(ls_buf *out, const ls_kprog *prog, const ls_kstmt *stmt) {
    printer p = printer_for(out, prog);
    if (stmt->kind >= LS_KS_VECTOR_ASSIGN)
        print_vector(&p, stmt);
    else
        print_plain(&p, stmt);
}

/* ---- Blocks and programs ----------------------------------------------------------------------------- */

void ls_kblock_print(ls_buf *out, const ls_kprog *prog, uint32_t block) {
    const ls_kblock *b = &prog->blocks.items[block];
    ls_buf_printf(out, "%s:\n", b->label);
    for (uint32_t i = 0; i < b->stmts.length; i++) {
        ls_buf_puts(out, "    ");
        ls_kstmt_print(out, prog, &b->stmts.items[i]);
        ls_buf_puts(out, ";\n");
    }
    ls_buf_puts(out, "    goto ");
    for (uint32_t k = 0; k < b->targets.length; k++) {
        uint32_t target = b->targets.items[k];
        ls_buf_printf(out, "%s%s", k ? ", " : "",
                      target == LS_KEND ? "End" : prog->blocks.items[target].label);
    }
    ls_buf_puts(out, ";\n");
}

static void print_declaration(printer *p, const ls_kvar *var) {
    static const char *const classes[] = {"shared", "private", "const"};
    ls_buf_printf(p->out, "%s %s", classes[var->class], var->name);
    if (var->array && var->length)
        ls_buf_printf(p->out, "[%" PRIu64 "]", var->length);
    else if (var->array)
        ls_buf_puts(p->out, "[]"); /* of any length: of a real kernel */
    if (var->type.kind == LS_KT_BOOL)
        ls_buf_puts(p->out, " : bool");
    else if (var->type.kind == LS_KT_BV)
        ls_buf_printf(p->out, " : u%u", var->type.width);
    else
        ls_buf_printf(p->out, " : %" PRId64 "..%" PRId64, var->low, var->high);
    for (uint32_t i = 0; i < var->init_count; i++) {
        ls_buf_puts(p->out, i ? ", " : var->init_count > 1 ? " = {" : " = ");
        print_expr(p, var->init[i], 1);
    }
    ls_buf_puts(p->out, var->init_count > 1 ? "};\n" : ";\n");
}

void ls_kprog_print(ls_buf *out, const ls_kprog *prog) {
    printer p = printer_for(out, prog);
    if (prog->form == LS_KF_KERNEL) {
        ls_buf_printf(out, "kernel %s;\n", prog->name);
        if (prog->ctx->threads) ls_buf_printf(out, "threads %u;\n", prog->ctx->threads);
        for (uint32_t i = 0; i < prog->ctx->vars.length; i++)
            if (prog->ctx->vars.items[i]->role == LS_KR_USER) print_declaration(&p, prog->ctx->vars.items[i]);
    } else if (prog->form == LS_KF_LOCKSTEP) {
        ls_buf_puts(out, "// ⟨ ⟩, ∧ₜ and ∨ₜ range over the threads t = 1, …, TS\n");
    }
    for (uint32_t b = 0; b < prog->blocks.length; b++) ls_kblock_print(out, prog, b);
}
