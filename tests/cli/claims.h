/* Claims of the static analyses, held against what a warp does in the emulator. For every register that an
 * instruction reads: a uniform value is the same in all active lanes, a polynomial (003 §3.4) has one set of
 * coefficients for all of them, a number that is never negative is not, a branch that cannot diverge does
 * not. For every access: no more lanes, sectors, lines, bank conflicts or passes than predicted, and no fewer
 * sectors and lines than the least where all predicted lanes take part. */
#ifndef LS_TESTS_CLAIMS_H
#define LS_TESTS_CLAIMS_H

#include "base/map.h"
#include "isa/fragment.h"
#include "lockstep/analyze.h"
#include "lockstep/emulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LANES = LS_WARP_LANES, UNKNOWNS = LS_SHAPE_TERMS + 1, MAX_ANALYSES = 4 };

/* What one execution costs: of an instruction that is several accesses after each other, all of them. */
typedef struct {
    uint32_t lanes, degree, wavefronts, sectors, lines;
} execution;

typedef struct {
    const ls_ir_function *ir;
    const ls_analysis *analyses[MAX_ANALYSES]; /* of the same function, with different options */
    uint32_t analysis_count;
    uint32_t block[3];
    ls_intmap instrs;  /* PTX instruction → number of the IR instruction + 1; 0: several, or made by us */
    ls_intmap results; /* access → number of its result + 1 */
    uint64_t reads, values, uniform, polynomials, branches, accesses, exact, limit;
    uint32_t piece;              /* of the instruction that is being executed, */
    execution sum[MAX_ANALYSES]; /* and what those before it cost, at the size that each analysis names */
    volatile int enough;         /* the emulator stops */
    uint32_t failures;
    char failure[512]; /* the first */
} claims;

/* --- Setting up -------------------------------------------------------------------------------------------
 */
/* Calls that were not inlined: what they run may be the body of a function that was inlined elsewhere. */
static bool has_calls(const ls_ir_function *f) {
    for (uint32_t i = 0; i < f->unresolved_count; i++)
        if (f->unresolved[i].kind != LS_UNRESOLVED_EXTERNAL) return true;
    return false;
}

static void claims_start(claims *c) {
    bool calls = has_calls(c->ir);
    for (uint32_t i = 0; i < c->ir->instr_count; i++) {
        const ls_ir_instr *in = c->ir->instrs[i];
        if (!in->ast) continue;
        bool is_new;
        uint64_t *at = ls_intmap_at(&c->instrs, (uintptr_t)in->ast, &is_new);
        *at = is_new && !in->made && !(calls && in->pos->at) ? i + 1 : 0;
    }
    const ls_analysis *a = c->analyses[0];
    for (uint32_t i = 0; i < a->access_count; i++) {
        bool is_new;
        *ls_intmap_at(&c->results, (uintptr_t)a->accesses[i].access, &is_new) = i + 1;
    }
}

static void claims_end(claims *c) {
    ls_intmap_free(&c->instrs);
    ls_intmap_free(&c->results);
}

/* Where it is wrong, and which analysis says so. */
__attribute__((format(printf, 4, 5))) static void claims_fail(claims *c, const ls_emu_read *read,
                                                              uint32_t analysis, const char *format, ...) {
    if (c->failures++) return;
    uint64_t number = 0;
    ls_intmap_get(&c->instrs, (uintptr_t)read->instr, &number);
    const ls_place *pos = c->ir->instrs[number - 1]->pos;
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(c->failure, sizeof c->failure,
             "%s:%u (PTX line %u), analysis %u, block %u, warp %u, lanes %08" PRIx64 ": %s", pos->file,
             pos->line, pos->ptx_line, analysis, read->block, read->warp, read->mask, what);
}

/* --- Polynomials ------------------------------------------------------------------------------------------
 */
static uint64_t identifier_of(const claims *c, uint32_t thread, int which) {
    uint32_t x = c->block[0], y = c->block[1];
    uint32_t of[LS_TID_COUNT] = {thread % x, thread / x % y, thread / x / y, thread % LANES};
    return of[which];
}

static uint64_t monomial_of(const claims *c, uint32_t thread, uint32_t monomial) {
    static const int8_t factors[][2] = {
#define FACTORS(id, first, second) {first, second},
        LS_MONOMIALS(FACTORS)
#undef FACTORS
    };
    uint64_t product = identifier_of(c, thread, factors[monomial][0]);
    if (factors[monomial][1] >= 0) product *= identifier_of(c, thread, factors[monomial][1]);
    return product;
}

