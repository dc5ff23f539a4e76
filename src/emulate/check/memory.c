/* What a warp's access costs: shared-memory bank conflicts (004, §5: accesses by bank) and coalescing (001,
 * §5: 128-byte lines, and 32-byte sectors). */
#include "base/recover.h"
#include "emulate/check/checkers.h"

/* --- Bank conflicts --- */
/* With 32 banks and words that are not far apart: a bit for each word, and a row of bits for each turn
 * through the banks. The rows are summed for all banks at once, a binary digit of the sums in each plane.
 * Fills the counts where a bank has more than `most` words. */
static uint32_t turns_of_rows(const uint32_t *rows, uint64_t count, uint32_t most, uint32_t *counts) {
    enum { PLANES = 7 };
    uint32_t planes[PLANES] = {0}, worst = 0, banks = UINT32_MAX;
    for (uint64_t r = 0; r < count; r++)
        for (uint32_t k = 0, carry = rows[r]; carry; k++) {
            uint32_t both = planes[k] & carry;
            planes[k] ^= carry;
            carry = both;
        }
    for (uint32_t k = PLANES; k-- > 0;) { /* the largest sum: the banks that have this digit, if any does */
        worst = 2 * worst + ((banks & planes[k]) != 0);
        if (banks & planes[k]) banks &= planes[k];
    }
    for (uint32_t b = 0; b < 32 && worst > most; b++) {
        counts[b] = 0;
        for (uint32_t k = 0; k < PLANES; k++) counts[b] += (planes[k] >> b & 1) << k;
    }
    return worst;
}

/* 0 where the words are too far apart. */
static uint32_t turns_of_32(const uint64_t *address, uint64_t lanes, uint32_t bytes, uint32_t most,
                            uint32_t *counts) {
    uint32_t rows[BANK_ROWS];
    uint64_t low = UINT64_MAX, high = 0;
    FOR_LANES(l, lanes) {
        low = address[l] < low ? address[l] : low;
        high = address[l] > high ? address[l] : high;
    }
    uint64_t first = low / 128, count = (high + bytes - 1) / 128 - first + 1;
    if (count > BANK_ROWS) return 0;
    for (uint64_t r = 0; r < count; r++) rows[r] = 0;
    FOR_LANES(l, lanes)
    for (uint32_t b = 0; b < bytes; b += 4) {
        uint64_t word = (address[l] + b) / 4;
        rows[word / 32 - first] |= 1u << word % 32;
    }
    return turns_of_rows(rows, count, most, counts);
}

access_cost em_rows_cost(memory_stats *k, const uint32_t *rows, uint32_t count) {
    uint32_t turns = turns_of_rows(rows, count, k->worst, k->bank_counts);
    if (turns > k->worst) k->worst = turns;
    return (access_cost){.turns = turns, .ideal = 1};
}

/* Turns that one group of lanes takes: the most distinct words in one bank. The words of a bank are a list.
 */
static uint32_t turns_of_any(const uint64_t *address, uint64_t lanes, uint32_t bytes, uint32_t banks,
                             uint32_t *counts) {
    enum { END = MAX_LANES * 16 };
    uint32_t words[END], n = 0, worst = 1;
    uint16_t next[END], head[64];
    bool power = !(banks & (banks - 1));
    for (uint32_t k = 0; k < banks; k++) head[k] = END, counts[k] = 0;
    FOR_LANES(l, lanes) {
        for (uint32_t b = 0; b < bytes; b += 4) {
            uint32_t word = (uint32_t)((address[l] + b) / 4),
                     bank = power ? word & (banks - 1) : word % banks;
            uint32_t k = head[bank];
            while (k != END && words[k] != word) k = next[k];
            if (k != END || n == END) continue;
            words[n] = word;
            next[n] = head[bank];
            head[bank] = (uint16_t)n++;
            if (++counts[bank] > worst) worst = counts[bank];
        }
    }
    return worst;
}

static uint32_t turns_of(const uint64_t *address, uint64_t lanes, uint32_t bytes, uint32_t banks,
                         uint32_t most, uint32_t *counts) {
    uint32_t turns = banks == 32 ? turns_of_32(address, lanes, bytes, most, counts) : 0;
    return turns ? turns : turns_of_any(address, lanes, bytes, banks, counts);
}

/* Wide accesses go by halves and quarters of the warp. Where one takes more than *worst turns, that becomes
 * *worst, and the counts are its. */
static uint32_t bank_turns(const machine *m, const uint64_t *address, uint64_t mask, uint32_t bytes,
                           uint32_t *worst, uint32_t *counts) {
    uint32_t parts = bytes > 8 ? 4 : bytes > 4 ? 2 : 1, total = 0;
    uint32_t lanes = m->warp_size / parts ? m->warp_size / parts : 1;
    for (uint32_t at = 0; at < m->warp_size; at += lanes) {
        uint64_t group = lanes >= 64 ? mask : mask >> at & ((UINT64_C(1) << lanes) - 1);
        group <<= at;
        if (!group) continue;
        uint32_t banked[64], turns = turns_of(address, group, bytes, m->options.banks, *worst, banked);
        total += turns;
        if (turns > *worst) {
            *worst = turns;
            memcpy(counts, banked, m->options.banks * sizeof *banked);
        }
    }
    return total;
}

