/* tcgen05.mma and .cp (matrix/tcgen05.h). One thread starts them; they are carried out one after the other,
 * and over when an mbarrier of a tcgen05.commit behind them says so. Here they are carried out at once. */
#include "emulate/matrix/tcgen05.h"
#include "emulate/matrix/tcgen05_space.h"

#include <string.h>

/* --- What is multiplied --- */
/* Of an instruction descriptor (PTX ISA, "Instruction descriptor"): types by the kind and their numbers
 * there. */
static const struct {
    uint16_t kind;
    uint8_t k, number, type, sum_number, sum;
} types[] = {{LS_MOD_KIND_F16, 16, 0, LS_TYPE_F16, 1, LS_TYPE_F32},
             {LS_MOD_KIND_F16, 16, 1, LS_TYPE_BF16, 1, LS_TYPE_F32},
             {LS_MOD_KIND_TF32, 8, 2, LS_TYPE_TF32, 1, LS_TYPE_F32},
             {LS_MOD_KIND_F8F6F4, 32, 0, LS_TYPE_E4M3, 1, LS_TYPE_F32},
             {LS_MOD_KIND_F8F6F4, 32, 1, LS_TYPE_E5M2, 1, LS_TYPE_F32},
             {LS_MOD_KIND_I8, 32, 0, LS_TYPE_U8, 2, LS_TYPE_S32},
             {LS_MOD_KIND_I8, 32, 1, LS_TYPE_S8, 2, LS_TYPE_S32}};

static bool take_type(uint16_t kind, uint32_t number, uint32_t sum, fragment *f, product_info *m) {
    for (size_t n = 0; n < sizeof types / sizeof *types; n++) {
        if (types[n].kind != kind || types[n].number != number || types[n].sum_number != sum) continue;
        const ls_ptx_type type = (ls_ptx_type)types[n].type;
        f->of.type = types[n].type;
        f->of.bits = (uint8_t)(type == LS_TYPE_TF32 ? 32 : ls_ptx_type_bits(type));
        m->d.of.type = m->c.of.type = types[n].sum;
        m->d.of.bits = m->c.of.bits = 32;
        m->k = m->step = types[n].k;
        return true;
    }
    return false;
}

typedef struct {
    product_info m;
    matrix_source a, b;
} task;

/* What of it is not modelled, or NULL. */
static const char *read_task(uint16_t kind, uint32_t what, task *t) {
    *t = (task){.a = {.along_k = !(what >> 15 & 1), .negated = what >> 13 & 1},
                .b = {.along_k = !(what >> 16 & 1), .negated = what >> 14 & 1}};
    product_info *m = &t->m;
    if (!take_type(kind, what >> 7 & 7, what >> 4 & 3, &m->a, m) ||
        !take_type(kind, what >> 10 & 7, what >> 4 & 3, &m->b, m))
        return "tcgen05.mma with these types is not modelled";
    m->wide = true;
    m->saturate = what >> 3 & 1;
    m->n = (uint16_t)((what >> 17 & 63) * 8);
    m->m = (uint16_t)((what >> 24 & 31) * 16);
    if (what & 7 || what >> 30) return "a sparse or shifted tcgen05.mma is not modelled";
    if ((m->m != 64 && m->m != 128) || !m->n || m->n > MATRIX_TILE_ROWS)
        return "tcgen05.mma of this shape is not modelled";
    return NULL;
}

/* Rows of A or columns of B in shared memory; what is wrong, or NULL. */
static const char *load(warp *w, const mem_access *access, uint32_t record, uint32_t lane,
                        uint64_t descriptor, const matrix_source *s, uint32_t bits, uint32_t count,
                        uint32_t k, matrix_tile *to) {
    ls_matrix_layout l;
    if (!ls_matrix_layout_of(descriptor, &l) || descriptor >> 61 & 1 || descriptor >> 52 & 1)
        return "a matrix descriptor with a base offset, an absolute leading dimension or another swizzle is "
               "not "
               "modelled";
    const uint32_t per = 128 / bits, across = s->along_k ? k / per : count / per,
                   outers = s->along_k ? count : k;
    for (uint32_t outer = 0; outer < outers; outer++)
        for (uint32_t piece = 0; piece < across; piece++) {
            const uint32_t at = ls_matrix_piece(&l, s->along_k, outer, piece);
            if (at + 16 > w->machine->shared_bytes) return "tcgen05 reads outside of shared memory";
            if (record) em_agent_range(w, record, access, UINT64_C(1) << lane, w->block, at, 16);
            em_matrix_spread(s, bits, outer, piece, w->block->shared + at, to);
        }
    return NULL;
}

/* Lanes of tensor memory that hold the rows: all, or 16 of every 32. */
static uint32_t lane_of(uint32_t rows, uint32_t row) {
    return rows == TENSOR_LANES ? row : row / 16 * 32 + row % 16;
}