static uint64_t inverse(uint64_t odd) {
    uint64_t x = odd;
    for (int i = 0; i < 6; i++) x *= 2 - odd * x;
    return x;
}

typedef struct {
    uint64_t of[UNKNOWNS], right;
} equation;

/* Whether Σ of[k]·unknown[k] = right (mod 2^bits) has a solution: elimination, always by the entry that the
 * lowest power of two divides. */
static bool solvable(equation *rows, uint32_t count, uint32_t columns, uint64_t ones) {
    bool used[UNKNOWNS] = {false};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t row = 0, column = 0;
        int least = 64;
        for (uint32_t r = k; r < count; r++)
            for (uint32_t j = 0; j < columns; j++) {
                uint64_t entry = rows[r].of[j] & ones;
                if (used[j] || !entry || __builtin_ctzll(entry) >= least) continue;
                least = __builtin_ctzll(entry), row = r, column = j;
            }
        if (least == 64) {
            for (uint32_t r = k; r < count; r++)
                if (rows[r].right & ones) return false;
            return true;
        }
        equation pivot = rows[row];
        rows[row] = rows[k];
        rows[k] = pivot;
        used[column] = true;
        if (pivot.right & ones & ((UINT64_C(1) << least) - 1)) return false;
        uint64_t reciprocal = inverse((pivot.of[column] & ones) >> least);
        for (uint32_t r = k + 1; r < count; r++) {
            uint64_t factor = ((rows[r].of[column] & ones) >> least) * reciprocal;
            for (uint32_t j = 0; j < columns; j++) rows[r].of[j] -= factor * pivot.of[j];
            rows[r].right -= factor * pivot.right;
        }
    }
    return true;
}

/* Whether one set of coefficients, each as far as it is known, gives the values of all active lanes. */
static bool is_polynomial(const claims *c, const ls_shape *shape, const ls_emu_read *read,
                          const uint64_t *values, uint64_t ones) {
    equation rows[LANES] = {0};
    uint32_t count = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(read->mask >> l & 1)) continue;
        equation *e = &rows[count++];
        e->right = values[l];
        for (uint32_t k = 0; k <= shape->term_count; k++) {
            const ls_residue *r = k ? &shape->coefficients[k - 1] : &shape->constant;
            uint64_t m = k ? monomial_of(c, read->warp * LANES + l, shape->monomials[k - 1]) : 1;
            e->right -= (uint64_t)r->rest * (r->modulus == 1 ? 0 : m);
            e->of[k] = r->modulus * m;
        }
    }
    return solvable(rows, count, shape->term_count + 1u, ones);
}

/* --- Values and branches ----------------------------------------------------------------------------------
 */
static bool all_equal(const ls_emu_read *read, const uint64_t *values, uint64_t ones) {
    uint64_t first = values[__builtin_ctzll(read->mask)];
    for (uint32_t l = 0; l < LANES; l++)
        if (read->mask >> l & 1 && (values[l] ^ first) & ones) return false;
    return true;
}

/* Addresses of 32 bits that were taken below zero and then extended with zeros: the analyses assume that
 * conversions keep the number (docs/analyze.md), which only what is never accessed may break. */
static bool is_extended(const claims *c, const ls_shape *shape, const ls_emu_read *read,
                        const uint64_t *values, uint32_t bits) {
    uint64_t numbers[LANES] = {0};
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(read->mask >> l & 1)) continue;
        if (bits != 64 || read->is_address || values[l] >> 32) return false;
        numbers[l] = (uint64_t)(int64_t)(int32_t)values[l];
    }
    return is_polynomial(c, shape, read, numbers, UINT64_MAX);
}

