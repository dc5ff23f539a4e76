/* Atomic operations of a warp's lanes, one lane after the other: one element, the elements of a vector (each
 * on its own), or 128 bits at once. Where several workers share global memory the host's atomics are used. */
#include "isa/atomic.h"
#include "base/recover.h"
#include "emulate/machine.h"
#include "isa/number.h"

typedef struct {
    atomic_op op;
    ls_ptx_type type;
    uint64_t a, b; /* operands; b: what cas stores */
} update;

#define EXCHANGE(T)                                                                                          \
    static uint64_t exchange_##T(char *at, const update *u, bool *changed) {                                 \
        T *p = (T *)(void *)at, old = __atomic_load_n(p, __ATOMIC_RELAXED), new;                             \
        do new = (T)em_atomic_result(u->op, u->type, old, u->a, u->b);                                       \
        while (!__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));       \
        *changed |= new != old;                                                                              \
        return old;                                                                                          \
    }
EXCHANGE(uint16_t)
EXCHANGE(uint32_t)
EXCHANGE(uint64_t)

static uint64_t exchange(char *at, uint32_t bytes, const update *u, bool *changed) {
    if (bytes == 4) return exchange_uint32_t(at, u, changed);
    return bytes == 8 ? exchange_uint64_t(at, u, changed) : exchange_uint16_t(at, u, changed);
}

static uint64_t replace(char *at, uint32_t bytes, const update *u, bool *changed) {
    uint64_t old = 0, new;
    memcpy(&old, at, bytes);
    new = u->type == LS_TYPE_U32 && u->op == ATOMIC_ADD ? old + u->a
                                                        : em_atomic_result(u->op, u->type, old, u->a, u->b);
    memcpy(at, &new, bytes);
    *changed |= memcmp(&new, &old, bytes) != 0;
    return old;
}

uint64_t em_atomic_update(char *at, uint32_t bytes, atomic_op op, ls_ptx_type type, uint64_t a) {
    bool changed = false;
    return exchange(at, bytes, &(update){op, type, a, 0}, &changed);
}

/* exch and cas of 128 bits. */
static void wide_lane(warp *w, const mem_access *m, char *at, uint32_t lane) {
    uint64_t old[2], new[2];
    bool cas = m->op == ATOMIC_CAS, same = true;
    ls_lock(&w->machine->lock);
    memcpy(old, at, sizeof old);
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t a = read_lane(w, m->value[k], lane);
        new[k] = cas ? read_lane(w, m->extra[k], lane) : a;
        same &= !cas || a == old[k];
    }
    if (same) {
        w->changed |= memcmp(old, new, sizeof old) != 0;
        memcpy(at, new, sizeof new);
    }
    ls_unlock(&w->machine->lock);
    for (uint32_t k = 0; k < 2; k++)
        if (m->result[k].width != NO_WIDTH) write_lane(w, m->result[k], lane, old[k]);
}

void em_atomic_lanes(warp *w, const mem_access *m, const em_target *t, const uint64_t *address,
                     ls_ptx_space space) {
    bool global = space == LS_SPACE_GLOBAL, parallel = w->machine->parallel && global;
    update u = {.op = (atomic_op)m->op, .type = (ls_ptx_type)m->type};
    if (u.op == ATOMIC_ADD && u.type == LS_TYPE_F32 && global) u.op = ATOMIC_ADD_FTZ;
    FOR_LANES(l, t->mask) {
        char *at = em_place(t, address[l], l);
        if (u.type == LS_TYPE_B128) {
            wide_lane(w, m, at, l);
            continue;
        }
        uint64_t old[8]; /* results may be registers that operands are in, so they are written last */
        for (uint32_t k = 0; k < m->count; k++, at += m->bytes) {
            u.a = read_lane(w, m->value[k], l);
            if (u.op == ATOMIC_CAS) u.b = read_lane(w, m->extra[0], l);
            old[k] = (parallel ? exchange : replace)(at, m->bytes, &u, &w->changed);
        }
        for (uint32_t k = 0; k < m->count; k++)
            if (m->result[k].width != NO_WIDTH) write_lane(w, m->result[k], l, old[k]);
    }
}
