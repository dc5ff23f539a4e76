/* The prover's terms: under numbers for the operands they have the meaning's value. Where a term is a
 * function of which nothing is known, or the manual leaves a result open (division by zero), nothing is to be
 * compared.
 */
#include "forms.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct {
    const ls_term *symbols[LS_ISA_SOURCES];
    const uint64_t *values;
    uint64_t other; /* what functions give of which nothing is known */
    bool asked;     /* for one */
} numbers;

static uint64_t look_up(void *data, const ls_term *leaf) {
    numbers *n = data;
    for (uint32_t k = 0; k < LS_ISA_SOURCES; k++)
        if (n->symbols[k] == leaf) return n->values[k] & ls_mask(leaf->width);
    n->asked = true;
    return n->other & ls_mask(leaf->width);
}

static uint64_t evaluate(numbers *n, const ls_term *term, uint64_t other) {
    ls_eval eval = {.lookup = look_up, .data = n};
    n->other = other;
    uint64_t v = ls_evaluate(&eval, term);
    ls_intmap_free(&eval.memo);
    return v & ls_mask(term->width);
}

/* Sources as symbols, or as constants where the mask says so; the term of the first result. */
static const ls_term *lower(ls_proof *p, const form *f, uint32_t constants, const uint64_t *s, numbers *n) {
    ls_state *state = ls_state_new(p, NULL, "");
    for (uint32_t k = 0; k < f->instr->src_count; k++) {
        const ls_ir_value *value = f->instr->src[k].value;
        if (!value || value->kind == LS_VALUE_IMM) continue;
        uint32_t width = ls_width_of(value->type);
        n->symbols[k] = constants >> k & 1
                            ? NULL
                            : ls_symbol(&p->terms, "source", width, LS_SCOPE_THREAD, LS_SYM_INPUT, 1, 0);
        const ls_term *given =
            n->symbols[k] ? n->symbols[k] : ls_const(&p->terms, width, s[k] & ls_mask(width));
        ls_set_value(state, value, given);
    }
    ls_lower_instr(state, f->instr);
    return ls_value_of(state, f->instr->dst[0].value);
}

/* The manual does not say what division by zero gives. */
static bool is_open(const form *f, const uint64_t *s) {
    bool divides = f->instr->op == LS_OP_DIV || f->instr->op == LS_OP_REM;
    return divides && ls_ptx_type_kind_of((ls_ptx_type)f->isa.type[0]) != LS_KIND_FLOAT && !s[1];
}

static void compare(form *f, numbers *n, const ls_term *term, const uint64_t *s) {
    if (is_open(f, s)) return;
    n->values = s;
    n->asked = false;
    uint64_t got = evaluate(n, term, 0);
    if (n->asked && got != evaluate(n, term, draw() | 1)) return;
    if (n->asked && got != evaluate(n, term, UINT64_MAX)) return;
    uint64_t want = ls_isa_compute(&f->isa, s) & ls_mask(term->width);
    if (!form_agrees(f, 0, want, got)) form_fail(f, "the prover", s, want, got);
}

void check_terms(form *f) {
    enum { SHAPES = 24, DRAWS = 12 };
    ls_proof p;
    ls_proof_begin(&p, f->ir, &(ls_verify_options){0});
    p.result = &(ls_verify_result){0};
    ls_terms_init(&p.terms);
    ls_make_symbols(&p);
    bool function = false;
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        uint64_t s[LS_ISA_SOURCES] = {0};
        uint32_t constants = shape ? (uint32_t)draw() : 0;
        numbers n = {0};
        for (uint32_t k = 0; k < f->sources; k++) s[k] = draw_source(f, k);
        const ls_term *term = lower(&p, f, constants, s, &n);
        function |= !shape && term->op == LS_T_UF;
        for (uint32_t i = 0; i < DRAWS; i++) {
            for (uint32_t k = 0; k < f->sources; k++)
                if (!(constants >> k & 1)) s[k] = draw_source(f, k);
            compare(f, &n, term, s);
        }
    }
    coverage *c = &covered[f->instr->op];
    *(function ? &c->function : &c->exact) += 1;
    ls_proof_end(&p);
    ls_terms_free(&p.terms);
    ls_arena_free(&p.arena);
}
