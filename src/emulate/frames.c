/* What stands in the registers of a frame when a function is entered: constants, addresses of local
 * variables, parameters, and special registers. And the frames of calls, of which each worker keeps some for
 * the calls to come. */
#include "emulate/machine.h"

#include <stdlib.h>

/* --- Frames of calls --- */
/* Stands in front of one. */
struct call_frame {
    size_t bytes;
    call_frame *next; /* of those that are kept */
};
enum { FRAME_FRONT = 64, MOST_KEPT = 8 };

char *em_take_frame(worker *k, size_t bytes) {
    call_frame **at = &k->frames;
    while (*at && (*at)->bytes != bytes) at = &(*at)->next;
    call_frame *f = *at;
    if (f) {
        *at = f->next;
        k->frames_kept--;
    } else {
        f = aligned_alloc(FRAME_FRONT, FRAME_FRONT + (bytes + FRAME_FRONT - 1) / FRAME_FRONT * FRAME_FRONT);
        if (!f) return NULL;
        f->bytes = bytes;
    }
    return memset((char *)f + FRAME_FRONT, 0, bytes);
}

void em_give_frame(worker *k, char *regs) {
    if (!regs) return;
    call_frame *f = (call_frame *)(void *)(regs - FRAME_FRONT);
    if (k->frames_kept == MOST_KEPT) {
        free(f);
        return;
    }
    f->next = k->frames;
    k->frames = f;
    k->frames_kept++;
}

void em_free_frames(worker *k) {
    while (k->frames) {
        call_frame *next = k->frames->next;
        free(k->frames);
        k->frames = next;
    }
    k->frames_kept = 0;
}

/* --- What stands in them --- */

static void fill_slot(const warp *w, char *regs, uint32_t slot, uint8_t width, uint64_t bits) {
    if (width == WIDTH_PRED) {
        *(uint64_t *)(void *)(regs + slot) = bits;
    } else if (width == 4) {
        uint32_t *lanes = (uint32_t *)(void *)(regs + slot);
        for (uint32_t l = 0; l < w->stride; l++) lanes[l] = (uint32_t)bits;
    } else {
        uint64_t *lanes = (uint64_t *)(void *)(regs + slot);
        for (uint32_t l = 0; l < w->stride; l++) lanes[l] = bits;
    }
}

static uint32_t thread_coordinate(const machine *m, uint32_t thread, uint8_t element) {
    const uint32_t *b = m->launch->block;
    switch (element) {
    case LS_ELEMENT_X: return thread < b[0] ? thread : thread % b[0];
    case LS_ELEMENT_Y: return thread / b[0] % b[1];
    case LS_ELEMENT_Z: return thread / b[0] / b[1];
    default: return 0;
    }
}

static uint64_t lane_mask_register(uint8_t sreg, uint32_t lane) {
    uint64_t one = UINT64_C(1) << lane;
    switch (sreg) {
    case LS_SREG_LANEMASK_EQ: return one;
    case LS_SREG_LANEMASK_LE: return one | (one - 1);
    case LS_SREG_LANEMASK_LT: return one - 1;
    case LS_SREG_LANEMASK_GE: return ~(one - 1);
    default: return ~(one - 1) & ~one;
    }
}

static uint64_t sreg_value(const warp *w, const sreg_slot *s, uint32_t lane) {
    const machine *m = w->machine;
    uint32_t k = s->element >= LS_ELEMENT_X && s->element <= LS_ELEMENT_Z ? s->element - LS_ELEMENT_X : 3;
    switch (s->sreg) {
    case LS_SREG_TID: return thread_coordinate(m, w->index * m->warp_size + lane, s->element);
    case LS_SREG_NTID: return k < 3 ? m->launch->block[k] : 1;
    case LS_SREG_LANEID: return lane;
    case LS_SREG_WARPID: return w->index;
    case LS_SREG_NWARPID: return m->warps_per_block;
    case LS_SREG_CTAID: return k < 3 ? w->block->id[k] : 0;
    case LS_SREG_CLUSTERID: return k < 3 ? w->block->id[k] / m->cluster[k] : 0;
    case LS_SREG_CLUSTER_CTAID: return k < 3 ? w->block->id[k] % m->cluster[k] : 0;
    case LS_SREG_CLUSTER_CTARANK: return w->block->rank;
    case LS_SREG_NCTAID: return k < 3 ? m->launch->grid[k] : 1;
    case LS_SREG_NCLUSTERID: return k < 3 ? m->launch->grid[k] / m->cluster[k] : 1;
    case LS_SREG_CLUSTER_NCTAID: return k < 3 ? m->cluster[k] : 1;
    case LS_SREG_CLUSTER_NCTARANK: return m->cluster_count;
    case LS_SREG_IS_EXPLICIT_CLUSTER: return m->explicit_cluster;
    case LS_SREG_NSMID: return m->worker_count;
    case LS_SREG_GRIDID: return 1;
    case LS_SREG_LANEMASK_EQ:
    case LS_SREG_LANEMASK_LE:
    case LS_SREG_LANEMASK_LT:
    case LS_SREG_LANEMASK_GE:
    case LS_SREG_LANEMASK_GT: return lane_mask_register(s->sreg, lane);
    case LS_SREG_TOTAL_SMEM_SIZE: return m->shared_bytes;
    case LS_SREG_DYNAMIC_SMEM_SIZE: return m->launch->shared_bytes;
    case LS_SREG_ENVREG:
        return s->element == 1   ? m->emulator->workspace >> 32
               : s->element == 2 ? m->emulator->workspace & UINT32_MAX
                                 : 0;
    default: return 0;
    }
}

