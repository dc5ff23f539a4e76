/* The abstract transfer functions: sources are given as lane vectors or polynomials of which some numbers are
 * drawn; the meaning of the instruction on those, lane by lane, must be among what the abstract result
 * allows.
 *
 * Lane vectors and polynomials assume that index arithmetic does not wrap, and say so in the scope of a
 * report. So where a source is not known exactly, all numbers are small; where all are, they are anything. */
#include "analyze/transfer.h"
#include "analyze/warp.h"
#include "forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 128 };

static int64_t below(uint32_t n) {
    return (int64_t)(draw() >> 20) % n;
}

static bool is_count(const form *f, uint32_t k) { /* of a shift: small, so that nothing is shifted out */
    return k == 1 && (f->instr->op == LS_OP_SHL || f->instr->op == LS_OP_SHR);
}

static bool is_signed(const form *f, uint32_t k) {
    return ls_ptx_type_kind_of((ls_ptx_type)f->instr->src[k].type) == LS_KIND_SIGNED;
}

static bool is_byte(const form *f, uint32_t k) {
    return ls_ptx_type_bits((ls_ptx_type)f->instr->src[k].type) == 8;
}

static bool is_integer_form(const form *f) {
    for (uint32_t k = 0; k < 4; k++)
        if (ls_ptx_type_kind_of((ls_ptx_type)f->isa.type[k]) == LS_KIND_FLOAT) return false;
    return true;
}

/* Nothing can wrap: known numbers may be anything. */
static bool cannot_wrap(const form *f) {
    static const uint16_t ops[] = {LS_OP_AND, LS_OP_OR,   LS_OP_XOR, LS_OP_NOT, LS_OP_SELP, LS_OP_MIN,
                                   LS_OP_MAX, LS_OP_SETP, LS_OP_BFE, LS_OP_DIV, LS_OP_REM};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (f->instr->op == ops[i]) return true;
    return false;
}

/* --- Lane vectors ----------------------------------------------------------------------------------------
 */
typedef struct {
    ls_lanes lanes;
    int64_t values[LANES];
} vector;

/* LARGE: as large as lane vectors can be told apart from others. */
typedef enum { SMALL, LARGE, ANY } range;

static void exact_numbers(const form *f, uint32_t k, range how, bool uniform, vector *v) {
    uint32_t bits = class_bits(f->from[k]);
    bool small = how == SMALL;
    for (uint32_t l = 0; l < LANES; l++) {
        bool same = uniform && l;
        uint64_t any = small ? (uint64_t)(is_count(f, k) ? below(8) : below(60)) : draw_source(f, k);
        if (small && is_signed(f, k) && !is_count(f, k) && draw() % 4 == 0) any = 0 - any;
        v->values[l] = same ? v->values[0] : ls_canonical(any, bits);
        if (how == LARGE && !same && bits == 64) v->values[l] /= 4;
    }
    v->lanes = ls_lanes_vector(v->values);
}

/* A base that is not known, with offsets that are. */
static void some_numbers(const form *f, uint32_t k, bool uniform, vector *v) {
    int64_t stride = uniform ? 0 : below(is_byte(f, k) ? 1 : 3) + 1, base = below(2) * 32, start = below(8);
    if (is_count(f, k)) stride = 0, base = 0;
    int64_t offsets[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        offsets[l] = stride * l + start;
        v->values[l] = base + offsets[l];
    }
    ls_lanes known = ls_lanes_vector(offsets), multiple = ls_lanes_uniform(ls_residue_make(0, 32));
    multiple.nonnegative = true;
    v->lanes = ls_lanes_add(&multiple, &known);
    if (is_count(f, k)) v->lanes = ls_lanes_uniform(ls_residue_any());
    v->lanes.nonnegative = draw() % 2;
}

static void predicate(bool exact, vector *v) {
    uint32_t mask = (uint32_t)draw();
    for (uint32_t l = 0; l < LANES; l++) v->values[l] = mask >> l & 1;
    v->lanes = ls_lanes_mask(mask);
    if (exact) return;
    ls_lanes any = ls_lanes_any(LS_CAUSE_OTHER);
    const ls_lanes *inputs[] = {&any};
    v->lanes = ls_lanes_predicate_function(inputs, 1, LS_CAUSE_OTHER);
}

