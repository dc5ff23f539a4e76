/* The common loads and stores: elements of 8 to 64 bits, also in vectors, in shared and global memory,
 * compiled once for each instruction set like lanes.c. An access whose lanes lie to each other as they did
 * last time (pattern.c) needs one comparison for range and alignment, and what the checkers must know about
 * it is at hand. Anything unusual goes to the general ones (access.c): addresses outside of the allocation
 * that was used last, and misaligned ones. */
#include "emulate/lanes/race.h"
#include "isa/atomic.h"

/* --- Addresses --- */
/* Addresses of shared memory may be registers of 32 bits (nvcc's always are). */
static inline bool is_narrow(const mem_access *m, bool shared) {
    return shared && m->address_width == 4;
}

static inline u64 address_in(const warp *w, const insn *i, bool narrow, u32 lane) {
    return narrow ? slot32(w, i->a)[lane] : slot64(w, i->a)[lane];
}

/* The address that the instruction makes of what its register has. */
static inline u64 address_of(const warp *w, const mem_access *m, bool narrow, u64 reg) {
    const u64 at = reg + (u64)m->offset + w->block->values[m->base];
    return narrow ? (u32)at : at;
}

/* Whether a lane's address differs from what the pattern says. */
#define MOVED(name, T)                                                                                       \
    static inline bool moved_##name(warp *w, const T *reg, const pattern *p, bool all, T from) {             \
        T differ = 0;                                                                                        \
        if (all) {                                                                                           \
            for (size_t l = 0; l < CHUNK; l++) differ |= (reg[l] - from) ^ (T)(s64)p->offsets[l];            \
        } else {                                                                                             \
            if (w->expanded != w->mask) expand(w);                                                           \
            for (size_t l = 0; l < CHUNK * (size_t)w->halves; l++)                                           \
                differ |= ((reg[l] - from) ^ (T)(s64)p->offsets[l]) & (T)(s64)(s32)w->mask32[l];             \
        }                                                                                                    \
        return differ != 0;                                                                                  \
    }
MOVED(32, u32)
MOVED(64, u64)

/* The pattern that the access has again, or NULL; first: its first lane's address. */
static inline pattern *repeated(warp *w, const insn *i, bool shared, memory_stats *k, u64 *first) {
    const mem_access *m = i->extra;
    const u64 mask = w->mask;
    const bool all = mask == UINT32_MAX && w->halves == 1, narrow = is_narrow(m, shared);
    pattern *p = &k->patterns[!all];
    if (p->mask != mask) return NULL;
    u32 *verified = &w->verified[2 * m->memory_site + !all];
    const u64 from = address_in(w, i, narrow, all ? 0 : first_lane(mask));
    if (!(m->fixed_address && *verified == p->version)) {
        if (narrow ? moved_32(w, slot32(w, i->a), p, all, (u32)from)
                   : moved_64(w, slot64(w, i->a), p, all, from))
            return NULL;
        if (m->fixed_address) *verified = p->version;
    }
    *first = address_of(w, m, narrow, from);
    return p;
}

/* In the allocation used last, and aligned. */
static inline bool is_plain(const memory_stats *k, const pattern *p, u64 first, u32 bytes) {
    const u64 size = k->hi - k->lo, from = first + (u64)(s64)p->low - k->lo;
    return p->span <= size && from <= size - p->span && !(((u32)first | p->bits) & (bytes - 1));
}

static inline void addresses(const warp *w, const insn *i, bool shared, u64 *out) {
    const mem_access *m = i->extra;
    const bool narrow = is_narrow(m, shared);
    for (u32 l = 0; l < CHUNK * (u32)w->halves; l++)
        out[l] = address_of(w, m, narrow, address_in(w, i, narrow, l));
}

/* Another pattern than last time, or NULL where the lanes are too far apart. */
static __attribute__((noinline)) pattern *learned(warp *w, const insn *i, bool shared, memory_stats *k,
                                                  u32 bytes, u64 *first) {
    const mem_access *m = i->extra;
    const bool narrow = is_narrow(m, shared);
    const u64 mask = w->mask, from = address_in(w, i, narrow, first_lane(mask)), reach = UINT64_C(1) << 30;
    const size_t n = CHUNK * (size_t)w->halves;
    u64 apart_by[MAX_LANES]; /* from the first lane */
    for (size_t l = 0; l < n; l++)
        apart_by[l] = narrow ? (u64)(s64)(s32)(slot32(w, i->a)[l] - (u32)from) : slot64(w, i->a)[l] - from;
    pattern *p = &k->patterns[!(mask == UINT32_MAX && w->halves == 1)];
    if (w->expanded != mask) expand(w);
    u64 far = 0;
    s32 low = 0, high = 0;
    u32 bits = 0, apart = 0;
    for (size_t l = 0; l < n; l++) far |= (apart_by[l] + reach) & (u64)(s64)(s32)w->mask32[l];
    p->mask = 0;
    if (far >> 31) return NULL;
    for (size_t l = 0; l < n; l++) p->offsets[l] = (s32)((u32)apart_by[l] & w->mask32[l]);
    for (size_t l = 0; l < n; l++) low = p->offsets[l] < low ? p->offsets[l] : low;
    for (size_t l = 0; l < n; l++) high = p->offsets[l] > high ? p->offsets[l] : high;
    for (size_t l = 0; l < n; l++) bits |= (u32)p->offsets[l];
    for (size_t l = 0; l < n; l++) apart |= (u32)p->offsets[l] ^ (u32)l * bytes;
    p->mask = mask;
    p->version++;
    p->low = low;
    p->span = (u32)(high - low) + bytes;
    p->bits = bits;
    em_shape_pattern(p, bytes, mask == UINT32_MAX && w->halves == 1 && !apart);
    *first = address_of(w, m, narrow, from);
    return p;
}