bool em_is_block_register(uint8_t sreg) {
    return sreg == LS_SREG_CTAID || sreg == LS_SREG_CLUSTERID || sreg == LS_SREG_CLUSTER_CTAID ||
           sreg == LS_SREG_CLUSTER_CTARANK;
}

void em_fill_block_sregs(const warp *w, const code *c, char *regs) {
    for (uint32_t k = 0; k < c->block_sregs.length; k++) {
        const sreg_slot *s = &c->block_sregs.items[k];
        if (s->affine || !w->block->affine) fill_slot(w, regs, s->slot, s->width, sreg_value(w, s, 0));
    }
}

/* Those that differ between the lanes of a warp; all others are the same for it. */
static bool differs_by_lane(uint8_t sreg) {
    return sreg == LS_SREG_TID || sreg == LS_SREG_LANEID || sreg == LS_SREG_LANEMASK_EQ ||
           sreg == LS_SREG_LANEMASK_LE || sreg == LS_SREG_LANEMASK_LT || sreg == LS_SREG_LANEMASK_GE ||
           sreg == LS_SREG_LANEMASK_GT;
}

static void fill_sregs(const warp *w, const code *c, char *regs) {
    for (uint32_t k = 0; k < c->sregs.length; k++) {
        const sreg_slot *s = &c->sregs.items[k];
        if (!differs_by_lane(s->sreg) && s->width != WIDTH_PRED) {
            fill_slot(w, regs, s->slot, s->width, sreg_value(w, s, 0));
            continue;
        }
        uint64_t predicate = 0;
        for (uint32_t l = 0; l < w->stride; l++) {
            uint64_t v = sreg_value(w, s, l);
            if (s->width == 4)
                ((uint32_t *)(void *)(regs + s->slot))[l] = (uint32_t)v;
            else if (s->width == 8)
                ((uint64_t *)(void *)(regs + s->slot))[l] = v;
            else
                predicate |= (v & 1) << l;
        }
        if (s->width == WIDTH_PRED) *(uint64_t *)(void *)(regs + s->slot) = predicate;
    }
}

static void fill_params(const warp *w, const code *c, char *regs) {
    const machine *m = w->machine;
    for (uint32_t k = 0; k < c->param_slots.length; k++) {
        const param_slot *p = &c->param_slots.items[k];
        uint64_t bits = 0;
        if (p->bytes <= m->params_size && p->offset <= m->params_size - p->bytes)
            memcpy(&bits, m->params + p->offset, p->bytes);
        if (p->sign && p->bytes < 8)
            bits = (uint64_t)((int64_t)(bits << (64 - 8 * p->bytes)) >> (64 - 8 * p->bytes));
        if (p->dst_bits < 64) bits &= (UINT64_C(1) << p->dst_bits) - 1;
        fill_slot(w, regs, p->slot, p->width, bits);
    }
}

void em_fill_frame(warp *w, const code *c, char *regs, uint32_t local_base) {
    for (uint32_t k = 0; k < c->constants.length; k++)
        fill_slot(w, regs, c->constants.items[k].slot, c->constants.items[k].width,
                  c->constants.items[k].bits);
    for (uint32_t k = 0; k < c->frames.length; k++)
        fill_slot(w, regs, c->frames.items[k].slot, c->frames.items[k].width,
                  (uint64_t)c->frames.items[k].offset + local_base);
    fill_params(w, c, regs);
    fill_sregs(w, c, regs);
}
