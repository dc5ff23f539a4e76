/* Loads, stores and atomics in general: any state space, width, vector and mask, with bounds and alignment
 * always looked at (memory of the emulator itself must not be touched) and the checkers called where they are
 * on. A lane whose address is bad is left out: its load gives 0. */
#include "base/recover.h"
#include "emulate/machine.h"
#include "isa/number.h"

static ls_ptx_space window_space(uint64_t address) {
    switch (address & WINDOW_MASK) {
    case WINDOW_SHARED: return LS_SPACE_SHARED;
    case WINDOW_LOCAL: return LS_SPACE_LOCAL;
    case WINDOW_PARAM: return LS_SPACE_PARAM;
    default: return LS_SPACE_GLOBAL;
    }
}

void em_addresses(const warp *w, const mem_access *m, uint64_t *out) {
    const uint64_t add = (uint64_t)m->offset + w->block->values[m->base];
    if (m->address_width == 8) {
        const uint64_t *a = slot64(w, m->address);
        for (uint32_t l = 0; l < w->stride; l++) out[l] = a[l] + add;
    } else {
        const uint32_t *a = slot32(w, m->address);
        for (uint32_t l = 0; l < w->stride; l++) out[l] = (uint32_t)(a[l] + (uint32_t)add);
    }
}

/* --- Bad addresses --- */
static const char *describe(const mem_access *m) {
    return m->atomic ? "atomic operation" : m->write ? "write" : "read";
}

static void report_bad(warp *w, const insn *i, const mem_access *m, ls_ptx_space space, uint64_t lanes,
                       const uint64_t *address, const char *what, ls_rule rule, uint32_t variant) {
    machine *mc = w->machine;
    uint32_t check = rule == LS_RULE_MEMORY_MISALIGNED ? LS_CHECK_ALIGN : LS_CHECK_BOUNDS;
    if (!(mc->options.checks & check)) return;
    uint32_t lane = first_lane(lanes);
    if (em_seen_again(w->worker, rule, i->site, i->site, variant, lane_count(lanes))) return;
    ls_lock(&mc->lock);
    found *f = em_find_finding(mc, rule, i->site, i->site, variant);
    em_remember(w->worker, f);
    if (em_is_example(mc, f, w->block)) {
        f->finding.level = LS_ERROR;
        em_tell_thread(&f->finding, em_actor(mc, w->block->index, w->index, lane),
                       m->atomic  ? "updates"
                       : m->write ? "writes"
                                  : "reads");
        em_name_address(mc, space, address[lane], &f->finding);
        f->finding.message =
            ls_arena_printf(&mc->arena, "%s of %u bytes %s", describe(m), m->bytes * m->count, what);
    }
    f->finding.count += (uint64_t)__builtin_popcountll(lanes);
    ls_unlock(&mc->lock);
}

/* Leaves out the lanes outside of [0, size). */
static uint64_t within(warp *w, const insn *i, const mem_access *m, ls_ptx_space space,
                       const uint64_t *address, uint64_t mask, uint64_t size, const char *what) {
    uint64_t bad = 0, bytes = (uint64_t)m->bytes * m->count;
    FOR_LANES(l, mask)
    if (address[l] > size || size - address[l] < bytes) bad |= UINT64_C(1) << l;
    if (bad) report_bad(w, i, m, space, bad, address, what, LS_RULE_MEMORY_BOUNDS, 0);
    return mask & ~bad;
}

/* Leaves out the lanes that touch what lies between the variables of a frame. */
static uint64_t in_variables(warp *w, const insn *i, const mem_access *m, const uint64_t *address,
                             uint64_t mask) {
    uint64_t bad = 0;
    FOR_LANES(l, mask) bad |= (uint64_t)em_in_gap(w, l, address[l], (uint64_t)m->bytes * m->count) << l;
    if (bad)
        report_bad(w, i, m, LS_SPACE_LOCAL, bad, address, "outside of every local variable",
                   LS_RULE_MEMORY_BOUNDS, 0);
    return mask & ~bad;
}