/* Fetches what the next execution needs, if it is as far from this one as this one from the last: it is the
 * next warp's, or the next iteration's. */
static inline void fetch_ahead(memory_stats *k, const mem_access *m, const pattern *p, u64 first) {
    const u64 next = 2 * first - k->last;
    k->last = first;
    if (next - k->lo >= k->hi - k->lo) return;
    const uintptr_t cells =
        k->alloc && m->raced ? (uintptr_t)atomic_load_explicit(&k->alloc->shadow, memory_order_relaxed) : 0;
    for (u32 l = 0; l < CHUNK; l += GROUP) {
        const u64 at = next + (u64)(s64)p->offsets[l];
        __builtin_prefetch((const void *)em_host(at));
        if (cells) __builtin_prefetch((const void *)(cells + (at - k->lo) / 4 * sizeof(uint32_t)), 1);
    }
}

/* --- Checkers --- */
static __attribute__((noinline)) void check_races(warp *w, const insn *i, bool shared,
                                                  const memory_stats *k) {
    u64 a[MAX_LANES];
    addresses(w, i, shared, a);
    if (shared)
        em_race_shared(w, i->extra, a, w->mask);
    else if (k->alloc)
        em_race_global(w, i->extra, k->alloc, a, w->mask);
}

/* What single words of shared memory cost, from the pattern alone. */
static inline bool count_words(const warp *w, memory_stats *k, const pattern *p, u64 first) {
    const u64 low = first + (u64)(s64)p->low, row = low / 128, count = (low + p->span - 1) / 128 - row + 1;
    u32 rows[BANK_ROWS];
    if (w->machine->options.banks != 32 || w->machine->warp_size != 32 || count > BANK_ROWS) return false;
    for (u64 r = 0; r < count; r++) rows[r] = 0;
    const u32 from = (u32)(first - row * 128);
    SOME_LANES(p->mask, const u32 word = (from + (u32)p->offsets[l]) / 4; rows[word / 32] |= 1u << word % 32);
    em_count_cost(k, em_rows_cost(k, rows, (u32)count));
    return true;
}

static inline void check(warp *w, const insn *i, bool shared, memory_stats *k, pattern *p, u64 first,
                         u32 bytes) {
    const mem_access *m = i->extra;
    if (!p->known) em_know_pattern(p, w, m, shared, first);
    if (m->counted) {
        const u32 at = first & 127;
        if (!shared && !p->lines[at]) em_pattern_lines(p, k, w->machine, bytes, first);
        em_count_cost(k, shared ? (access_cost){.turns = p->turns, .ideal = p->ideal}
                                : (access_cost){0, p->sectors[at], p->lines[at], p->ideal});
    }
    if (m->raced && !check_short(w, m, shared, k, p, first)) check_races(w, i, shared, k);
}

/* An access with a pattern that may not come again, as a row does. */
static __attribute__((noinline)) void check_once(warp *w, const insn *i, bool shared, memory_stats *k,
                                                 pattern *p, u64 first, u32 bytes) {
    const mem_access *m = i->extra;
    if (p->shape == PATTERN_ROW) {
        check(w, i, shared, k, p, first, bytes);
        return;
    }
    if (m->counted && !(shared && bytes == 4 && count_words(w, k, p, first))) {
        u64 a[MAX_LANES];
        addresses(w, i, shared, a);
        em_count_cost(k, em_access_cost(k, w->machine, shared, bytes, a, w->mask));
    }
    if (m->raced && !check_scattered(w, m, shared, k, p, first, bytes)) check_races(w, i, shared, k);
}

/* --- Loads and stores --- */
/* Eight lanes at a time, stored sixteen at a time: vectors that were stored in smaller parts are slow to be
 * read again. */
