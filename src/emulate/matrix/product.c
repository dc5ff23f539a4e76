/* mma.sync and wmma.mma: the fragments of a warp are gathered into matrices, multiplied, and D is given back
 * to the lanes. All lanes of the warp must be there, as .sync.aligned demands. */
#include "emulate/machine.h"
#include "emulate/matrix/fragment.h"

bool em_matrix_gather(warp *w, const insn *i, const insn **next) {
    if (w->machine->warp_size != 32) {
        *next = em_stop(w, i, LS_EMU_UNSUPPORTED, "matrix instructions in warps of %u lanes",
                        w->machine->warp_size);
        return false;
    }
    if (w->full != UINT32_MAX || w->live != w->full) {
        *next = em_stop(
            w, i, LS_EMU_UNSUPPORTED,
            "a matrix instruction that only %d of the warp's 32 lanes execute: its result is undefined",
            __builtin_popcountll(w->live));
        return false;
    }
    if (em_gather(w, i, w->full)) return true;
    *next = em_block_path(w, i, PATH_WAITS);
    return false;
}

void em_matrix_count(warp *w, uint32_t rows, uint32_t columns, uint32_t inner) {
    const uint64_t more = (uint64_t)rows * columns * inner / 32;
    worker *k = w->worker;
    k->instructions_left -= k->instructions_left < more ? k->instructions_left : more;
}

typedef struct {
    uint64_t a[4][MATRIX_MAX], b[4][MATRIX_MAX]; /* a by rows, b by columns: both run along k */
    uint64_t c[4][MATRIX_MAX];                   /* by rows */
} matrices;

/* Elements of b1 are taken 32 at a time. */
static void collect(const warp *w, const fragment *f, uint64_t to[4][MATRIX_MAX]) {
    fragment words = *f;
    uint32_t inner = f->of.role == LS_MATRIX_B ? f->of.rows : f->of.columns;
    if (f->of.bits == 1) {
        words.of.bits = 32, words.of.per = 1;
        words.of.columns = f->of.role == LS_MATRIX_A ? f->of.columns / 32 : f->of.columns;
        words.of.rows = f->of.role == LS_MATRIX_B ? f->of.rows / 32 : f->of.rows;
        inner /= 32;
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t e = 0; e < (uint32_t)words.of.registers * words.of.per; e++) {
            ls_matrix_place p = ls_fragment_place(&words.of, lane, e);
            uint32_t at = f->of.role == LS_MATRIX_B ? p.column * inner + p.row : p.row * inner + p.column;
            to[p.product][at] = em_fragment_get(w, &words, lane, e);
        }
}

static void collect_all(const warp *w, const product_info *m, matrices *f) {
    collect(w, &m->a, f->a);
    collect(w, &m->b, f->b);
    collect(w, &m->c, f->c);
}

/* An element of D. */
static uint64_t element_of(const warp *w, const product_info *m, const matrices *f, ls_matrix_place p) {
    const uint32_t inner = m->a.of.bits == 1 ? m->k / 32u : m->k, inner_a = m->sparse ? inner / 2 : inner;
    uint64_t chosen[MATRIX_MAX_TERMS];
    const uint64_t *column = f->b[p.product] + p.column * inner;
    if (m->sparse) em_sparse_choose(w, m, p.row, column, chosen);
    return em_matrix_dot(m, f->a[p.product] + p.row * inner_a, m->sparse ? chosen : column, inner_a,
                         f->c[p.product][p.row * m->n + p.column]);
}

/* Where some elements of a product have to be summed one by one. */
typedef struct {
    const warp *w;
    const product_info *m;
    bool collected;
    matrices f;
} single;

static uint64_t sum_single(void *context, uint32_t row, uint32_t column) {
    single *s = context;
    if (!s->collected) collect_all(s->w, s->m, &s->f);
    s->collected = true;
    return element_of(s->w, s->m, &s->f, (ls_matrix_place){(uint16_t)row, (uint16_t)column, 0});
}

static void multiply(const warp *w, const product_info *m) {
    matrices f;
    uint64_t result[32][2 * MATRIX_MAX_REGISTERS];
    collect_all(w, m, &f);
    const uint32_t elements = (uint32_t)m->d.of.registers * m->d.of.per;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t e = 0; e < elements; e++)
            result[lane][e] = element_of(w, m, &f, ls_fragment_place(&m->d.of, lane, e));
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t e = 0; e < elements; e++) em_fragment_set(w, &m->d, lane, e, result[lane][e]);
}

const insn *em_exec_product(warp *w, const insn *i) {
    const product_info *m = i->extra;
    const insn *next;
    uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    em_matrix_count(w, m->m, m->n, m->k);
    if (m->words) {
        single s; /* large: not cleared */
        s.w = w, s.m = m, s.collected = false;
        em_multiply_floats(w, m, sum_single, &s);
    } else
        multiply(w, m);
    w->mask = own;
    return i + 1;
}
