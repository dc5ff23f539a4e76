/* Matrices between memory and registers: ldmatrix, stmatrix, movmatrix (PTX ISA, "Warp-level matrix load")
 * and wmma.load, wmma.store. Each is taken apart into ordinary accesses of lanes, so that bounds, races and
 * bank conflicts are looked at as for every other load and store. */
#include "emulate/machine.h"
#include "emulate/matrix/fragment.h"
#include "isa/number.h"

/* Carries out one access of the lanes in `mask`. */
static void access_lanes(warp *w, const insn *i, const mem_access *m, uint64_t mask) {
    insn part = *i;
    uint64_t all = w->mask;
    union {
        const mem_access *from;
        void *to;
    } extra = {.from = m};
    part.extra = extra.to;
    w->mask = mask;
    if (m->write)
        em_exec_store(w, &part);
    else
        em_exec_load(w, &part);
    w->mask = all;
}

/* --- 8 × 8 matrices of 16 bits --- */
/* rows[m][r][c] → lane 4r + c/2 holds columns c, c + 1; transposed: rows and columns change places. */
static uint32_t row_of(bool transposed, uint32_t lane, uint32_t half) {
    return transposed ? 2 * (lane % 4) + half : lane / 4;
}
static uint32_t column_of(bool transposed, uint32_t lane, uint32_t half) {
    return transposed ? lane / 4 : 2 * (lane % 4) + half;
}

const insn *em_exec_matrix_load(warp *w, const insn *i) {
    const matrix_move *x = i->extra;
    const insn *next;
    uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    access_lanes(w, i, x->access, em_low_bits(UINT64_MAX, 8 * x->count));
    for (uint32_t m = 0; m < x->count; m++)
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint64_t v = 0;
            for (uint32_t half = 0; half < 2; half++) {
                uint32_t r = row_of(x->transposed, lane, half), c = column_of(x->transposed, lane, half);
                uint64_t word = read_lane(w, x->access->value[c / 2], 8 * m + r);
                v |= (word >> 16 * (c % 2) & 0xffff) << 16 * half;
            }
            write_lane(w, x->value[m], lane, v);
        }
    w->mask = own;
    return i + 1;
}

/* Puts the fragment of a lane's register at its place in rows of words. */
static void spread(const warp *w, operand o, bool transposed, uint32_t words[8][4]) {
    memset(words, 0, 8 * sizeof words[0]);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t half = 0; half < 2; half++) {
            uint32_t r = row_of(transposed, lane, half), c = column_of(transposed, lane, half);
            words[r][c / 2] |= (uint32_t)(read_lane(w, o, lane) >> 16 * half & 0xffff) << 16 * (c % 2);
        }
}

const insn *em_exec_matrix_store(warp *w, const insn *i) {
    const matrix_move *x = i->extra;
    const insn *next;
    uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    for (uint32_t m = 0; m < x->count; m++) {
        uint32_t words[8][4];
        spread(w, x->value[m], x->transposed, words);
        for (uint32_t r = 0; r < 8; r++)
            for (uint32_t k = 0; k < 4; k++) write_lane(w, x->access->value[k], 8 * m + r, words[r][k]);
    }
    access_lanes(w, i, x->access, em_low_bits(UINT64_MAX, 8 * x->count));
    w->mask = own;
    return i + 1;
}

const insn *em_exec_matrix_move(warp *w, const insn *i) {
    const matrix_move *x = i->extra;
    const insn *next;
    uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    uint32_t words[8][4];
    spread(w, x->value[1], true, words);
    for (uint32_t lane = 0; lane < 32; lane++) write_lane(w, x->value[0], lane, words[lane / 4][lane % 4]);
    w->mask = own;
    return i + 1;
}

/* --- wmma --- */
static void report_matrix(warp *w, const insn *i, const wmma_move *x, uint64_t address, uint32_t variant,
                          bool error, const char *what) {
    machine *mc = w->machine;
    if (!(mc->options.checks & LS_CHECK_ALIGN)) return;
    pthread_mutex_lock(&mc->lock);
    found *f = em_find_finding(mc, LS_RULE_MEMORY_MISALIGNED, i->site, i->site, variant);
    if (em_is_example(mc, f, w->block)) {
        f->finding.level = error ? LS_ERROR : LS_WARNING;
        em_tell_thread(&f->finding, em_actor(mc, w->block->index, w->index, 0), NULL);
        em_name_address(mc, x->access->space, address, &f->finding);
        f->finding.message =
            ls_arena_printf(&mc->arena, "%s of a matrix %s", x->access->write ? "write" : "read", what);
    }
    f->finding.count++;
    pthread_mutex_unlock(&mc->lock);
}

/* CUDA's manual ("WMMA") wants the matrix at a multiple of 32 bytes and its leading dimension to be one of 16
 * bytes. Every line then begins at a multiple of 16, which is what the loads and stores need that are made of
 * it; that the matrix itself begins at an odd multiple is a warning. */
