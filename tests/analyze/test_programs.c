/* Random kernels, whole: PTX is made from a random program (integer arithmetic on threadIdx, blockIdx and
 * parameters, selects, an if with a join, a counted loop), analysed, and run for every thread of a block by
 * an evaluator of its own. Every claim must hold of the numbers that come out: uniform values are equal in a
 * warp, polynomials have one set of coefficients for all threads, lane vectors allow the warp's values,
 * branches that are called uniform are, and lanes that run a block are among those that may. Programs whose
 * arithmetic wraps are left out, as the analysis assumes that it does not. */
#include "analyze/warp.h"
#include "base/buf.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VALUES = 24, FIRST = 6, PARAMETERS = 2 };

typedef enum { ADD, SUB, MUL, MULI, SHL, SHR, SHRU, DIV, REM, AND, OR, XOR, MIN, MAX, SELECT, MAD, OPS } op;

typedef struct {
    op op;
    uint32_t a, b, c;
    int32_t constant;
    uint32_t compare; /* of SELECT */
} step;

typedef struct {
    step steps[VALUES];
    uint32_t count;
    uint32_t if_from,
        if_to; /* steps that run under v[if_a] < v[if_b] only; joined behind with value if_else */
    uint32_t if_a, if_b, if_else;
    bool loop; /* at the end: for (i = v[from]; i < v[to]; i += by) sum += v[add] */
    uint32_t from, to, add;
    int32_t by;
    uint32_t block[3];
    int32_t parameters[PARAMETERS];
    uint32_t ctaid;
} program;

static uint64_t state = 0x853c49e6748fea9bu;

static uint32_t number(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

/* --- Programs
 * ------------------------------------------------------------------------------------------------ */

static program random_program(void) {
    static const uint32_t blocks[][3] = {{32, 1, 1}, {64, 1, 1},  {128, 2, 1}, {8, 8, 1},
                                         {16, 8, 1}, {12, 10, 1}, {4, 4, 4},   {40, 1, 1}};
    static const uint32_t powers[] = {2, 4, 8, 16, 32, 3, 5, 12, 48, 100};
    program p = {.count = FIRST + 4 + number(VALUES - FIRST - 4)};
    memcpy(p.block, blocks[number(8)], sizeof p.block);
    for (uint32_t i = FIRST; i < p.count; i++) {
        step *s = &p.steps[i];
        *s = (step){
            .op = (op)number(OPS), .a = number(i), .b = number(i), .c = number(i), .compare = number(6)};
        if (number(2)) s->a = i - 1;
        s->constant = s->op == SHL || s->op == SHR || s->op == SHRU ? (int32_t)(1 + number(5))
                      : s->op == MULI                               ? (int32_t)number(9) - 2
                                                                    : (int32_t)powers[number(10)];
        if ((s->op == AND || s->op == XOR || s->op == OR) && number(2))
            s->constant = number(2) ? s->constant - 1 : -s->constant;
    }
    if (number(2)) {
        p.if_from = FIRST + number(p.count - FIRST - 2);
        p.if_to = p.if_from + 1 + number(p.count - p.if_from - 1);
        p.if_a = number(p.if_from);
        p.if_b = number(p.if_from);
        p.if_else = number(p.if_from);
    }
    p.loop = number(2);
    p.from = number(p.count);
    p.to = number(p.count);
    p.add = number(p.count);
    p.by = 1 + (int32_t)number(40);
    return p;
}

/* Whether the second operand of a bit operation is the constant. */
static bool by_constant(const step *s) {
    return s->b % 2 == 0;
}

static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};