/* The variable or dynamic part of shared memory that the address is in. */
static bool shared_range(const machine *m, uint64_t address, uint64_t *lo, uint64_t *hi) {
    const ls_emulator *e = m->emulator;
    for (uint32_t k = m->launch->local_count; k--;) {
        if (address < m->local_places[k]) continue;
        *lo = m->local_places[k], *hi = *lo + m->launch->locals[k].bytes;
        return address < *hi;
    }
    if (address >= e->shared_static) {
        *lo = e->shared_static, *hi = e->shared_static + m->launch->shared_bytes;
        return address < *hi;
    }
    for (uint32_t k = 0; k < e->shared.length; k++) {
        *lo = e->shared.items[k].offset, *hi = *lo + e->shared.items[k].size;
        if (address >= *lo && address < *hi) return true;
    }
    return false;
}

/* Remembers the range that the instruction has used; `bytes`: of a lane's access. */
static void keep_range(memory_stats *k, uint64_t lo, uint64_t hi, allocation *a, uint64_t bytes) {
    const uint64_t from = (lo + bytes - 1) / bytes * bytes;
    k->lo = lo, k->hi = hi, k->alloc = a;
    k->from = from;
    k->count = from < hi ? (hi - from) / bytes : 0;
    k->host = em_host(lo) - lo;
}

static uint64_t shared_lanes(warp *w, const insn *i, const mem_access *m, const uint64_t *address,
                             uint64_t mask) {
    memory_stats *k = &w->worker->memory[m->memory_site];
    uint64_t bytes = (uint64_t)m->bytes * m->count, bad = 0, lo, hi;
    FOR_LANES(l, mask) {
        if (address[l] >= k->lo && address[l] < k->hi && k->hi - address[l] >= bytes) continue;
        if (shared_range(w->machine, address[l], &lo, &hi) && hi - address[l] >= bytes) {
            keep_range(k, lo, hi, NULL, bytes);
            continue;
        }
        bad |= UINT64_C(1) << l;
    }
    if (bad)
        report_bad(w, i, m, LS_SPACE_SHARED, bad, address, "outside of every shared variable",
                   LS_RULE_MEMORY_BOUNDS, 0);
    return mask & ~bad;
}

static const char *global_fault(const allocation *a, uint64_t address, const mem_access *m) {
    if (a && a->freed) return "of memory that was freed";
    if (a && a->kind == ALLOC_CONST && m->write) return "to constant memory";
    if (!a && address < 4096) return "through a null pointer";
    return "outside of every allocation";
}

/* An address that is in no allocation, or across the end of one: a buffer that was made up grows. */
static allocation *beyond(machine *m, allocation *a, uint64_t address, uint64_t bytes) {
    allocation *grown = em_grow(m, address, bytes);
    return grown ? grown : a;
}

static uint64_t global_lanes(warp *w, const insn *i, const mem_access *m, const uint64_t *address,
                             uint64_t mask) {
    machine *mc = w->machine;
    memory_stats *k = &w->worker->memory[m->memory_site];
    uint64_t bytes = (uint64_t)m->bytes * m->count, bad = 0;
    if (mc->options.unchecked_memory) return mask;
    const char *what = NULL;
    FOR_LANES(l, mask) {
        if (address[l] >= k->lo && address[l] + bytes <= k->hi && address[l] < k->hi) continue;
        if (mc->heap_used) ls_lock(&mc->lock);
        allocation *a = em_find(mc->emulator, address[l]);
        if (mc->heap_used) ls_unlock(&mc->lock);
        if (!a || a->hi - address[l] < bytes) a = beyond(mc, a, address[l], bytes);
        bool good = a && !a->freed && a->hi - address[l] >= bytes && !(a->kind == ALLOC_CONST && m->write);
        if (good) {
            if (a->kind == ALLOC_HEAP) continue; /* it may be freed: not kept */
            keep_range(k, a->lo, a->hi, a, bytes);
            continue;
        }
        if (!bad)
            what = a && !a->freed && a->hi - address[l] < bytes ? "across the end of an allocation"
                                                                : global_fault(a, address[l], m);
        bad |= UINT64_C(1) << l;
    }
    if (bad) report_bad(w, i, m, LS_SPACE_GLOBAL, bad, address, what, LS_RULE_MEMORY_BOUNDS, 0);
    return mask & ~bad;
}