/* --- Coalescing --- */
/* How many pieces of that size the lanes touch. Those seen so far stand in a table by their hash: a place has
 * the number of its piece, from 1 on. */
static uint32_t distinct(const uint64_t *address, uint64_t mask, uint32_t bytes, uint32_t shift) {
    enum { FEW = 256, PLACES = 2048 };
    const uint32_t most = lane_count(mask) * ((bytes >> shift) + 2), places = most < FEW ? FEW : PLACES;
    uint64_t seen[PLACES], last = UINT64_MAX;
    uint16_t at[PLACES];
    uint32_t n = 0;
    memset(at, 0, places * sizeof *at);
    FOR_LANES(l, mask) {
        for (uint64_t s = address[l] >> shift; s <= (address[l] + bytes - 1) >> shift; s++) {
            if (s == last) continue;
            last = s;
            uint32_t h = (uint32_t)(s * UINT64_C(0x9e3779b97f4a7c15) >> 53) & (places - 1);
            while (at[h] && seen[at[h] - 1] != s) h = (h + 1) & (places - 1);
            if (at[h] || n + 1 == places) continue;
            seen[n] = s;
            at[h] = (uint16_t)++n;
        }
    }
    return n;
}

/* Sectors that the bytes would need if they were one piece: distinct words, packed. */
static uint32_t least_sectors(const uint64_t *address, uint64_t mask, uint32_t bytes) {
    uint32_t grain = bytes >= 4 ? 2 : 0; /* words, or bytes */
    uint32_t units = distinct(address, mask, bytes, grain);
    return ((units << grain) + 31) / 32;
}

/* Aligned to their size, lanes that have a line, or a sector, each of their own share nothing smaller. */
static bool are_aligned(const uint64_t *address, uint64_t mask, uint32_t bytes) {
    uint64_t bits = 0;
    FOR_LANES(l, mask) bits |= address[l];
    return bytes <= 32 && !(bytes & (bytes - 1)) && !(bits & (bytes - 1));
}

static void count_pieces(const uint64_t *address, uint64_t mask, uint32_t bytes, access_cost *c) {
    enum { LINE = 7 };
    const uint32_t lanes = lane_count(mask), most = are_aligned(address, mask, bytes) ? lanes : 0;
    const bool apart = most && mask == UINT32_MAX && !ls_row_ops()->share(address, LINE);
    c->lines = apart ? lanes : distinct(address, mask, bytes, LINE);
    c->sectors = c->lines == most ? lanes : distinct(address, mask, bytes, 5);
    c->ideal = c->sectors == most ? (lanes * bytes + 31) / 32 : least_sectors(address, mask, bytes);
}

/* --- Counting --- */
access_cost em_access_cost(memory_stats *k, const machine *m, bool shared, uint32_t bytes,
                           const uint64_t *address, uint64_t mask) {
    access_cost c = {0};
    if (shared) {
        uint32_t parts = bytes > 8 ? 4 : bytes > 4 ? 2 : 1;
        c.turns = bank_turns(m, address, mask, bytes, &k->worst, k->bank_counts);
        c.ideal = c.turns < parts ? c.turns : parts; /* where few lanes are active */
    } else {
        count_pieces(address, mask, bytes, &c);
        if (c.sectors > k->worst) k->worst = c.sectors;
    }
    return c;
}

static void count(warp *w, const mem_access *m, ls_ptx_space space, const uint64_t *address, uint64_t mask) {
    memory_stats *k = &w->worker->memory[m->memory_site];
    if (m->opaque) return;
    access_cost c =
        em_access_cost(k, w->machine, space == LS_SPACE_SHARED, (uint32_t)m->bytes * m->count, address, mask);
    k->accesses++;
    k->ideal += c.ideal;
    k->turns += c.turns;
    k->sectors += c.sectors;
    k->lines += c.lines;
}

void em_count_lanes(warp *w, const mem_access *m, const uint64_t *address, uint32_t lanes) {
    if (lanes) count(w, m, m->space, address, lanes);
}

void em_count_bank(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask) {
    count(w, m, LS_SPACE_SHARED, address, mask);
}

void em_count_sectors(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask) {
    count(w, m, LS_SPACE_GLOBAL, address, mask);
}

/* --- Races in global memory: object by object --- */
void em_race_anywhere(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask) {
    machine *mc = w->machine;
    const memory_stats *k = &w->worker->memory[m->memory_site];
    bool race = mc->options.checks & LS_CHECK_RACE;
    if (mc->options.unchecked_memory) return;
    while (mask) {
        uint64_t first = address[first_lane(mask)], inside = 0;
        allocation *a = first >= k->lo && first < k->hi ? k->alloc : NULL;
        if (!a) {
            if (mc->heap_used) ls_lock(&mc->lock);
            a = em_find(mc->emulator, first);
            if (mc->heap_used) ls_unlock(&mc->lock);
        }
        if (!a) return;
        FOR_LANES(l, mask) inside |= (uint64_t)(address[l] >= a->lo && address[l] < a->hi) << l;
        if (a->kind != ALLOC_CONST && (race || a->undefined)) em_race_global(w, m, a, address, inside);
        mask &= ~inside;
    }
}