static void check_matrix(warp *w, const insn *i, const wmma_move *x) {
    enum { WHOLE = 32, LINE = 16 };
    const uint64_t base = read_lane(w, x->base, 0) + (uint64_t)x->offset;
    const uint64_t address = x->base.width == 4 ? (uint32_t)base : base;
    if (address % LINE)
        report_matrix(w, i, x, address, 1, true, "at an address that is not a multiple of 16 bytes");
    else if (address % WHOLE)
        report_matrix(w, i, x, address, 2, false,
                      "at an address that is not a multiple of 32 bytes, as wmma asks");
    if (x->stride.width == NO_WIDTH || read_lane(w, x->stride, 0) * x->f.of.bits % (8 * LINE) == 0) return;
    report_matrix(w, i, x, address, 3, true, "whose leading dimension is not a multiple of 16 bytes");
}

/* Addresses of a piece of each lane. */
static void address_piece(const warp *w, const wmma_move *x, uint32_t piece) {
    const ls_fragment *f = &x->f.of;
    for (uint32_t lane = 0; lane < 32; lane++) {
        ls_line_place p = ls_wmma_piece(&x->move, lane, piece);
        uint64_t stride = x->move.column_major ? f->rows : f->columns;
        if (x->stride.width != NO_WIDTH) stride = (uint64_t)(int64_t)(int32_t)read_lane(w, x->stride, lane);
        uint64_t index = p.line * stride + p.element;
        uint64_t address =
            read_lane(w, x->base, lane) + (uint64_t)x->offset + (uint64_t)((int64_t)(index * f->bits) / 8);
        slot64(w, x->access->address)[lane] = x->base.width == 4 ? (uint32_t)address : address;
    }
}

static void access_piece(warp *w, const insn *i, const wmma_move *x, uint32_t piece) {
    address_piece(w, x, piece);
    if (x->watched) em_watch_piece(w, x->watched, x->access->address);
    access_lanes(w, i, x->access, UINT32_MAX);
}

/* The matrix as memory holds it: its lines, element by element. */
typedef struct {
    uint32_t length; /* of a line */
    uint64_t element[MATRIX_MAX];
} lines;

static lines no_lines(const wmma_move *x) {
    return (lines){.length = x->move.column_major ? x->f.of.rows : x->f.of.columns};
}

static uint64_t *line_element(lines *m, ls_line_place p) {
    return &m->element[p.line * m->length + p.element];
}

/* The words of a piece in its lane's values, which an access of several words has several of. */
static void take_piece(const warp *w, const wmma_move *x, uint32_t piece, lines *m) {
    const uint32_t bits = x->f.of.bits, each = x->move.piece / x->access->count;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t k = 0; k < x->move.piece; k++) {
            uint64_t word = read_lane(w, x->access->value[k / each], lane);
            line_element(m, ls_wmma_piece(&x->move, lane, piece))[k] =
                em_low_bits(word >> k % each * bits, bits);
        }
}

static void put_piece(const warp *w, const wmma_move *x, uint32_t piece, lines *m) {
    const uint32_t bits = x->f.of.bits, each = x->move.piece / x->access->count;
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint64_t *from = line_element(m, ls_wmma_piece(&x->move, lane, piece));
        for (uint32_t v = 0; v < x->access->count; v++) {
            uint64_t word = 0;
            for (uint32_t k = 0; k < each; k++) word |= from[v * each + k] << k * bits;
            write_lane(w, x->access->value[v], lane, word);
        }
    }
}

const insn *em_exec_wmma_load(warp *w, const insn *i) {
    const wmma_move *x = i->extra;
    const insn *next;
    uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    check_matrix(w, i, x);
    lines m = no_lines(x);
    for (uint32_t k = 0; k < x->move.pieces; k++) {
        access_piece(w, i, x, k); /* base and stride may be among the destinations: those come last */
        take_piece(w, x, k, &m);
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t e = 0; e < (uint32_t)x->f.of.registers * x->f.of.per; e++)
            em_fragment_set(w, &x->f, lane, e, *line_element(&m, ls_wmma_element(&x->move, lane, e)));
    w->mask = own;
    return i + 1;
}

const insn *em_exec_wmma_store(warp *w, const insn *i) {
    const wmma_move *x = i->extra;
    const insn *next;
    uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    check_matrix(w, i, x);
    lines m = no_lines(x);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t e = 0; e < (uint32_t)x->f.of.registers * x->f.of.per; e++)
            *line_element(&m, ls_wmma_element(&x->move, lane, e)) = em_fragment_get(w, &x->f, lane, e);
    for (uint32_t k = 0; k < x->move.pieces; k++) {
        put_piece(w, x, k, &m);
        access_piece(w, i, x, k);
    }
    w->mask = own;
    return i + 1;
}
