/* Objects that atomic operations touch. Atomic operations do not race with one another, so such an object
 * needs no watching where they alone touch it: in global memory in the whole kernel, in shared memory in each
 * barrier interval in which they do; and in intervals without them every thread has its own part of what is
 * written there. Others are `mixed`: plain accesses may meet atomic ones. */
#include "detect/kernel.h"

#include "isa/order.h"

typedef struct {
    bool atomic, plain, written; /* written: by plain accesses */
} uses;

static bool in_group(const kernel *k, uint32_t access, uint32_t group) {
    const access_info *info = &k->accesses[access];
    bool shared = k->objects[group].is_shared;
    if (info->object != LS_IR_NONE) return k->objects[info->object].group == group;
    return shared ? info->in_shared : info->in_global;
}

/* In these instructions, or in all: NULL. */
static uses uses_of(const kernel *k, uint32_t group, const ls_bitset *instrs) {
    uses u = {0};
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *a = k->ir->accesses[i];
        if (!in_group(k, i, group) || (instrs && !ls_bitset_has(instrs, a->instr->id))) continue;
        u.atomic |= a->kind == LS_ACCESS_ATOMIC;
        u.plain |= a->kind != LS_ACCESS_ATOMIC;
        u.written |= a->kind == LS_ACCESS_WRITE;
    }
    return u;
}

/* Atomic operations that only threads of one block see as such, where other blocks may meet them. */
static bool is_too_narrow(const kernel *k, uint32_t group, const ls_detect_launch *l) {
    if (k->objects[group].is_shared || (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] < 2) return false;
    for (uint32_t i = 0; i < k->ir->access_count; i++)
        if (in_group(k, i, group) && k->ir->accesses[i]->scope == LS_MOD_CTA) return true;
    return false;
}

static bool is_mixed(kernel *k, uint32_t group, const ls_detect_launch *launch) {
    if (is_too_narrow(k, group, launch)) return true;
    if (!k->objects[group].is_shared) return uses_of(k, group, NULL).plain;
    for (uint32_t r = 0; r < k->region_count; r++) {
        uses u = uses_of(k, group, &k->regions[r].flight);
        if (u.atomic && u.plain) return true;
        if (u.written && !dt_region_is_own_in(k, &k->regions[r], group, launch)) return true;
    }
    return false;
}

void dt_find_mixed(kernel *k, const ls_detect_launch *launch) {
    for (uint32_t g = 0; g < k->object_count; g++) {
        if (k->objects[g].state != OBJECT_ATOMIC || k->objects[g].group != g) continue;
        bool mixed = is_mixed(k, g, launch);
        for (uint32_t i = 0; i < k->object_count; i++)
            if (k->objects[i].group == g) k->objects[i].mixed = mixed;
        k->mixed_shared |= mixed && k->objects[g].is_shared;
    }
}

/* Whether threads may be ordered otherwise than by the block's barriers: an atomic operation whose result is
 * used orders other accesses only where it acquires or releases, or with a fence. */
bool dt_orders_by_memory(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->instr_count; i++) {
        const ls_ir_instr *instr = k->ir->instrs[i];
        if (instr->form->opcode->fence == LS_FENCE_THREADS) return true;
        if (instr->op != LS_OP_ATOM || dt_atomic_without_result(instr)) continue;
        ls_order order = ls_order_of(instr->form);
        if (order.acquires || order.releases) return true;
    }
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *a = k->ir->accesses[i];
        if (a->kind != LS_ACCESS_ATOMIC && (a->is_volatile || a->semantics != LS_MOD_UNKNOWN)) return true;
    }
    return false;
}
