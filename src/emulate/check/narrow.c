/* Races by bytes, in the same eight bytes a word: for kernels that access less than a word somewhere. A half
 * of a cell has a descriptor, a lane, and the bytes that it is about. Neighbouring lanes that touch
 * neighbouring bytes or halves of a word in one instruction, as they do almost always, are kept together;
 * where the bytes of a word belong to unrelated threads, the last of them is kept and the others are
 * forgotten. So a race may be missed here, but none is made up. */
#include "emulate/check/race.h"

typedef enum {
    ONE,    /* this lane touched all of the bytes */
    BYTES,  /* byte k was touched by lane + k */
    HALVES, /* half k was touched by lane + k */
    MANY,   /* several threads have read these bytes; one of them is kept */
} half_kind;

typedef struct {
    uint32_t desc, lane, bytes;
    half_kind kind;
} half;

static uint32_t pack(half h) {
    return em_narrow_half(h.desc, h.lane, h.bytes) | (uint32_t)h.kind << NARROW_KIND_AT;
}

static half unpack(uint32_t x) {
    return (half){em_narrow_desc(x), x & ((1u << CELL_LANE_BITS) - 1), em_narrow_bytes(x),
                  (half_kind)(x >> NARROW_KIND_AT)};
}

uint32_t em_race_nobody(uint32_t index) {
    return pack((half){index, 0, 15, ONE});
}

static uint32_t lane_of(half h, uint32_t byte) {
    return h.kind == BYTES ? h.lane + byte : h.kind == HALVES ? h.lane + byte / 2 : h.lane;
}

/* Whether it was another thread, with nothing in between, that touched one of the bytes; then its lane. */
static bool races(race_state *s, int which, half h, uint32_t bytes, uint32_t lane, uint32_t *other) {
    verdict v = em_race_look(s, which, h.desc);
    const desc *d = &s->table[h.desc];
    *other = h.lane;
    if (v == ORDERED) return false;
    if (h.kind == MANY && v == SAME_WARP && h.lane == lane)
        return !(d->lone && s->m->order.strong) && !em_lanes_ordered(s->w, lane, NO_SLOT, d->warp_epoch);
    for (uint32_t byte = 0; byte < 4; byte++) {
        if (!(bytes >> byte & 1)) continue;
        *other = lane_of(h, byte);
        if (v == UNORDERED || em_race_between(s, v, h.desc, *other, lane)) return true;
    }
    return false;
}

/* Adds what another lane touches in the same instruction; false where the two do not fit together. */
static bool extend(half *h, uint32_t lane, uint32_t bytes) {
    if (h->kind == ONE && h->lane == lane) {
        h->bytes |= bytes;
        return true;
    }
    half_kind kind = bytes == 3 || bytes == 12 ? HALVES : BYTES;
    uint32_t at = (uint32_t)__builtin_ctz(bytes), width = kind == HALVES ? 2 : 1;
    if (kind == BYTES && bytes & (bytes - 1)) return false;
    if (lane < at / width) return false;
    uint32_t first = lane - at / width;
    if (h->kind == ONE) { /* is it one piece of that size, with the same lane for the first one? */
        uint32_t old = (uint32_t)__builtin_ctz(h->bytes);
        bool fits = h->bytes == (kind == HALVES ? 3u << old : 1u << old) && !(old % width);
        if (!fits || h->lane != first + old / width) return false;
        h->kind = kind;
        h->lane = first;
    }
    if (h->kind != kind || h->lane != first) return false;
    h->bytes |= bytes;
    return true;
}

/* Whether it was this thread, perhaps at another instruction; of several, the one that is kept. */
static bool is_mine(const race_state *s, half h, uint32_t lane) {
    const desc *d = &s->table[h.desc];
    return (h.kind == ONE || h.kind == MANY) && h.lane == lane && d->warp == s->w->index &&
           d->block == s->w->block->index;
}

