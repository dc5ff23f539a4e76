/* Products of floats of 16 bits and tf32 by mma.sync and wmma.mma, many elements at a time: words go from the
 * registers to their places in the matrices, lanes/dots.c multiplies, and the sums go back. Where each word
 * goes was found out when the instruction was decoded. */
#include "emulate/machine.h"
#include "emulate/matrix/fragment.h"
#include "isa/number.h"

enum { LANES = 32 };

static bool has_float_steps(const product_info *m) {
    const ls_ptx_type a = (ls_ptx_type)m->a.of.type, d = (ls_ptx_type)m->d.of.type;
    const uint32_t step = m->step < m->k ? m->step : m->k, per = m->a.of.per;
    return (a == LS_TYPE_F16 || a == LS_TYPE_BF16 || a == LS_TYPE_TF32) && m->b.of.type == a &&
           (d == LS_TYPE_F32 || d == LS_TYPE_F16) && !m->a.of.quads && !m->sparse && !m->wide &&
           !m->fraction && m->n % MATRIX_WIDE == 0 && m->m % MATRIX_ROWS == 0 && m->k % step == 0 &&
           step % (2 * per) == 0 && m->b.of.per == per && m->m * m->k <= MATRIX_FLOATS &&
           m->n * m->k <= MATRIX_FLOATS && m->m * m->n <= MATRIX_FLOATS;
}

/* --- Moves --- */
/* Sixteen words of which each is known to stand at some byte: false where those are not in two places. */
static bool plan_pick(const uint32_t *bytes, matrix_pick *to) {
    enum { PLACE = MATRIX_PICKED * 4 };
    uint32_t places = 0;
    for (uint32_t k = 0; k < MATRIX_PICKED; k++) {
        const uint32_t place = bytes[k] / PLACE * PLACE;
        uint32_t n = 0;
        while (n < places && to->from[n] != place) n++;
        if (n == 2) return false;
        if (n == places) to->from[places++] = place;
        to->word[k] = n * MATRIX_PICKED + bytes[k] % PLACE / 4;
    }
    if (places == 1) to->from[1] = to->from[0];
    return true;
}

static const matrix_pick *plan_picks(ls_arena *arena, const uint32_t *bytes, uint32_t count) {
    if (count % MATRIX_PICKED) return NULL;
    matrix_pick *picks = LS_NEW_N(arena, matrix_pick, count / MATRIX_PICKED + 1);
    for (uint32_t k = 0; k < count; k += MATRIX_PICKED)
        if (!plan_pick(bytes + k, &picks[k / MATRIX_PICKED])) return NULL;
    return picks;
}