static void print_step(ls_buf *out, uint32_t i, const step *s) {
    static const char *const two[] = {
        [ADD] = "add.s32", [SUB] = "sub.s32", [MUL] = "mul.lo.s32", [MIN] = "min.s32",
        [MAX] = "max.s32", [AND] = "and.b32", [OR] = "or.b32",      [XOR] = "xor.b32"};
    static const char *const constant[] = {
        [MULI] = "mul.lo.s32", [SHL] = "shl.b32", [SHR] = "shr.s32", [SHRU] = "shr.u32", [DIV] = "div.s32",
        [REM] = "rem.s32",     [AND] = "and.b32", [OR] = "or.b32",   [XOR] = "xor.b32"};
    bool bits = s->op == AND || s->op == OR || s->op == XOR;
    if (s->op == SELECT) {
        ls_buf_printf(out, "setp.%s.s32 %%p%u, %%v%u, %%v%u;\n", comparisons[s->compare], i, s->b, s->c);
        ls_buf_printf(out, "selp.b32 %%v%u, %%v%u, %d, %%p%u;\n", i, s->a, s->constant, i);
    } else if (s->op == MAD)
        ls_buf_printf(out, "mad.lo.s32 %%v%u, %%v%u, %d, %%v%u;\n", i, s->a, s->constant, s->c);
    else if (s->op == MULI || (s->op >= SHL && s->op <= REM) || (bits && by_constant(s)))
        ls_buf_printf(out, "%s %%v%u, %%v%u, %d;\n", constant[s->op], i, s->a, s->constant);
    else
        ls_buf_printf(out, "%s %%v%u, %%v%u, %%v%u;\n", two[s->op], i, s->a, s->b);
}

static void print_program(ls_buf *out, const program *p) {
    ls_buf_puts(out,
                ".version 7.0\n.target sm_70\n.address_size 64\n"
                ".visible .entry k(.param .u64 o, .param .u32 n, .param .u32 m) {\n"
                ".reg .b32 %v<99>; .reg .b32 %j; .reg .b32 %i; .reg .b32 %s; .reg .b32 %w; .reg .pred "
                "%p<99>; .reg .b64 %rd<9>;\n"
                "ld.param.u64 %rd1, [o];\ncvta.to.global.u64 %rd2, %rd1;\n"
                "mov.u32 %v0, %tid.x;\nmov.u32 %v1, %tid.y;\nmov.u32 %v2, %tid.z;\nmov.u32 %v3, %ctaid.x;\n"
                "ld.param.u32 %v4, [n];\nld.param.u32 %v5, [m];\n");
    for (uint32_t i = FIRST; i < p->count; i++) {
        if (p->if_to && i == p->if_from)
            ls_buf_printf(out, "mov.u32 %%j, %%v%u;\nsetp.ge.s32 %%p90, %%v%u, %%v%u;\n@%%p90 bra JOIN;\n",
                          p->if_else, p->if_a, p->if_b);
        if (p->if_to && i == p->if_to) ls_buf_printf(out, "mov.u32 %%j, %%v%u;\nJOIN:\n", i - 1);
        print_step(out, i, &p->steps[i]);
    }
    if (p->if_to && p->if_to == p->count) ls_buf_printf(out, "mov.u32 %%j, %%v%u;\nJOIN:\n", p->count - 1);
    if (p->if_to) ls_buf_puts(out, "st.global.u32 [%rd2+4], %j;\n");
    if (p->loop)
        ls_buf_printf(
            out,
            "mov.u32 %%i, %%v%u;\nmov.u32 %%s, 0;\nLOOP:\nsetp.ge.s32 %%p91, %%i, %%v%u;\n@%%p91 bra DONE;\n"
            "add.s32 %%s, %%s, %%v%u;\nadd.s32 %%i, %%i, %d;\nbra LOOP;\nDONE:\nmov.u32 %%w, %%s;\n"
            "st.global.u32 [%%rd2+8], %%w;\n",
            p->from, p->to, p->add, p->by);
    ls_buf_puts(out, "st.global.u32 [%rd2], %v5;\nret;\n}\n");
}

/* --- Running them
 * ---------------------------------------------------------------------------------------------- */

enum { TRIPS = 40 };

typedef struct {
    int64_t v[VALUES];
    int64_t j;
    int64_t i[TRIPS + 1], s[TRIPS + 1]; /* at the loop's head, round by round */
    uint32_t trips;
    bool inside, wraps;
} thread;