static uint32_t joined(race_state *s, uint32_t old, half mine) {
    if (!old) return pack(mine);
    half h = unpack(old);
    if (em_race_look(s, 1, h.desc) == ORDERED) return pack(mine);
    const bool many = h.kind == MANY, same = is_mine(s, h, mine.lane);
    if (!many && h.desc == s->me && extend(&h, mine.lane, mine.bytes)) return pack(h);
    if (!(h.bytes & mine.bytes)) return many ? old : pack(mine);
    if (!many && same) return pack(mine);
    const kept_reader kept = em_race_keep(s, (old_reader){h.desc, same, many, many});
    mine.lane = kept.old ? lane_of(h, (uint32_t)__builtin_ctz(h.bytes & mine.bytes)) : mine.lane;
    mine.bytes &= h.bytes;
    mine.desc = kept.desc;
    mine.kind = MANY;
    return pack(mine);
}

static void report(race_state *s, race_kind kind, uint32_t index, uint32_t other, uint32_t lane) {
    em_race_report(s, kind, index << CELL_LANE_BITS | other, lane);
}

static void read_word(race_state *s, uint64_t word, cell c, uint32_t lane, uint32_t bytes) {
    half w = unpack(c.write);
    uint32_t other;
    if (c.write && w.bytes & bytes && races(s, 0, w, w.bytes & bytes, lane, &other))
        report(s, RACE_WRITE_READ, w.desc, other, lane);
    em_race_put(s, word, c, (cell){c.write, joined(s, c.read, (half){s->me, lane, bytes, ONE})});
}

/* An atomic operation must not hide the same thread's plain write, with which those of others race. */
static bool stays(race_state *s, half w, uint32_t lane) {
    const desc *d = &s->table[w.desc];
    return s->m->atomic && !d->atomic && is_mine(s, w, lane) && em_race_look(s, 0, w.desc) != ORDERED;
}

static void write_word(race_state *s, uint64_t word, cell c, uint32_t lane, uint32_t bytes) {
    half w = unpack(c.write), r = unpack(c.read);
    uint32_t other;
    if (c.write && w.bytes & bytes && races(s, 0, w, w.bytes & bytes, lane, &other))
        report(s, RACE_WRITE_WRITE, w.desc, other, lane);
    if (c.read && r.bytes & bytes && races(s, 1, r, r.bytes & bytes, lane, &other))
        report(s, RACE_READ_WRITE, r.desc, other, lane);
    cell now = c;
    if (c.write && stays(s, w, lane)) {
        w.desc = em_race_buried(s, word, w.desc);
        now.write = pack(w);
    } else {
        bool together = c.write && w.desc == s->me && extend(&w, lane, bytes);
        now.write = pack(together ? w : (half){s->me, lane, bytes, ONE});
        if (!s->m->atomic) r.bytes &= ~bytes;
        now.read = c.read && r.bytes ? pack(r) : 0;
    }
    em_race_put(s, word, c, now);
}

void em_race_narrow(race_state *s) {
    uint64_t size = (uint64_t)s->m->bytes * s->m->count;
    bool race = s->w->machine->options.checks & LS_CHECK_RACE;
    FOR_LANES(l, s->mask) {
        uint64_t from = s->address[l] - s->base, to = from + size;
        bool empty = true;
        for (uint64_t k = from >> 2; k < (to + 3) >> 2; k++) {
            uint32_t low = k << 2 < from ? (uint32_t)(from & 3) : 0;
            uint32_t high = (k << 2) + 4 > to ? (uint32_t)(to - (k << 2)) : 4;
            uint32_t bytes = (1u << high) - (1u << low);
            const cell c = em_race_cell(s, k);
            empty &= !c.write;
            if (race && s->m->write)
                write_word(s, k, c, l, bytes);
            else if (race)
                read_word(s, k, c, l, bytes);
            else if (s->m->write)
                em_race_put(s, k, c, (cell){pack((half){s->me, l, bytes, ONE}), c.read});
        }
        if (s->uninit && empty) em_race_uninitialized(s, l);
    }
}