static bool draw_vectors(const form *f, vector *sources) {
    bool all_exact = draw() % 3 == 0;
    for (uint32_t k = 0; k < f->sources; k++) {
        char c = f->from[k];
        bool uniform = draw() % 2, exact = all_exact || draw() % 2;
        if (c == 'c') return false;
        if (c == 'p')
            predicate(exact, &sources[k]);
        else if (c == 'i' || c == 'j') {
            for (uint32_t l = 0; l < LANES; l++) sources[k].values[l] = f->constant[k];
            sources[k].lanes = ls_lanes_vector(sources[k].values);
        } else if (exact)
            exact_numbers(f, k,
                          all_exact                           ? ANY
                          : cannot_wrap(f) && draw() % 3 == 0 ? LARGE
                                                              : SMALL,
                          uniform, &sources[k]);
        else
            some_numbers(f, k, uniform, &sources[k]);
    }
    return true;
}

static bool group_fits(const ls_lanes *v, uint32_t g, const int64_t *values) {
    int64_t low = INT64_MIN, high = INT64_MAX;
    for (uint32_t l = 0; l < LANES; l++) {
        if (v->group[l] != g) continue;
        int64_t top = values[l] - v->offset[l], bottom = top - (int64_t)v->slack[l];
        if (bottom > low) low = bottom;
        if (top < high) high = top;
    }
    if (low == INT64_MIN) return true;
    if (low > high) return false;
    if (!v->modulus) return low <= 0 && high >= 0;
    return ls_floor_div(high, (int64_t)v->modulus) * (int64_t)v->modulus >= low;
}

static bool allows(const ls_lanes *v, const int64_t *values) {
    for (uint32_t g = 0; g < v->group_count; g++)
        if (!group_fits(v, g, values)) return false;
    for (uint32_t l = 0; l < LANES && v->nonnegative; l++)
        if (values[l] < 0) return false;
    return true;
}

static bool allows_predicate(const ls_lanes *p, uint32_t mask) {
    uint32_t count = (uint32_t)__builtin_popcount(mask);
    if ((mask & ~p->may) || (p->must & ~mask)) return false;
    if (count > p->most_true || LANES - count > p->most_false) return false;
    for (uint32_t l = 0; l < LANES; l++)
        for (uint32_t k = 0; k < l; k++)
            if (p->group[l] == p->group[k] && (mask >> l & 1) != (mask >> k & 1)) return false;
    return true;
}

/* The meaning on the numbers of one lane. */
static int64_t compute(const form *f, const int64_t *numbers, uint64_t *s) {
    for (uint32_t k = 0; k < f->sources; k++) {
        uint32_t bits = class_bits(f->from[k]);
        s[k] = (uint64_t)numbers[k] & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
    }
    return ls_canonical(ls_isa_compute(&f->isa, s), class_bits(f->to[0]));
}

static void compare_vectors(form *f, const ls_lanes *result, const vector *sources) {
    int64_t want[LANES];
    uint32_t mask = 0;
    uint64_t s[LS_ISA_SOURCES] = {0};
    for (uint32_t l = 0; l < LANES; l++) {
        int64_t numbers[LS_ISA_SOURCES];
        for (uint32_t k = 0; k < f->sources; k++) numbers[k] = sources[k].values[l];
        want[l] = compute(f, numbers, s);
        mask |= (uint32_t)(want[l] & 1) << l;
    }
    if (!(result->predicate ? allows_predicate(result, mask) : allows(result, want)))
        form_fail(f, "the lane vector of the last lane's sources", s, (uint64_t)want[LANES - 1],
                  (uint64_t)result->offset[LANES - 1]);
}

/* A source that is not known, and not the same in all lanes: without a rule of its own, no two lanes of the
 * result have to do with each other. */
static bool is_followed(const form *f, const ls_lanes *result, const vector *sources) {
    bool varies = false;
    for (uint32_t k = 0; k < f->sources; k++) {
        const ls_lanes *lanes = &sources[k].lanes;
        varies |= !lanes->predicate && lanes->modulus && lanes->offset[0] != lanes->offset[1];
    }
    return varies && is_integer_form(f) && result->group_count < LANES;
}