static void check_value(claims *c, const ls_emu_read *read, const ls_ir_operand *o) {
    const ls_ir_value *v = o->value;
    uint32_t bits = v->type == LS_TYPE_PRED ? 1 : ls_ptx_type_bits((ls_ptx_type)v->type);
    if (v->kind == LS_VALUE_UNDEF || !bits || bits > 64) return;
    uint64_t ones = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, values[LANES];
    for (uint32_t l = 0; l < LANES; l++) /* an address's value is without its offset */
        values[l] = read->values[l] - (read->is_address ? (uint64_t)o->offset : 0);
    c->values++;
    char name[64], shape[128];
    for (uint32_t a = 0; a < c->analysis_count; a++) {
        const ls_shape *s = &c->analyses[a]->shapes[v->id];
        const char *wrong = NULL;
        if (s->kind == LS_SHAPE_UNSEEN) wrong = "is read, and was said never to be";
        if (ls_analysis_warp_uniform(c->analyses[a], v)) {
            c->uniform += a == 0;
            if (!all_equal(read, values, ones)) wrong = "is not uniform";
        }
        if (!wrong && s->kind == LS_SHAPE_POLY) {
            c->polynomials += a == 0 && s->term_count;
            if (!is_polynomial(c, s, read, values, ones) && !is_extended(c, s, read, values, bits))
                wrong = "is not such a polynomial";
            for (uint32_t l = 0; l < LANES && s->nonnegative && bits > 1; l++)
                if (read->mask >> l & 1 && values[l] >> (bits - 1) & 1) wrong = "is negative";
        }
        if (!wrong) continue;
        ls_ir_value_name(c->ir, v, name, sizeof name);
        ls_shape_print(s, 2, shape, sizeof shape);
        uint32_t first = (uint32_t)__builtin_ctzll(read->mask),
                 last = 63 - (uint32_t)__builtin_clzll(read->mask);
        claims_fail(c, read, a, "%s (%s) %s: 0x%" PRIx64 " in lane %u, 0x%" PRIx64 " in lane %u", name, shape,
                    wrong, values[first] & ones, first, values[last] & ones, last);
    }
}

static void check_branch(claims *c, const ls_emu_read *read, const ls_ir_block *block) {
    c->branches++;
    for (uint32_t a = 0; a < c->analysis_count; a++)
        if (!ls_analysis_divergent(c->analyses[a], block) && !all_equal(read, read->values, 1))
            claims_fail(c, read, a, "the branch diverges, and was said not to");
}

/* --- Accesses ---------------------------------------------------------------------------------------------
 */
static uint32_t units(const ls_emu_read *read, uint32_t bytes, uint32_t size) {
    uint64_t seen[LANES * 5];
    uint32_t count = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(read->mask >> l & 1)) continue;
        for (uint64_t u = read->values[l] / size; u <= (read->values[l] + bytes - 1) / size; u++) {
            uint32_t k = 0;
            while (k < count && seen[k] != u) k++;
            if (k == count && count < LANES * 5) seen[count++] = u;
        }
    }
    return count;
}

/* Passes over all phases of the access; *degree is the most of one phase. */
static uint32_t passes(const ls_emu_read *read, uint32_t bytes, uint32_t *degree) {
    uint32_t lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8, total = 0;
    *degree = 0;
    for (uint32_t first = 0; first < LANES; first += lanes) {
        ls_emu_read phase = *read;
        phase.mask &= ((UINT64_C(1) << lanes) - 1) << first;
        uint32_t most = 0;
        for (uint32_t bank = 0; bank < 32 && phase.mask; bank++) {
            uint64_t words[LANES * 5];
            uint32_t count = 0;
            for (uint32_t l = first; l < first + lanes; l++) {
                if (!(phase.mask >> l & 1)) continue;
                for (uint64_t w = read->values[l] / 4; w <= (read->values[l] + bytes - 1) / 4; w++) {
                    uint32_t k = 0;
                    while (k < count && words[k] != w) k++;
                    if (w % 32 == bank && k == count) words[count++] = w;
                }
            }
            if (count > most) most = count;
        }
        total += most;
        if (most > *degree) *degree = most;
    }
    return total;
}

static void at_most(claims *c, const ls_emu_read *read, uint32_t a, const char *what, uint32_t happened,
                    uint32_t predicted) {
    if (happened > predicted)
        claims_fail(c, read, a, "%u %s, and at most %u were predicted", happened, what, predicted);
}

static void at_least(claims *c, const ls_emu_read *read, uint32_t a, const char *what, uint32_t happened,
                     uint32_t predicted) {
    if (happened < predicted)
        claims_fail(c, read, a, "%u %s, and at least %u were predicted", happened, what, predicted);
}

/* An address that is no multiple of the access's size faults on a GPU: it has no cost that could be wrong. */
static bool faults(const ls_emu_read *read, uint32_t bytes) {
    uint32_t power = bytes & -bytes, natural = power > 16 ? 16 : power;
    for (uint32_t l = 0; l < LANES; l++)
        if (read->mask >> l & 1 && read->values[l] % natural) return true;
    return false;
}

static bool is_wmma_move(const ls_ir_instr *instr) {
    return instr->op == LS_OP_WMMA_LOAD || instr->op == LS_OP_WMMA_STORE;
}