static bool compare(int64_t a, int64_t b, uint32_t how) {
    return (bool[]){a == b, a != b, a<b, a <= b, a> b, a >= b}[how];
}

static int64_t run_step(const step *s, const int64_t *v) {
    int64_t a = v[s->a], b = v[s->b], k = s->constant;
    int64_t other = by_constant(s) ? k : b;
    switch (s->op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case MULI: return a * k;
    case SHL: return a * (INT64_C(1) << k);
    case SHR: return a >> k;
    case SHRU: return a >> k; /* negative: called a wrap below */
    case DIV: return a / k;
    case REM: return a % k;
    case AND: return a & other;
    case OR: return a | other;
    case XOR: return a ^ other;
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    case SELECT: return compare(b, v[s->c], s->compare) ? a : k;
    case MAD: return a * k + v[s->c];
    default: return 0;
    }
}

static void run_loop(const program *p, thread *t) {
    t->i[0] = t->v[p->from];
    for (; t->i[t->trips] < t->v[p->to]; t->trips++) {
        if (t->trips == TRIPS) {
            t->wraps = true; /* too long: left out */
            return;
        }
        t->s[t->trips + 1] = t->s[t->trips] + t->v[p->add];
        t->i[t->trips + 1] = t->i[t->trips] + p->by;
        t->wraps |= t->s[t->trips + 1] != (int32_t)t->s[t->trips + 1];
        t->wraps |= t->i[t->trips + 1] != (int32_t)t->i[t->trips + 1];
    }
}

static thread run_thread(const program *p, const int64_t tid[3]) {
    thread t = {.v = {tid[0], tid[1], tid[2], p->ctaid, p->parameters[0], p->parameters[1]}};
    t.inside = p->if_to && t.v[p->if_a] < t.v[p->if_b];
    for (uint32_t i = FIRST; i < p->count; i++) {
        bool conditional = p->if_to && i >= p->if_from && i < p->if_to;
        if (p->if_to && i == p->if_from) {
            t.inside = t.v[p->if_a] < t.v[p->if_b];
            t.j = t.v[p->if_else];
        }
        if (conditional && !t.inside) continue;
        t.v[i] = run_step(&p->steps[i], t.v);
        t.wraps |= t.v[i] != (int32_t)t.v[i] || (p->steps[i].op == SHRU && t.v[p->steps[i].a] < 0);
        if (conditional && i + 1 == p->if_to) t.j = t.v[i];
    }
    if (p->loop) run_loop(p, &t);
    return t;
}

/* Steps behind an if must not use what is set only inside of it. */
static bool inside_if(const program *p, uint32_t value) {
    return p->if_to && value >= p->if_from && value < p->if_to;
}

static bool well_formed(const program *p) {
    if (p->loop && (inside_if(p, p->from) || inside_if(p, p->to) || inside_if(p, p->add))) return false;
    for (uint32_t i = p->if_to; p->if_to && i < p->count; i++) {
        const step *s = &p->steps[i];
        uint32_t used[] = {s->a, s->b, s->c};
        for (uint32_t k = 0; k < 3; k++)
            if (used[k] >= p->if_from && used[k] < p->if_to) return false;
    }
    return true;
}

/* --- Claims
 * ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const program *p;
    const thread *threads;
    uint32_t count;
} run;

static int64_t value_in(const run *r, uint32_t t, int which) {
    return which < 0 ? r->threads[t].j : r->threads[t].v[which];
}

/* Whether the thread has the value: those set inside of the if only where it is taken. */
static bool has_value(const run *r, uint32_t t, int which) {
    const program *p = r->p;
    bool conditional = p->if_to && which >= (int)p->if_from && which < (int)p->if_to;
    return !conditional || r->threads[t].inside;
}