#define GROUPS(name, T, D)                                                                                   \
    typedef T part_##name __attribute__((vector_size(GROUP * sizeof(T)), aligned(1), may_alias));            \
    typedef D group_##name __attribute__((vector_size(GROUP * sizeof(D))));                                  \
    typedef D groups_##name __attribute__((vector_size(2 * GROUP * sizeof(D)), aligned(4), may_alias));      \
    static inline void load_group_##name(group_##name *d, uintptr_t at, const pattern *p, u32 q) {           \
        const T *from = (const T *)(at + (uintptr_t)(s64)p->offsets[GROUP * q]);                             \
        if (p->group_row[q])                                                                                 \
            *d = __builtin_convertvector(*(const part_##name *)(const void *)from, group_##name);            \
        else                                                                                                 \
            *d = (group_##name){0} + (D) * from;                                                             \
    }                                                                                                        \
    static inline void load_groups_##name(D *d, uintptr_t at, const pattern *p) {                            \
        for (u32 q = 0; q < CHUNK / GROUP; q += 2) {                                                         \
            group_##name low, high;                                                                          \
            load_group_##name(&low, at, p, q);                                                               \
            load_group_##name(&high, at, p, q + 1);                                                          \
            *(groups_##name *)(void *)(d + GROUP * q) =                                                      \
                __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);    \
        }                                                                                                    \
    }
/* Of a load or store of elements of type T: its pattern, p, checked, and the place of the first lane, base;
 * or the general way. */
#define BEGIN_ACCESS(T, SHARED, GENERAL)                                                                     \
    const mem_access *m = i->extra;                                                                          \
    memory_stats *s = &w->worker->memory[m->memory_site];                                                    \
    const u32 bytes = (u32)sizeof(T) * m->count;                                                             \
    u64 first;                                                                                               \
    pattern *p = repeated(w, i, SHARED, s, &first), *again = p;                                              \
    if (!p) p = learned(w, i, SHARED, s, bytes, &first);                                                     \
    if (!p || !is_plain(s, p, first, bytes)) return GENERAL(w, i);                                           \
    if (!(SHARED)) fetch_ahead(s, m, p, first);                                                              \
    if (m->counted | m->raced) {                                                                             \
        if (again)                                                                                           \
            check(w, i, SHARED, s, p, first, bytes);                                                         \
        else                                                                                                 \
            check_once(w, i, SHARED, s, p, first, bytes);                                                    \
    }                                                                                                        \
    const uintptr_t base = SHARED ? (uintptr_t)w->block->shared + first : em_host(first);
#define LOAD(name, T, D, SPACE, SHARED)                                                                      \
    const insn *MEMORY_FN(LD_##SPACE##_##name)(warp * w, const insn *i) {                                    \
        BEGIN_ACCESS(T, SHARED, em_exec_load)                                                                \
        const size_t n = CHUNK * (size_t)w->halves;                                                          \
        const s32 *o = p->offsets;                                                                           \
        for (u32 k = 0; k < m->count; k++) {                                                                 \
            D *d = (D *)(void *)(w->regs + m->value[k].slot);                                                \
            const uintptr_t at = base + k * sizeof(T);                                                       \
            if (p->shape == PATTERN_ROW && m->count == 1) {                                                  \
                const T *from = (const T *)at;                                                               \
                INDEPENDENT for (size_t l = 0; l < CHUNK; l++) d[l] = (D)from[l];                            \
            } else if (p->shape == PATTERN_UNIFORM) {                                                        \
                const D one = (D) * (const T *)at;                                                           \
                if (is_full(w)) {                                                                            \
                    for (size_t l = 0; l < n; l++) d[l] = one;                                               \
                } else {                                                                                     \
                    if (w->expanded != w->mask) expand(w);                                                   \
                    for (size_t l = 0; l < n; l++) d[l] = w->mask32[l] ? one : d[l];                         \
                }                                                                                            \
            } else if (p->shape == PATTERN_GROUPS && m->count == 1) {                                        \
                load_groups_##name(d, at, p);                                                                \
            } else if (is_full(w)) {                                                                         \
                INDEPENDENT for (size_t l = 0; l < n; l++) d[l] =                                            \
                    (D) * (const T *)(at + (uintptr_t)(s64)o[l]);                                            \
            } else {                                                                                         \
                FOR_LANES(l, w->mask) d[l] = (D) * (const T *)(at + (uintptr_t)(s64)o[l]);                   \
            }                                                                                                \
        }                                                                                                    \
        return i + 1;                                                                                        \
    }
#define STORE(name, T, D, SPACE, SHARED)                                                                     \
    const insn *MEMORY_FN(ST_##SPACE##_##name)(warp * w, const insn *i) {                                    \
        BEGIN_ACCESS(T, SHARED, em_exec_store)                                                               \
        const s32 *o = p->offsets;                                                                           \
        for (u32 k = 0; k < m->count; k++) {                                                                 \
            const D *v = (const D *)(const void *)(w->regs + m->value[k].slot);                              \
            const uintptr_t at = base + k * sizeof(T);                                                       \
            if (p->shape == PATTERN_ROW && m->count == 1) {                                                  \
                T *to = (T *)at;                                                                             \
                INDEPENDENT for (size_t l = 0; l < CHUNK; l++) to[l] = (T)v[l];                              \
            } else if (p->all_rows && m->count == 1) {                                                       \
                for (size_t q = 0; q < CHUNK; q += GROUP) {                                                  \
                    T *to = (T *)(at + (uintptr_t)(s64)o[q]);                                                \
                    INDEPENDENT for (size_t l = 0; l < GROUP; l++) to[l] = (T)v[q + l];                      \
                }                                                                                            \
            } else {                                                                                         \
                FOR_LANES(l, w->mask) * (T *)(at + (uintptr_t)(s64)o[l]) = (T)v[l];                          \
            }                                                                                                \
        }                                                                                                    \
        return i + 1;                                                                                        \
    }
/* --- Atomic operations on integers of 32 bits --- */
#define EACH(expr)                                                                                           \
    SOME_LANES(w->mask, u32 *at = (u32 *)(base + (uintptr_t)(s64)p->offsets[l]);                             \
               const u32 old = *at, a = v[l], new = (u32)(expr); *at = new; r[l] = old;                      \
               changed |= old ^ new);                                                                        \
    break

/* parallel: other workers may be at it too; additions only. */
static inline void combine(warp *w, const mem_access *m, uintptr_t base, const pattern *p, bool parallel) {
    const u32 *v = slot32(w, m->value[0].slot);
    u32 unused[MAX_LANES], *r = m->result[0].width == 4 ? slot32(w, m->result[0].slot) : unused, changed = 0;
    const bool sign = m->type == LS_TYPE_S32;
    if (parallel) {
        FOR_LANES(l, w->mask) {
            changed |= v[l];
            r[l] = __atomic_fetch_add((u32 *)(base + (uintptr_t)(s64)p->offsets[l]), v[l], __ATOMIC_SEQ_CST);
        }
        w->changed |= changed != 0;
        return;
    }
    switch (m->op) {
    case ATOMIC_ADD: EACH(old + a);
    case ATOMIC_MIN: EACH((sign ? (s32)old < (s32)a : old < a) ? old : a);
    case ATOMIC_MAX: EACH((sign ? (s32)old > (s32)a : old > a) ? old : a);
    case ATOMIC_AND: EACH(old & a);
    case ATOMIC_OR: EACH(old | a);
    case ATOMIC_XOR: EACH(old ^ a);
    default: EACH(a); /* exchange */
    }
    w->changed |= changed != 0;
}

static inline const insn *atomic(warp *w, const insn *i, bool shared) {
    const mem_access *m = i->extra;
    memory_stats *s = &w->worker->memory[m->memory_site];
    const bool parallel = !shared && w->machine->parallel;
    u64 first;
    if (parallel && m->op != ATOMIC_ADD) return em_exec_atomic(w, i);
    pattern *p = repeated(w, i, shared, s, &first), *again = p;
    if (!p) p = learned(w, i, shared, s, 4, &first);
    if (!p || !is_plain(s, p, first, 4)) return em_exec_atomic(w, i);
    em_strong_access(w);
    if (m->counted | m->raced) {
        if (again)
            check(w, i, shared, s, p, first, 4);
        else
            check_once(w, i, shared, s, p, first, 4);
    }
    combine(w, m, shared ? (uintptr_t)w->block->shared + first : em_host(first), p, parallel);
    return i + 1;
}

#define BOTH(WHAT, name, T, D) WHAT(name, T, D, GLOBAL, false) WHAT(name, T, D, SHARED, true)

#define LOADS(name, T, D) GROUPS(name, T, D) BOTH(LOAD, name, T, D)

#define MEMORY(name) extern const insn *MEMORY_FN(name)(warp * w, const insn *i);
#include "emulate/lanes/ops.def"
LOADS(U8, uint8_t, u32)
LOADS(S8, int8_t, u32)
LOADS(U16, uint16_t, u32)
LOADS(S16, int16_t, u32)
LOADS(32, u32, u32)
LOADS(64, u64, u64)
BOTH(STORE, 8, uint8_t, u32)
BOTH(STORE, 16, uint16_t, u32)
BOTH(STORE, 32, u32, u32)
BOTH(STORE, 64, u64, u64)

const insn *MEMORY_FN(ATOM_GLOBAL_32)(warp *w, const insn *i) {
    return atomic(w, i, false);
}
const insn *MEMORY_FN(ATOM_SHARED_32)(warp *w, const insn *i) {
    return atomic(w, i, true);
}
