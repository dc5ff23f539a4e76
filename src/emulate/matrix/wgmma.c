/* wgmma.mma_async (PTX ISA, "Asynchronous warpgroup level matrix instructions"): D = A × B + D with 64 rows,
 * 16 for each of four warps. B, and A unless it is in registers, stand in shared memory as a descriptor says:
 * pieces of 16 bytes, eight of which make a core matrix; rows of 16, 32, 64 or 128 bytes, in the latter three
 * cases with the pieces exchanged (swizzled) by address bits 7 to 9. The product is computed when the
 * instruction is executed, each warp for itself: PTX lets nobody touch the operands before it was waited
 * for. */
#include "emulate/matrix/wgmma.h"
#include "emulate/check/agent.h"
#include "emulate/machine.h"
#include "isa/number.h"

typedef struct {
    uint32_t start, leading, stride, row; /* bytes; row: of one swizzled row, 16 where there is none */
} layout;

/* False where the descriptor has a base offset, which is not modelled. */
static bool layout_of(uint64_t descriptor, layout *l) {
    static const uint8_t rows[] = {16, 128, 64, 32};
    *l = (layout){.start = (uint32_t)(descriptor & 0x3fff) << 4,
                  .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                  .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                  .row = rows[descriptor >> 62]};
    return !(descriptor >> 49 & 7);
}

/* The address of a piece: of row or column `outer`, the piece-th along k; or, where the matrix does not run
 * along k, the piece-th along the rows, at k = `outer`. */
static uint32_t piece_address(const layout *l, bool along_k, uint32_t outer, uint32_t piece) {
    uint32_t core = outer / 8, in_core = outer % 8, at, per_row = l->row / 16;
    if (along_k)
        at = core * l->stride +
             (l->row == 16 ? in_core * 16 + piece * l->leading : in_core * l->row + piece * 16);
    else if (l->row == 16)
        at = piece * l->stride + in_core * 16 + core * l->leading;
    else
        at = piece % per_row * 16 + piece / per_row * l->leading + in_core * l->row + core * l->stride;
    at += l->start;
    return at ^ (at >> 3 & (per_row - 1) << 4);
}

typedef struct {
    uint64_t row[WGMMA_MAX_N][WGMMA_MAX_K]; /* along k */
} tile;

static void spread(const wgmma_source *s, uint32_t bits, uint32_t outer, uint32_t piece, const char *bytes,
                   tile *to) {
    uint32_t per = 128 / bits;
    uint64_t sign = s->negated ? UINT64_C(1) << (bits - 1) : 0;
    for (uint32_t e = 0; e < per; e++) {
        uint64_t v = 0;
        memcpy(&v, bytes + e * bits / 8, bits / 8);
        if (s->along_k)
            to->row[outer][piece * per + e] = v ^ sign;
        else
            to->row[piece * per + e][outer] = v ^ sign;
    }
}

/* `count` rows of A or columns of B from shared memory, 32 pieces at a time: lanes read them. */
static bool load(warp *w, const insn *i, const wgmma_source *s, uint32_t bits, uint32_t first, uint32_t count,
                 uint32_t k, uint32_t record, tile *to) {
    const wgmma_info *x = i->extra;
    layout l;
    if (!layout_of(read_lane(w, s->descriptor, 0), &l)) return false;
    uint32_t per = 128 / bits;
    uint32_t across = s->along_k ? k / per : count / per, total = across * (s->along_k ? count : k);
    for (uint32_t at = 0; at < total; at += 32) {
        uint64_t address[MAX_LANES] = {0};
        uint32_t n = total - at < 32 ? total - at : 32;
        for (uint32_t lane = 0; lane < n; lane++) {
            uint32_t outer = (at + lane) / across, piece = (at + lane) % across;
            address[lane] = s->along_k ? piece_address(&l, true, first + outer, piece)
                                       : piece_address(&l, false, outer, first / per + piece);
        }
        uint64_t lanes = n == 32 ? UINT32_MAX : (UINT64_C(1) << n) - 1;
        em_target t = em_prepare(w, i, x->access, LS_SPACE_SHARED, address, lanes);
        for (uint32_t lane = 0; lane < n; lane++) {
            char bytes[16] = {0};
            if (t.mask >> lane & 1) memcpy(bytes, em_place(&t, address[lane], lane), 16);
            if (record && t.mask >> lane & 1)
                em_agent_range(w, record, x->access, w->mask, w->block, address[lane], 16);
            spread(s, bits, (at + lane) / across, (at + lane) % across, bytes, to);
        }
    }
    return true;
}