/* The numbers that the lanes of the mask have are among those that the vector allows. */
static void check_numbers(const ls_lanes *v, const int64_t numbers[LANES], uint32_t mask, const char *name,
                          const char *text) {
    for (uint32_t g = 0; g < v->group_count; g++) {
        int64_t low = INT64_MIN, high = INT64_MAX;
        for (uint32_t l = 0; l < LANES; l++) {
            if (v->group[l] != g || !(mask >> l & 1)) continue;
            if (v->nonnegative && numbers[l] < 0) fail_msg("%s is negative in\n%s", name, text);
            int64_t top = numbers[l] - v->offset[l], bottom = top - (int64_t)v->slack[l];
            if (bottom > low) low = bottom;
            if (top < high) high = top;
        }
        if (low == INT64_MIN) continue;
        bool fits = low <= high && (v->modulus || (low <= 0 && high >= 0));
        if (fits && v->modulus) fits = ls_floor_div(high, (int64_t)v->modulus) * (int64_t)v->modulus >= low;
        if (!fits) fail_msg("lane vector of %s is wrong in\n%s", name, text);
    }
}

static void check_lanes(const run *r, const ls_lanes *v, uint32_t warp, int which, const char *text) {
    int64_t numbers[LANES];
    uint32_t mask = 0;
    char name[16];
    snprintf(name, sizeof name, "v%d", which);
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t t = warp * LANES + l;
        if (t >= r->count || !has_value(r, t, which)) continue;
        numbers[l] = value_in(r, t, which);
        mask |= UINT32_C(1) << l;
    }
    check_numbers(v, numbers, mask, name, text);
}

/* The loop's own registers: in each round those lanes that are still in it, together; and what is left behind
 * it, in all lanes. */
static void check_loop(const run *r, const ls_lanes *v, uint32_t warp, const char *name, const char *text) {
    bool behind = name[1] == 'w';
    for (uint32_t round = 0; round <= (behind ? 0 : TRIPS); round++) {
        int64_t numbers[LANES];
        uint32_t mask = 0;
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t t = warp * LANES + l;
            if (t >= r->count || (!behind && r->threads[t].trips < round)) continue;
            const thread *one = &r->threads[t];
            numbers[l] = behind ? one->s[one->trips] : name[1] == 'i' ? one->i[round] : one->s[round];
            mask |= UINT32_C(1) << l;
        }
        check_numbers(v, numbers, mask, name, text);
    }
}

/* Whether the value is the loop's: i or s at its head, w behind it. */
static const char *loop_register(const ls_ir_function *f, const ls_ir_value *value) {
    const char *name = value->reg == LS_IR_NONE ? "" : f->registers[value->reg].name;
    if (!strcmp(name, "%w")) return name;
    bool head = value->kind == LS_VALUE_PHI && (!strcmp(name, "%i") || !strcmp(name, "%s"));
    return head ? name : NULL;
}

static bool residue_allows(ls_residue residue, int64_t n) {
    return residue.modulus ? ls_modulo(n - residue.rest, residue.modulus) == 0 : n == residue.rest;
}

/* Polynomials with known coefficients of degree one: the constant part must be one number and as the residue
 * says. */
static void check_shape(const run *r, const ls_shape *shape, int which, const char *text) {
    if (shape->kind != LS_SHAPE_POLY || shape->warp_only) return;
    for (uint32_t i = 0; i < shape->term_count; i++)
        if (shape->coefficients[i].modulus || shape->monomials[i] > LS_MONO_Z) return;
    bool first = true;
    int64_t rest = 0;
    for (uint32_t t = 0; t < r->count; t++) {
        if (!has_value(r, t, which)) continue;
        int64_t left = value_in(r, t, which);
        for (uint32_t i = 0; i < shape->term_count; i++)
            left -= shape->coefficients[i].rest * r->threads[t].v[shape->monomials[i]];
        if ((!first && left != rest) || !residue_allows(shape->constant, left))
            fail_msg("shape of v%d is wrong in\n%s", which, text);
        first = false;
        rest = left;
    }
}

static void check_branch(const run *r, const ls_analysis *a, const char *text) {
    for (uint32_t b = 0; b < a->branch_count; b++) {
        if (a->branches[b].divergent) continue;
        for (uint32_t t = 0; t < r->count; t++) {
            const thread *one = &r->threads[t], *first = &r->threads[t / LANES * LANES];
            bool same =
                a->branches[b].is_loop_exit ? one->trips == first->trips : one->inside == first->inside;
            if (!same) fail_msg("branch is not uniform in\n%s", text);
        }
    }
}