/* --- A in tensor memory: 32 bits of each row in a column --- */
static const char *load_tensor(warp *w, const mem_access *access, uint32_t record, uint32_t lane,
                               const task *t, matrix_tile *to) {
    uint64_t address[MAX_LANES];
    em_addresses(w, access, address);
    const uint32_t column = (uint32_t)address[lane] & 0xffff, bits = t->m.a.of.bits,
                   columns = t->m.k * bits / 32;
    const char *why = em_tensor_wrong(w, 0, TENSOR_LANES, column, columns);
    if (why) return why;
    for (uint32_t row = 0; row < t->m.m; row++) {
        const uint64_t at = em_tensor_offset(w, lane_of(t->m.m, row), column);
        const uint64_t sign = t->a.negated ? UINT64_C(1) << (bits - 1) : 0;
        if (record)
            em_agent_range(w, record, access, UINT64_C(1) << lane, w->block, at, (uint64_t)columns * 4);
        for (uint32_t e = 0; e < t->m.k; e++) {
            uint64_t v = 0;
            memcpy(&v, w->block->shared + at + e * bits / 8, bits / 8);
            to->row[row][e] = v ^ sign;
        }
    }
    return NULL;
}

/* --- The product --- */
static void multiply(warp *w, const task *t, uint32_t column, bool adds, const matrix_tile *a,
                     const matrix_tile *b) {
    for (uint32_t row = 0; row < t->m.m; row++)
        for (uint32_t n = 0; n < t->m.n; n++) {
            char *at = w->block->shared + em_tensor_offset(w, lane_of(t->m.m, row), column + n);
            uint32_t c = 0;
            if (adds) memcpy(&c, at, sizeof c);
            c = (uint32_t)em_matrix_dot(&t->m, a->row[row], b->row[n], t->m.k, c);
            memcpy(at, &c, sizeof c);
        }
}

/* An operation of the unit that the lane starts. */
static uint32_t issue(warp *w, const mem_access *m, uint32_t lane, agent_kind kind) {
    if (!w->block->agents) return 0;
    const uint32_t record = em_agent_issue(w, m, lane, kind);
    em_agent_enqueue(w, record, lane, QUEUE_TENSOR, false);
    return record;
}

static const char *product_of(warp *w, const tensor_product *x, uint32_t lane) {
    task t;
    matrix_tile a, b;
    uint64_t address[MAX_LANES];
    em_addresses(w, x->d, address);
    const uint32_t column = (uint32_t)address[lane] & 0xffff;
    const char *why = read_task(x->kind, (uint32_t)read_lane(w, x->what, lane), &t);
    if (!why && (uint32_t)address[lane] >> 16)
        why = "a tcgen05.mma whose D does not begin at lane 0 is not modelled";
    if (!why) why = em_tensor_wrong(w, 0, TENSOR_LANES, column, t.m.n);
    if (why) return why;
    const uint32_t reads = issue(w, x->shared, lane, AGENT_TENSOR_UNIT);
    why = x->a ? load_tensor(w, x->a, reads, lane, &t, &a)
               : load(w, x->shared, reads, lane, read_lane(w, x->first, lane), &t.a, t.m.a.of.bits, t.m.m,
                      t.m.k, &a);
    if (!why)
        why = load(w, x->shared, reads, lane, read_lane(w, x->second, lane), &t.b, t.m.b.of.bits, t.m.n,
                   t.m.k, &b);
    if (why) return why;
    const uint32_t writes = issue(w, x->d, lane, AGENT_TENSOR_UNIT);
    for (uint32_t row = 0; row < t.m.m && writes; row++)
        em_tensor_touch(w, writes, x->d, UINT64_C(1) << lane,
                        (tensor_box){lane_of(t.m.m, row), 1, column, t.m.n});
    em_matrix_count(w, t.m.m, t.m.n, t.m.k);
    multiply(w, &t, column, read_lane(w, x->adds, lane), &a, &b);
    return NULL;
}

const insn *em_exec_tensor_product(warp *w, const insn *i) {
    FOR_LANES(l, w->mask) {
        const char *why = product_of(w, i->extra, l);
        if (why) return em_stop(w, i, LS_EMU_UNSUPPORTED, "%s", why);
    }
    return i + 1;
}

/* --- Copies from shared memory --- */
static const char *copy_of(warp *w, const tensor_copy *x, uint32_t lane) {
    static matrix_source const rows = {.along_k = true};
    matrix_tile tile;
    uint64_t address[MAX_LANES];
    em_addresses(w, x->to, address);
    const uint32_t column = (uint32_t)address[lane] & 0xffff, columns = x->pieces * 4;
    const char *why = em_tensor_wrong(w, (uint32_t)address[lane] >> 16, x->lanes, column, columns);
    if (why) return why;
    const uint32_t reads = issue(w, x->shared, lane, AGENT_TENSOR_UNIT);
    why = load(w, x->shared, reads, lane, read_lane(w, x->descriptor, lane), &rows, 32, x->rows, columns,
               &tile);
    if (why) return why;
    const uint32_t writes = issue(w, x->to, lane, AGENT_TENSOR_UNIT);
    for (uint32_t n = 0; n < x->lanes; n++) {
        const uint32_t row = (uint32_t)address[lane] >> 16, from = x->of[n / 32] * 32u + n % 32;
        if (writes)
            em_tensor_touch(w, writes, x->to, UINT64_C(1) << lane, (tensor_box){row + n, 1, column, columns});
        for (uint32_t c = 0; c < columns; c++) {
            const uint32_t v = (uint32_t)tile.row[from][c];
            memcpy(w->block->shared + em_tensor_offset(w, row + n, column + c), &v, sizeof v);
        }
    }
    return NULL;
}

const insn *em_exec_tensor_fill(warp *w, const insn *i) {
    FOR_LANES(l, w->mask) {
        const char *why = copy_of(w, i->extra, l);
        if (why) return em_stop(w, i, LS_EMU_UNSUPPORTED, "%s", why);
    }
    return i + 1;
}