static void from_registers(warp *w, const wgmma_info *x, tile *to) {
    const fragment *f = &x->product.a;
    uint64_t sign = x->a.negated ? UINT64_C(1) << (f->of.bits - 1) : 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t e = 0; e < (uint32_t)f->of.registers * f->of.per; e++) {
            ls_matrix_place p = ls_fragment_place(&f->of, lane, e);
            to->row[p.row][p.column] = em_fragment_get(w, f, lane, e) ^ sign;
        }
}

static void multiply(warp *w, const wgmma_info *x, const tile *a, const tile *b) {
    const product_info *m = &x->product;
    uint32_t per = m->d.of.per, bits = m->d.of.bits;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t e = 0; e < x->registers * per; e++) {
            uint32_t row = lane / 4 + 8 * (e >> 1 & 1), column = 8 * (e / 4) + 2 * (lane % 4) + (e & 1);
            operand o = x->d[e / per];
            uint64_t all = read_lane(w, o, lane), ones = em_low_bits(UINT64_MAX, bits) << e % per * bits;
            bool adds = read_lane(w, x->accumulate, lane);
            uint64_t c = adds ? (all & ones) >> e % per * bits : 0;
            uint64_t chosen[MATRIX_MAX_TERMS];
            if (m->sparse) em_sparse_choose(w, m, row, b->row[column], chosen);
            uint64_t sum = em_matrix_dot(m, a->row[row], m->sparse ? chosen : b->row[column], x->inner_a, c);
            write_lane(w, o, lane, (all & ~ones) | (sum << e % per * bits & ones));
        }
}

const insn *em_exec_wgmma(warp *w, const insn *i) {
    const wgmma_info *x = i->extra;
    const insn *next;
    uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    tile a, b;
    uint32_t record = 0;
    if (w->block->agents) {
        record = em_agent_issue(w, x->access, first_lane(w->mask), AGENT_WGMMA);
        em_agent_enqueue(w, record, first_lane(w->mask), QUEUE_WGMMA, false);
    }
    bool good = load(w, i, &x->b, x->product.b.of.bits, 0, x->product.n, x->product.k, record, &b);
    if (x->a_in_registers)
        from_registers(w, x, &a);
    else
        good &= load(w, i, &x->a, x->product.a.of.bits, w->index % 4 * WGMMA_ROWS, WGMMA_ROWS, x->inner_a,
                     record, &a);
    if (!good)
        return em_stop(w, i, LS_EMU_UNSUPPORTED, "a matrix descriptor with a base offset is not modelled");
    multiply(w, x, &a, &b);
    w->mask = own;
    return i + 1;
}

/* --- Groups --- */
const insn *em_exec_wgmma_commit(warp *w, const insn *i) {
    w->wgmma_groups++;
    if (w->block->agents) em_agent_commit(w, QUEUE_WGMMA, w->mask);
    return i + 1;
}

/* The product is one operation of four warps: it is not done before all of them have started it. */
static bool all_started(const warp *w, int64_t rest) {
    const uint32_t first = w->index & ~3u;
    const int64_t groups = (int64_t)w->wgmma_groups - rest;
    for (uint32_t k = first; k < first + 4 && k < w->machine->warps_per_block; k++) {
        const warp *other = &w->block->warps[k];
        if (other->state != WARP_DONE && (int64_t)other->wgmma_groups < groups) return false;
    }
    return true;
}

const insn *em_exec_wgmma_wait(warp *w, const insn *i) {
    if (!all_started(w, i->imm) && !w->guarded) return em_exec_yield(w, i - 1);
    if (w->block->agents) em_agent_wait(w, QUEUE_WGMMA, w->mask, i->imm, false);
    return i + 1;
}