static uint64_t aligned_lanes(warp *w, const insn *i, const mem_access *m, ls_ptx_space space,
                              const uint64_t *address, uint64_t mask) {
    uint64_t need = (uint64_t)m->bytes * m->count - 1, any = 0;
    FOR_LANES(l, mask) any |= address[l];
    if (!(any & need)) return mask;
    if ((need + 1) & need) return mask;
    uint64_t bad = 0;
    FOR_LANES(l, mask) bad |= (uint64_t)((address[l] & need) != 0) << l;
    report_bad(w, i, m, space, bad, address, "at an address that is not a multiple of its size",
               LS_RULE_MEMORY_MISALIGNED, 0);
    return m->atomic ? mask & ~bad : mask;
}

/* Of a cluster: the memory of the block that the lanes mean, which is the same for all of them. An address
 * that means none stays what it is, and is beyond every variable. */
static char *enter_cluster(warp *w, uint64_t *address, uint64_t mask) {
    uint64_t first = address[first_lane(mask)], stripped = first;
    block_run *owner = em_cluster_owner(w, &stripped);
    if (!owner) return w->block->shared;
    FOR_LANES(l, mask) address[l] -= first - stripped;
    w->touched = owner;
    return owner->shared;
}

/* --- One space at a time --- */
em_target em_prepare(warp *w, const insn *i, const mem_access *m, ls_ptx_space space, uint64_t *address,
                     uint64_t mask) {
    machine *mc = w->machine;
    em_target t = {NULL, 0, mask};
    if (m->space == LS_SPACE_GENERIC && space != LS_SPACE_GLOBAL)
        FOR_LANES(l, mask) address[l] &= ~WINDOW_MASK;
    switch (space) {
    case LS_SPACE_SHARED:
        t.base = w->block->shared;
        w->touched = NULL;
        if (w->block->cluster) t.base = enter_cluster(w, address, mask);
        t.mask = shared_lanes(w, i, m, address, mask);
        break;
    case LS_SPACE_LOCAL:
        t.base = w->local;
        t.stride = mc->local_size;
        t.mask = within(w, i, m, space, address, mask, mc->local_size, "outside of local memory");
        if (w->block->gaps) t.mask = in_variables(w, i, m, address, t.mask);
        break;
    case LS_SPACE_PARAM:
        t.base = mc->params_copy;
        t.mask = within(w, i, m, space, address, mask, mc->params_size, "outside of the parameters");
        break;
    default: t.mask = global_lanes(w, i, m, address, mask); break;
    }
    t.mask = aligned_lanes(w, i, m, space, address, t.mask);
    if (t.mask && mc->options.checks && (space == LS_SPACE_SHARED || space == LS_SPACE_GLOBAL))
        em_check_access(w, m, space, address, t.mask);
    w->touched = NULL;
    if (space == LS_SPACE_LOCAL && w->block->undefined) em_check_local(w, i, m, address, t.mask);
    return t;
}

#define place em_place

static uint64_t extend(const mem_access *m, uint32_t k, uint64_t v) {
    if (m->sign) v = (uint64_t)em_sign_extend(v, 8u * m->bytes);
    return em_low_bits(v, m->dst_bits[k]);
}

static uint64_t read_bytes(const char *at, uint32_t bytes) {
    uint64_t v = 0;
    switch (bytes) {
    case 4: {
        uint32_t x;
        memcpy(&x, at, 4);
        return x;
    }
    case 8: memcpy(&v, at, 8); return v;
    default: memcpy(&v, at, bytes); return v;
    }
}

static void load_lanes(const warp *w, const mem_access *m, const em_target *t, const uint64_t *address) {
    if (m->count == 1 && m->bytes == 4 && m->value[0].width == 4) {
        uint32_t *d = slot32(w, m->value[0].slot);
        FOR_LANES(l, t->mask) memcpy(&d[l], place(t, address[l], l), 4);
        return;
    }
    FOR_LANES(l, t->mask) {
        const char *at = place(t, address[l], l);
        for (uint32_t k = 0; k < m->count; k++)
            write_lane(w, m->value[k], l, extend(m, k, read_bytes(at + k * m->bytes, m->bytes)));
    }
}

