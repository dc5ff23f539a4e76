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
    if (!f->finding.count) {
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
    if (x->stride.width == NO_WIDTH || read_lane(w, x->stride, 0) * x->f.bits % (8 * LINE) == 0) return;
    report_matrix(w, i, x, address, 3, true, "whose leading dimension is not a multiple of 16 bytes");
}

/* Addresses of element e of each lane's fragment. */
static void address_piece(const warp *w, const wmma_move *x, uint32_t e) {
    const fragment *f = &x->f;
    for (uint32_t lane = 0; lane < 32; lane++) {
        matrix_place p = em_matrix_place(f, lane, e);
        uint64_t stride = x->column_major ? f->rows : f->columns;
        if (x->stride.width != NO_WIDTH) stride = (uint64_t)(int64_t)(int32_t)read_lane(w, x->stride, lane);
        uint64_t index = x->column_major ? p.column * stride + p.row : p.row * stride + p.column;
        uint64_t address =
            read_lane(w, x->base, lane) + (uint64_t)x->offset + (uint64_t)((int64_t)(index * f->bits) / 8);
        slot64(w, x->access->address)[lane] = x->base.width == 4 ? (uint32_t)address : address;
    }
}

const insn *em_exec_wmma_load(warp *w, const insn *i) {
    const wmma_move *x = i->extra;
    const fragment *f = &x->f;
    const insn *next;
    uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    check_matrix(w, i, x);
    uint32_t unique = (uint32_t)f->rows * f->columns / 32, all = (uint32_t)f->registers * f->per;
    uint32_t shift = f->bits * x->piece;
    uint64_t loaded[32][MATRIX_MAX_REGISTERS];
    memset(loaded, 0, sizeof loaded);
    for (uint32_t e = 0; e < all && e < unique; e += x->piece) {
        address_piece(w, x, e); /* base and stride may be among the destinations: those come last */
        access_lanes(w, i, x->access, UINT32_MAX);
        for (uint32_t lane = 0; lane < 32; lane++)
            loaded[lane][e / f->per] |= em_low_bits(read_lane(w, x->access->value[0], lane), shift)
                                        << e % f->per * f->bits;
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t r = 0; r < f->registers; r++)
            write_lane(w, f->value[r], lane, loaded[lane][r * f->per % unique / f->per]);
    w->mask = own;
    return i + 1;
}

const insn *em_exec_wmma_store(warp *w, const insn *i) {
    const wmma_move *x = i->extra;
    const fragment *f = &x->f;
    const insn *next;
    uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    check_matrix(w, i, x);
    for (uint32_t e = 0; e < (uint32_t)f->registers * f->per; e += x->piece) {
        address_piece(w, x, e);
        for (uint32_t lane = 0; lane < 32; lane++)
            write_lane(w, x->access->value[0], lane,
                       em_low_bits(read_lane(w, f->value[e / f->per], lane) >> e % f->per * f->bits,
                                   f->bits * x->piece));
        access_lanes(w, i, x->access, UINT32_MAX);
    }
    w->mask = own;
    return i + 1;
}