/* From registers, whose lanes belong to these places, to a matrix of so many words. */
static const matrix_pick *plan_gathering(ls_arena *arena, const fragment *f, const uint16_t *at,
                                         uint32_t count) {
    enum { NOWHERE = 1 }; /* no word begins there */
    uint32_t bytes[MATRIX_FLOATS];
    for (uint32_t k = 0; k < count; k++) bytes[k] = NOWHERE;
    for (uint32_t r = 0; r < f->of.registers; r++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            bytes[at[r * LANES + lane]] = f->value[r].slot + 4 * lane;
    for (uint32_t k = 0; k < count; k++)
        if (bytes[k] == NOWHERE) return NULL;
    return plan_picks(arena, bytes, count);
}

/* The other way: the places of the lanes of all registers. */
static const matrix_pick *plan_giving(ls_arena *arena, const fragment *f, const uint16_t *at) {
    uint32_t bytes[MATRIX_MAX_REGISTERS * LANES];
    const uint32_t count = (uint32_t)f->of.registers * LANES;
    for (uint32_t k = 0; k < count; k++) bytes[k] = 4u * at[k];
    return plan_picks(arena, bytes, count);
}

/* Of words as they are. */
static void plan_moves(ls_arena *arena, product_info *m) {
    const uint32_t a = m->a.of.registers * LANES, c = m->c.of.registers * LANES, per = m->a.of.per;
    m->a_picks = plan_gathering(arena, &m->a, m->words, (uint32_t)m->m * m->k / per);
    m->b_picks = plan_gathering(arena, &m->b, m->words + a, (uint32_t)m->n * m->k / per);
    if (m->c.of.type == LS_TYPE_F32)
        m->c_picks = plan_gathering(arena, &m->c, m->sums, (uint32_t)m->m * m->n);
    if (m->c.of.type == LS_TYPE_F32 && m->d.of.type == LS_TYPE_F32)
        m->d_picks = plan_giving(arena, &m->d, m->sums + c);
}

void em_plan_floats(ls_arena *arena, product_info *m) {
    if (!has_float_steps(m)) return;
    const uint32_t a = m->a.of.registers, b = m->b.of.registers;
    uint16_t *words = LS_NEW_N(arena, uint16_t, (a + b) * LANES);
    uint16_t *sums =
        LS_NEW_N(arena, uint16_t,
                 LANES *((uint32_t)m->c.of.registers * m->c.of.per + m->d.of.registers * m->d.of.per));
    const fragment *factors[] = {&m->a, &m->b}, *results[] = {&m->c, &m->d};
    m->words = words;
    m->sums = sums;
    for (uint32_t f = 0; f < 2; f++)
        for (uint32_t r = 0; r < factors[f]->of.registers; r++)
            for (uint32_t lane = 0; lane < LANES; lane++) {
                const uint32_t per = factors[f]->of.per;
                const ls_matrix_place p = ls_fragment_place(&factors[f]->of, lane, r * per);
                *words++ = (uint16_t)(f ? p.row / per * m->n + p.column : (p.row * m->k + p.column) / per);
            }
    for (uint32_t f = 0; f < 2; f++)
        for (uint32_t e = 0; e < (uint32_t)results[f]->of.registers * results[f]->of.per; e++)
            for (uint32_t lane = 0; lane < LANES; lane++) {
                const ls_matrix_place p = ls_fragment_place(&results[f]->of, lane, e);
                *sums++ = (uint16_t)(p.row * m->n + p.column);
            }
    plan_moves(arena, m);
}

/* --- The product --- */
static void collect_words(const warp *w, const fragment *f, const uint16_t *at, void *to) {
    uint32_t *words = to;
    for (uint32_t r = 0; r < f->of.registers; r++, at += LANES) {
        const uint32_t *row = slot32(w, f->value[r].slot);
        for (uint32_t lane = 0; lane < LANES; lane++) words[at[lane]] = row[lane];
    }
}

/* By moves, where there are some, of so many words. */
static void collect(const warp *w, const fragment *f, const matrix_pick *picks, const uint16_t *at,
                    uint32_t count, void *to) {
    if (picks)
        em_matrix_ops()->pick(w->regs, picks, count / MATRIX_PICKED, to);
    else
        collect_words(w, f, at, to);
}

void em_matrix_accumulator(ls_ptx_type type, uint32_t bits, float *value, int32_t *exponent) {
    const bool narrow = type == LS_TYPE_F16;
    const uint32_t size = narrow ? bits & 0x7fff : bits & INT32_MAX, e = narrow ? size >> 10 : size >> 23;
    *value = narrow ? (float)em_small_to_double(LS_TYPE_F16, bits & 0xffff) : em_f32(bits);
    *exponent = !size                      ? MATRIX_ZERO
                : e == (narrow ? 31 : 255) ? MATRIX_NOT_FINITE
                                           : (int32_t)(e ? e : 1) - (narrow ? 15 : 127);
}

static void collect_sums(const warp *w, const product_info *m, matrix_floats *to) {
    const fragment *f = &m->c;
    const uint16_t *at = m->sums;
    if (f->of.type == LS_TYPE_F32 && f->of.per == 1) {
        collect(w, f, m->c_picks, at, to->rows * to->columns, to->c);
        return;
    }
    for (uint32_t e = 0; e < (uint32_t)f->of.registers * f->of.per; e++, at += LANES) {
        const uint32_t *row = slot32(w, f->value[e / f->of.per].slot), shift = e % f->of.per * f->of.bits;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint32_t k = at[lane], bits = row[lane] >> shift;
            em_matrix_accumulator((ls_ptx_type)f->of.type, bits, &to->c[k], &to->c_exponent[k]);
        }
    }
}