static void store_lanes(const warp *w, const mem_access *m, const em_target *t, const uint64_t *address) {
    if (m->count == 1 && m->bytes == 4 && m->value[0].width == 4) {
        const uint32_t *s = slot32(w, m->value[0].slot);
        FOR_LANES(l, t->mask) memcpy(place(t, address[l], l), &s[l], 4);
        return;
    }
    FOR_LANES(l, t->mask) {
        char *at = place(t, address[l], l);
        for (uint32_t k = 0; k < m->count; k++) {
            uint64_t v = read_lane(w, m->value[k], l);
            memcpy(at + k * m->bytes, &v, m->bytes);
        }
    }
}

/* --- The three instructions --- */
typedef enum { LOAD, STORE, ATOMIC } direction;

static void part(warp *w, const insn *i, const mem_access *m, ls_ptx_space space, uint64_t *address,
                 uint64_t mask, direction how) {
    em_target t = em_prepare(w, i, m, space, address, mask);
    switch (how) {
    case LOAD:
        if (t.mask != mask)
            for (uint32_t k = 0; k < m->count; k++)
                FOR_LANES(l, mask & ~t.mask) write_lane(w, m->value[k], l, 0);
        load_lanes(w, m, &t, address);
        break;
    case STORE: store_lanes(w, m, &t, address); break;
    case ATOMIC:
        for (uint32_t k = 0; k < m->count; k++)
            if (m->result[k].width != NO_WIDTH)
                FOR_LANES(l, mask & ~t.mask) write_lane(w, m->result[k], l, 0);
        em_atomic_lanes(w, m, &t, address, space);
        break;
    }
}

/* A word of local memory in each lane, of which nothing is to be looked at but whether it is there. */
static bool local_words(const warp *w, const mem_access *m, const uint64_t *address, direction how) {
    const uint64_t size = w->machine->local_size;
    uint64_t beyond = 0;
    if (m->space != LS_SPACE_LOCAL || m->count != 1 || m->bytes != 4 || m->value[0].width != 4 ||
        how == ATOMIC || w->block->undefined || w->block->gaps || size < 4)
        return false;
    FOR_LANES(l, w->mask) beyond |= (uint64_t)(address[l] > size - 4) | (address[l] & 3);
    if (beyond) return false;
    const em_target t = {w->local, size, w->mask};
    if (how == LOAD)
        load_lanes(w, m, &t, address);
    else
        store_lanes(w, m, &t, address);
    return true;
}

static const insn *carry_out(warp *w, const insn *i, direction how) {
    const mem_access *m = i->extra;
    uint64_t address[MAX_LANES], left = w->mask;
    em_addresses(w, m, address);
    if (local_words(w, m, address, how)) return i + 1;
    if (m->order.strong) em_strong_access(w);
    if (m->space != LS_SPACE_GENERIC) {
        while (left) { /* of a cluster, lanes may mean different blocks */
            uint64_t same = m->space == LS_SPACE_SHARED ? em_cluster_same(w, address, left) : left;
            part(w, i, m, (ls_ptx_space)m->space, address, same, how);
            left &= ~same;
        }
        return i + 1;
    }
    while (left) { /* generic: lanes may be in different windows */
        uint64_t window = address[first_lane(left)] & WINDOW_MASK, same = 0;
        FOR_LANES(l, left) same |= (uint64_t)((address[l] & WINDOW_MASK) == window) << l;
        if (window == WINDOW_SHARED) same = em_cluster_same(w, address, same);
        part(w, i, m, window_space(window), address, same, how);
        left &= ~same;
    }
    return i + 1;
}

const insn *em_exec_load(warp *w, const insn *i) {
    return carry_out(w, i, LOAD);
}
const insn *em_exec_store(warp *w, const insn *i) {
    return carry_out(w, i, STORE);
}
const insn *em_exec_atomic(warp *w, const insn *i) {
    return carry_out(w, i, ATOMIC);
}