/* The register's values in the IR: v3, or the join's last one. */
static int which_of(const ls_ir_function *f, const ls_ir_value *value) {
    if (value->reg == LS_IR_NONE) return -2;
    const char *name = f->registers[value->reg].name;
    if (!strcmp(name, "%j")) return value->kind == LS_VALUE_PHI ? -1 : -2;
    return name[1] == 'v' ? atoi(name + 2) : -2;
}

static void check_warp(const run *r, ls_warp *warp, uint32_t index, const char *text) {
    const ls_ir_function *f = warp->a->f;
    for (uint32_t i = 0; i < f->value_count; i++) {
        int which = which_of(f, f->values[i]);
        const char *name = loop_register(f, f->values[i]);
        if (which == -2 && !name) continue;
        const ls_lanes *lanes = ls_warp_lanes(warp, f->values[i]);
        assert_true(lanes->seen);
        if (name)
            check_loop(r, lanes, index, name, text);
        else
            check_lanes(r, lanes, index, which, text);
    }
}

static void check_program(const program *p, const run *runs, uint32_t run_count) {
    ls_buf text = {0};
    print_program(&text, p);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text.text, text.length, "random.ptx", diags);
    assert_non_null(module);
    ls_ir_function *f = ls_ir_build(module, module->functions[0], NULL, diags);
    assert_non_null(f);
    ls_analyze_options options = {0};
    memcpy(options.block, p->block, sizeof options.block);
    ls_analysis *a = ls_analyze(f, &options);
    for (uint32_t r = 0; r < run_count; r++) {
        ls_arena arena;
        ls_arena_init(&arena);
        check_branch(&runs[r], a, text.text);
        for (uint32_t i = 0; i < f->value_count; i++)
            if (which_of(f, f->values[i]) != -2)
                check_shape(&runs[r], &a->shapes[i], which_of(f, f->values[i]), text.text);
        ls_warp generic, numbered;
        bool has_generic = ls_warp_generic(&generic, a->hidden, &arena);
        for (uint32_t w = 0; w < ls_warp_count(a->hidden); w++) {
            ls_warp_numbered(&numbered, a->hidden, &arena, w);
            check_warp(&runs[r], &numbered, w, text.text);
            if (has_generic) check_warp(&runs[r], &generic, w, text.text);
        }
        ls_arena_free(&arena);
    }
    ls_analysis_free(a);
    ls_ir_free(f);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    ls_buf_free(&text);
}

static bool run_program(program *p, run *r, thread *threads) {
    for (uint32_t i = 0; i < PARAMETERS; i++) p->parameters[i] = (int32_t)number(200) - 40;
    p->ctaid = number(20);
    *r = (run){p, threads, p->block[0] * p->block[1] * p->block[2]};
    for (uint32_t t = 0; t < r->count; t++) {
        int64_t tid[3] = {t % p->block[0], t / p->block[0] % p->block[1], t / p->block[0] / p->block[1]};
        threads[t] = run_thread(p, tid);
        if (threads[t].wraps) return false;
    }
    return true;
}

static void test_random_programs(void **unused) {
    (void)unused;
    enum { RUNS = 3, WANTED = 4000 };
    static thread threads[RUNS][256];
    uint32_t checked = 0;
    for (uint32_t round = 0; checked < WANTED && round < 100 * WANTED; round++) {
        program p = random_program();
        if (!well_formed(&p)) continue;
        program copies[RUNS];
        run runs[RUNS];
        bool good = true;
        for (uint32_t r = 0; r < RUNS && good; r++) {
            copies[r] = p;
            good = run_program(&copies[r], &runs[r], threads[r]);
        }
        if (!good) continue;
        check_program(&p, runs, RUNS);
        checked++;
    }
    assert_int_equal(checked, WANTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