void check_lane_vectors(form *f) {
    ls_analysis *done = ls_analyze(f->ir, &(ls_analyze_options){.block = {32, 1, 1}});
    bool followed = false;
    for (uint32_t i = 0; i < DRAWS && f->results == 1; i++) {
        vector sources[FORM_SOURCES];
        ls_arena arena;
        ls_warp warp;
        if (!draw_vectors(f, sources)) break;
        ls_arena_init(&arena);
        ls_warp_generic(&warp, done->hidden, &arena);
        for (uint32_t k = 0; k < f->sources; k++) {
            const ls_ir_value *value = f->instr->src[k].value;
            if (value) warp.of[value->id] = &sources[k].lanes;
        }
        ls_lanes result = ls_warp_transfer(&warp, f->instr, 0);
        if (!result.seen) fail_msg("%s: its lane vector is not seen", f->text);
        if (result.predicate != (f->to[0] == 'p')) fail_msg("%s: a predicate is mistaken", f->text);
        compare_vectors(f, &result, sources);
        followed |= is_followed(f, &result, sources);
        ls_arena_free(&arena);
    }
    coverage *c = &covered[f->instr->op];
    *(followed ? &c->vectors : &c->uniform) += 1;
    ls_analysis_free(done);
}

/* --- Polynomials of threadIdx.x --------------------------------------------------------------------------
 */
typedef struct {
    ls_shape shape;
    int64_t constant, slope;
} line;

static void draw_line(const form *f, uint32_t k, line *out) {
    bool slopes = draw() % 2 && !is_count(f, k), known = draw() % 2;
    *out = (line){.constant = is_count(f, k) ? below(8) : below(60),
                  .slope = slopes ? below(is_byte(f, k) ? 2 : 4) + 1 : 0};
    if (is_signed(f, k) && !is_count(f, k) && draw() % 4 == 0) out->constant = -out->constant;
    out->shape = known ? ls_poly_constant(out->constant) : ls_poly_uniform(ls_residue_any());
    out->shape.nonnegative = out->constant >= 0;
    if (!slopes) return;
    out->shape.term_count = 1;
    out->shape.monomials[0] = LS_MONO_X;
    out->shape.coefficients[0] = ls_residue_constant(out->slope);
}

static bool is_in(ls_residue r, int64_t v) {
    return r.modulus ? ls_modulo(v - r.rest, r.modulus) == 0 : v == r.rest;
}

static ls_residue coefficient(const ls_shape *shape, uint8_t monomial) {
    for (uint32_t i = 0; i < shape->term_count; i++)
        if (shape->monomials[i] == monomial) return shape->coefficients[i];
    return ls_residue_constant(0);
}

/* v(x) = a + b·x + c·x² with numbers that the shape allows. */
static bool shape_allows(const ls_shape *shape, const int64_t *v) {
    if (shape->kind == LS_SHAPE_DIVERGENT) return true;
    int64_t c = (v[2] - 2 * v[1] + v[0]) / 2, b = v[1] - v[0] - c;
    for (uint32_t x = 0; x < LANES; x++) {
        if (v[x] != v[0] + b * x + c * x * x) return false;
        if (shape->nonnegative && v[x] < 0) return false;
    }
    return is_in(shape->constant, v[0]) && is_in(coefficient(shape, LS_MONO_X), b) &&
           is_in(coefficient(shape, LS_MONO_XX), c);
}

void check_polynomials(form *f) {
    if (!is_integer_form(f) || f->results != 1 || strpbrk(f->from, "pcij")) return;
    ls_analysis *done = ls_analyze(f->ir, &(ls_analyze_options){.block = {32, 1, 1}});
    struct ls_analysis_private *a = done->hidden;
    for (uint32_t i = 0; i < DRAWS; i++) {
        line lines[FORM_SOURCES];
        for (uint32_t k = 0; k < f->sources; k++) {
            draw_line(f, k, &lines[k]);
            a->shapes[f->instr->src[k].value->id] = lines[k].shape;
        }
        ls_shape shape = ls_transfer(a, f->instr, 0);
        int64_t v[LANES];
        uint64_t s[LS_ISA_SOURCES] = {0};
        for (uint32_t x = 0; x < LANES; x++) {
            int64_t numbers[LS_ISA_SOURCES];
            for (uint32_t k = 0; k < f->sources; k++) numbers[k] = lines[k].constant + lines[k].slope * x;
            v[x] = compute(f, numbers, s);
        }
        if (!shape_allows(&shape, v))
            form_fail(f, "the polynomial of the last lane's sources", s, (uint64_t)v[LANES - 1],
                      (uint64_t)shape.constant.rest);
    }
    ls_analysis_free(done);
}
