/* wgmma.mma_async (PTX ISA, "Asynchronous warpgroup level matrix instructions"): D = A × B + D with 64 rows,
 * 16 for each of four warps. B, and A unless it is in registers, stand in shared memory as a descriptor says
 * (matrix/descriptor.c). The product is computed when the instruction is executed, each warp for itself: PTX
 * lets nobody touch the operands before it was waited for. */
#include "emulate/matrix/wgmma.h"
#include "emulate/check/agent.h"
#include "emulate/check/unit_registers.h"
#include "emulate/machine.h"
#include "isa/number.h"

/* `count` rows of A or columns of B from shared memory, 32 pieces at a time: lanes read them. */
static bool load(warp *w, const insn *i, const matrix_source *s, uint32_t bits, uint32_t first,
                 uint32_t count, uint32_t k, uint32_t record, matrix_tile *to) {
    const wgmma_info *x = i->extra;
    ls_matrix_layout l;
    if (!ls_matrix_layout_of(read_lane(w, s->descriptor, 0), &l)) return false;
    uint32_t per = 128 / bits;
    uint32_t across = s->along_k ? k / per : count / per, total = across * (s->along_k ? count : k);
    for (uint32_t at = 0; at < total; at += 32) {
        uint64_t address[MAX_LANES] = {0};
        uint32_t n = total - at < 32 ? total - at : 32;
        for (uint32_t lane = 0; lane < n; lane++) {
            uint32_t outer = (at + lane) / across, piece = (at + lane) % across;
            address[lane] = s->along_k ? ls_matrix_piece(&l, true, first + outer, piece)
                                       : ls_matrix_piece(&l, false, outer, first / per + piece);
        }
        uint64_t lanes = n == 32 ? UINT32_MAX : (UINT64_C(1) << n) - 1;
        em_target t = em_prepare(w, i, x->access, LS_SPACE_SHARED, address, lanes);
        for (uint32_t lane = 0; lane < n; lane++) {
            char bytes[16] = {0};
            if (t.mask >> lane & 1) memcpy(bytes, em_place(&t, address[lane], lane), 16);
            if (record && t.mask >> lane & 1)
                em_agent_range(w, record, x->access, w->mask, w->block, address[lane], 16);
            em_matrix_spread(s, bits, (at + lane) / across, (at + lane) % across, bytes, to);
        }
    }
    return true;
}

static void from_registers(warp *w, const wgmma_info *x, matrix_tile *to) {
    const fragment *f = &x->product.a;
    uint64_t sign = x->a.negated ? UINT64_C(1) << (f->of.bits - 1) : 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t e = 0; e < (uint32_t)f->of.registers * f->of.per; e++) {
            ls_matrix_place p = ls_fragment_place(&f->of, lane, e);
            to->row[p.row][p.column] = em_fragment_get(w, f, lane, e) ^ sign;
        }
}

static void multiply(warp *w, const wgmma_info *x, const matrix_tile *a, const matrix_tile *b) {
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
    em_unit_product(w, i, x->units);
    em_matrix_count(w, WGMMA_ROWS, x->product.n, x->product.k);
    matrix_tile a, b;
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
    em_unit_groups_waited(w, i->imm);
    return i + 1;
}