uint64_t em_matrix_result(ls_ptx_type to, const matrix_floats *f, uint32_t at) {
    if (to == LS_TYPE_F32) return em_bits_f32(f->c[at]);
    const uint64_t bits =
        em_double_to_small(to, f->exact ? f->exact[at] : (double)f->c[at], LS_MOD_RN, false);
    return f->exact && !(bits & 0x7fff) ? 0 : bits;
}

/* The same the other way, where all are ordinary. */
static void give_sums(const warp *w, const product_info *m, const uint16_t *at, const matrix_floats *from) {
    enum { PICKS = LANES / MATRIX_PICKED }; /* of a register */
    for (uint32_t e = 0; e < m->d.of.registers; e++, at += LANES) {
        uint32_t *row = slot32(w, m->d.value[e].slot);
        if (m->d_picks)
            em_matrix_ops()->pick(from->c, m->d_picks + e * PICKS, PICKS, row);
        else
            for (uint32_t lane = 0; lane < LANES; lane++) memcpy(&row[lane], &from->c[at[lane]], sizeof *row);
    }
}

/* With elements that are summed one by one, or in f16. */
static void give_any(const warp *w, const product_info *m, const uint16_t *at, const matrix_floats *f,
                     matrix_element one, void *context) {
    const bool narrow = m->d.of.type == LS_TYPE_F16;
    uint64_t odd[MATRIX_FLOATS];
    for (uint32_t k = 0; k < f->rows * f->columns; k++)
        if (f->odd[k / MATRIX_WIDE]) odd[k] = one(context, k / f->columns, k % f->columns);
    for (uint32_t e = 0; e < (uint32_t)m->d.of.registers * m->d.of.per; e++, at += LANES)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint32_t k = at[lane];
            const uint64_t bits =
                f->odd[k / MATRIX_WIDE] ? odd[k] : em_matrix_result((ls_ptx_type)m->d.of.type, f, k);
            if (narrow)
                em_fragment_set(w, &m->d, lane, e, bits);
            else
                slot32(w, m->d.value[e].slot)[lane] = (uint32_t)bits;
        }
}

void em_multiply_floats(const warp *w, const product_info *m, matrix_element one, void *context) {
    matrix_floats f;
    double exact[MATRIX_FLOATS];
    const uint32_t step = m->step < m->k ? m->step : m->k, narrow = m->d.of.type == LS_TYPE_F16;
    const uint32_t per = m->a.of.per, c = (uint32_t)m->c.of.registers * m->c.of.per;
    f.rows = m->m, f.columns = m->n, f.terms = m->k, f.step = step, f.per = per, f.fraction = 25;
    f.type = (ls_ptx_type)m->a.of.type, f.sum = (ls_ptx_type)m->c.of.type;
    f.exact = narrow && m->c.of.type == m->d.of.type && m->k <= m->step ? exact : NULL;
    collect(w, &m->a, m->a_picks, m->words, f.rows * f.terms / per, f.x_words);
    collect(w, &m->b, m->b_picks, m->words + m->a.of.registers * LANES, f.columns * f.terms / per, f.y_words);
    collect_sums(w, m, &f);
    em_matrix_ops()->dots(&f);
    bool any = false;
    for (uint32_t k = 0; k < f.rows * f.columns / MATRIX_WIDE; k++) any |= f.odd[k];
    if (!any && !narrow)
        give_sums(w, m, m->sums + c * LANES, &f);
    else
        give_any(w, m, m->sums + c * LANES, &f, one, context);
}
