/* Reads of what was never written: registers (decode/undefined.c says which are worth a look) and local
 * memory, of which every byte has a bit while it is undefined, and one where it lies between two variables.
 * Bits are set when a frame is entered. Shared memory and the heap have their cells in the race checker. */
#include "base/recover.h"
#include "emulate/machine.h"

#include <stdio.h>

/* --- Registers --- */
static uint64_t lanes_of(const warp *w, uint32_t slot) {
    return slot == NO_SLOT ? UINT64_MAX : *slot64(w, slot);
}

const insn *em_exec_written(warp *w, const insn *i) {
    const written_info *x = i->extra;
    uint64_t good = UINT64_MAX, *to = slot64(w, x->mask);
    if (x->select != NO_SLOT) {
        uint64_t p = *slot64(w, x->select);
        good = ((p & lanes_of(w, x->from[0])) | (~p & lanes_of(w, x->from[1]))) & lanes_of(w, x->from[2]);
    } else {
        for (uint32_t k = 0; k < x->count; k++) good &= lanes_of(w, x->from[k]);
    }
    *to = (*to & ~w->mask) | (good & w->mask);
    return i + 1;
}

static void report(warp *w, uint32_t at, uint64_t lanes, uint32_t variant, const char *message) {
    machine *m = w->machine;
    ls_lock(&m->lock);
    found *f = em_find_finding(m, LS_RULE_MEMORY_UNINITIALIZED, at, at, variant);
    if (em_is_example(m, f, w->block)) {
        f->finding.level = LS_WARNING;
        em_tell_thread(&f->finding, em_actor(m, w->block->index, w->index, first_lane(lanes)), NULL);
        f->finding.message = ls_arena_strdup(&m->arena, message);
    }
    f->finding.count += (uint64_t)__builtin_popcountll(lanes);
    ls_unlock(&m->lock);
}

const insn *em_exec_undefined(warp *w, const insn *i) {
    static const char *const uses[] = {[USE_BRANCH] = "this branch depends on",
                                       [USE_GUARD] = "whether this is executed depends on",
                                       [USE_ADDRESS] = "this address depends on",
                                       [USE_STORE] = "this stores"};
    const undefined_read *x = i->extra;
    uint64_t bad = w->mask & ~*slot64(w, x->mask);
    if (!bad) return i + 1;
    char text[256];
    snprintf(text, sizeof text, "%s a value that was never written (register %s)", uses[x->use], x->name);
    report(w, i->site, bad, 1 + x->use, text);
    *slot64(w, x->mask) |= bad; /* once is enough */
    return i + 1;
}

/* --- Local memory --- */
/* Sets or clears the bits of [from, from + count). */
static void set_bits(uint8_t *bits, uint64_t from, uint64_t count, bool value) {
    for (; count && from & 7; from++, count--)
        bits[from >> 3] =
            (uint8_t)(value ? bits[from >> 3] | 1u << (from & 7) : bits[from >> 3] & ~(1u << (from & 7)));
    memset(bits + (from >> 3), value ? 0xff : 0, count >> 3);
    from += count & ~UINT64_C(7), count &= 7;
    if (!count) return;
    uint32_t rest = (1u << count) - 1;
    bits[from >> 3] = (uint8_t)(value ? bits[from >> 3] | rest : bits[from >> 3] & ~rest);
}

/* The bits of up to PIECE bytes; there is room behind the last ones. */
enum { PIECE = 32 };
static uint64_t ones(uint64_t count) {
    return count < PIECE ? (UINT64_C(1) << count) - 1 : UINT32_MAX;
}
static uint64_t window(const uint8_t *bits, uint64_t from, uint64_t count) {
    uint64_t x;
    memcpy(&x, bits + (from >> 3), sizeof x);
    return x >> (from & 7) & ones(count);
}

static bool any_set(const uint8_t *bits, uint64_t from, uint64_t count) {
    for (uint64_t k = 0; k < count; k += PIECE)
        if (window(bits, from + k, count - k)) return true;
    return false;
}
static bool all_set(const uint8_t *bits, uint64_t from, uint64_t count) {
    for (uint64_t k = 0; k < count; k += PIECE)
        if (window(bits, from + k, count - k) != ones(count - k)) return false;
    return true;
}
static void clear_bits(uint8_t *bits, uint64_t from, uint64_t count) {
    for (uint64_t k = 0; k < count; k += PIECE) {
        uint64_t at = from + k, x;
        memcpy(&x, bits + (at >> 3), sizeof x);
        x &= ~(ones(count - k) << (at & 7));
        memcpy(bits + (at >> 3), &x, sizeof x);
    }
}

static uint64_t bit_of(const warp *w, uint32_t lane, uint64_t address) {
    return ((uint64_t)w->index * w->machine->warp_size + lane) * w->machine->local_size + address;
}

static void set_objects(const warp *w, uint8_t *bits, const local_object *o, uint32_t count, uint32_t base,
                        uint32_t lane) {
    for (uint32_t k = 0; k < count; k++) set_bits(bits, bit_of(w, lane, base + o[k].offset), o[k].size, true);
}

void em_enter_frame(warp *w, const code *c, uint32_t base, uint64_t lanes) {
    const block_run *b = w->block;
    if (!b->undefined && !b->gaps) return;
    FOR_LANES(l, lanes) {
        if (b->undefined) set_objects(w, b->undefined, c->locals.items, c->locals.length, base, l);
        if (!b->gaps) continue;
        set_bits(b->gaps, bit_of(w, l, base), c->local_bytes, false);
        set_objects(w, b->gaps, c->gaps.items, c->gaps.length, base, l);
    }
}

bool em_in_gap(const warp *w, uint32_t lane, uint64_t address, uint64_t bytes) {
    return any_set(w->block->gaps, bit_of(w, lane, address), bytes);
}

void em_check_local(warp *w, const insn *i, const mem_access *m, const uint64_t *address, uint64_t mask) {
    uint8_t *bits = w->block->undefined;
    uint64_t bad = 0, bytes = (uint64_t)m->bytes * m->count;
    FOR_LANES(l, mask) {
        uint64_t at = bit_of(w, l, address[l]);
        if (m->write) {
            clear_bits(bits, at, bytes);
            continue;
        }
        /* a vector of which a part was written is copied as a whole; words of which a byte was, likewise */
        if (!m->copied_local && all_set(bits, at, bytes)) bad |= UINT64_C(1) << l;
    }
    if (bad) report(w, i->site, bad, 0, "read of local memory that the thread has not written");
}