static uint32_t pieces_of(const ls_ir_instr *instr) {
    ls_wmma_move move;
    return is_wmma_move(instr) && ls_wmma_move_of(instr->form, &move) ? move.pieces : 1;
}

/* ldmatrix and stmatrix take the addresses of their first lanes alone. */
static uint64_t accessing_lanes(const ls_ir_instr *instr, uint64_t mask) {
    bool matrix = instr->op == LS_OP_LDMATRIX || instr->op == LS_OP_STMATRIX;
    return matrix ? mask & ((UINT64_C(1) << LS_MATRIX_ROWS * ls_matrix_count_of(instr->form)) - 1) : mask;
}

static void add_piece(execution *h, const ls_emu_read *read, uint32_t bytes) {
    uint32_t active = (uint32_t)__builtin_popcountll(read->mask), degree;
    h->wavefronts += passes(read, bytes, &degree);
    if (degree > h->degree) h->degree = degree;
    if (active > h->lanes) h->lanes = active;
    h->sectors += units(read, bytes, 32);
    h->lines += units(read, bytes, 128);
}

static void check_cost(claims *c, const ls_emu_read *read, uint32_t a, const ls_access_result *r,
                       const execution *h) {
    const ls_access_cost *cost = &r->cost;
    const ls_ir_access *access = r->access;
    at_most(c, read, a, "lanes", h->lanes, r->single ? 1 : cost->active_lanes);
    if (access->space == LS_SPACE_SHARED || access->space == LS_SPACE_SHARED_CLUSTER) {
        at_most(c, read, a, "lanes in one bank", h->degree, cost->degree);
        at_most(c, read, a, "passes", h->wavefronts, cost->wavefronts);
        return;
    }
    at_most(c, read, a, "sectors", h->sectors, cost->sectors);
    at_most(c, read, a, "lines", h->lines, cost->lines);
    if (r->pattern == LS_PATTERN_BROADCAST && !all_equal(read, read->values, UINT64_MAX))
        claims_fail(c, read, a, "not a broadcast");
    if (h->lanes < cost->active_lanes) return;
    at_least(c, read, a, "sectors", h->sectors, cost->sectors_least);
    at_least(c, read, a, "lines", h->lines, cost->lines_least);
}

static void check_access(claims *c, const ls_emu_read *read, const ls_ir_access *access) {
    uint64_t number = 0;
    if (!ls_intmap_get(&c->results, (uintptr_t)access, &number) || !number) return;
    c->accesses++;
    ls_emu_read taking_part = *read;
    taking_part.mask = accessing_lanes(access->instr, read->mask);
    read = &taking_part;
    bool last = ++c->piece >= pieces_of(access->instr);
    for (uint32_t a = 0; a < c->analysis_count; a++) {
        const ls_access_result *r = &c->analyses[a]->accesses[number - 1];
        if (r->unknown || !r->known || r->pattern == LS_PATTERN_UNKNOWN || !r->bytes ||
            faults(read, r->bytes))
            continue;
        c->exact += a == 0;
        add_piece(&c->sum[a], read, r->bytes);
        if (last) check_cost(c, read, a, r, &c->sum[a]);
    }
    if (!last) return;
    c->piece = 0;
    memset(c->sum, 0, sizeof c->sum);
}

/* --- The emulator's callback ------------------------------------------------------------------------------
 */
static void claims_watch(void *context, const ls_emu_read *read) {
    claims *c = context;
    uint64_t number = 0;
    if (c->enough) return;
    if (++c->reads >= c->limit) c->enough = 1;
    if (!ls_intmap_get(&c->instrs, (uintptr_t)read->instr, &number) || !number) return;
    const ls_ir_instr *in = c->ir->instrs[number - 1];
    bool is_guard = read->source == LS_EMU_GUARD;
    if (!is_guard && read->source >= in->src_count) return;
    const ls_ir_operand *o = is_guard ? &in->guard : &in->src[read->source];
    bool piece = read->is_address && is_wmma_move(in); /* whose addresses are not the operand's */
    if (o->kind == LS_IR_REG && o->value && !piece) check_value(c, read, o);
    if (is_guard && in->op == LS_OP_BRA && in->block->terminator == in) check_branch(c, read, in->block);
    for (uint32_t k = 0; k < in->access_count && read->is_address; k++)
        if (in->accesses[k].src == read->source) check_access(c, read, &in->accesses[k]);
}

#endif
