/* What one access by one warp costs. Addresses are a lane vector: bytes whose places relative to each other
 * are known within a group, while groups may lie anywhere. Where the bases' alignment is not known all that
 * are possible are tried. All counts are for the lanes that may be active: fewer lanes never cost more. */
#include "analyze/cost.h"

#include <string.h>

enum { SECTOR = 32, LINE = 128, BANKS = 32, WORD = 4 };

typedef struct {
    int64_t first, last; /* bytes */
} range;

/* Units of `size` bytes that the ranges (in any order) touch. */
static uint32_t units_touched(const range *ranges, uint32_t count, int64_t base, int64_t size) {
    range units[LANES];
    for (uint32_t i = 0; i < count; i++) {
        range unit = {ls_floor_div(ranges[i].first + base, size), ls_floor_div(ranges[i].last + base, size)};
        uint32_t at = i;
        for (; at > 0 && units[at - 1].first > unit.first; at--) units[at] = units[at - 1];
        units[at] = unit;
    }
    uint64_t total = 0;
    int64_t end = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        int64_t from = units[i].first > end ? units[i].first : end + 1;
        if (units[i].last >= from) total += (uint64_t)(units[i].last - from) + 1;
        if (units[i].last > end) end = units[i].last;
    }
    return total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
}

/* The largest power of two up to 16 that divides the access's size: it is aligned to that, or faults. */
static uint32_t natural_alignment(uint32_t bytes) {
    uint32_t power = bytes & -bytes;
    return power > 16 ? 16 : power ? power : 1;
}

typedef struct {
    uint32_t worst, best;
} bounds;

/* Over all alignments that the group's base can have. */
static bounds count_group(const range *exact, uint32_t exact_count, const range *all, uint32_t all_count,
                          uint64_t modulus, uint32_t bytes, int64_t size) {
    uint64_t step = ls_gcd(modulus, (uint64_t)size);
    uint32_t natural = natural_alignment(bytes);
    if (all_count == 1 && exact_count && natural == bytes) return (bounds){1, 1};
    bounds result = {0, UINT32_MAX};
    for (int pass = 0; pass < 2 && !result.worst; pass++)
        for (uint64_t base = 0; base < (uint64_t)size; base += step) {
            bool fits = !exact_count || ls_modulo(exact[0].first + (int64_t)base, natural) == 0;
            if (!fits && pass == 0) continue; /* second time: misaligned in any case */
            uint32_t most = units_touched(all, all_count, (int64_t)base, size);
            uint32_t least = exact_count ? units_touched(exact, exact_count, (int64_t)base, size) : 1;
            if (most > result.worst) result.worst = most;
            if (least < result.best) result.best = least;
        }
    uint32_t each = 1 + (bytes - 1) / (uint32_t)size + (bytes % natural != 0 || natural < bytes);
    uint64_t apart = (uint64_t)all_count * each;
    if (apart < result.worst) result.worst = (uint32_t)apart;
    if (result.best > result.worst) result.best = result.worst;
    return result;
}

/* Bytes that the group's lanes access, each once; slack counts as apart. */
static uint64_t distinct_bytes(const ls_lanes *address, uint32_t group, uint32_t may, uint32_t bytes) {
    uint64_t total = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(may >> l & 1) || address->group[l] != group) continue;
        uint64_t fresh = bytes;
        for (uint32_t k = 0; k < l && fresh; k++) {
            if (!(may >> k & 1) || address->group[k] != group || address->slack[k] || address->slack[l])
                continue;
            uint64_t apart = ls_magnitude(address->offset[l] - address->offset[k]);
            if (apart < fresh) fresh = apart;
        }
        total += fresh;
    }
    return total;
}

static void cost_of_one(uint32_t bytes, ls_access_cost *cost) {
    uint32_t sectors = (bytes + SECTOR - 1) / SECTOR, lines = (bytes + LINE - 1) / LINE;
    cost->sectors = cost->sectors_best = cost->minimum_sectors = sectors;
    cost->lines = cost->lines_best = cost->minimum_lines = lines;
    cost->sectors_least = sectors;
    cost->lines_least = lines;
}

void ls_cost_global(const ls_lanes *address, ls_active active, uint32_t bytes, ls_access_cost *cost) {
    memset(cost, 0, sizeof *cost);
    cost->active_lanes = active.most;
    if (active.most <= 1) {
        cost_of_one(bytes, cost);
        return;
    }
    uint64_t distinct = 0;
    for (uint32_t g = 0; g < address->group_count; g++) {
        range exact[LANES], all[LANES];
        uint32_t exact_count = 0, all_count = 0;
        for (uint32_t l = 0; l < LANES; l++) {
            if (!(active.may >> l & 1) || address->group[l] != g) continue;
            range bytes_of = {address->offset[l], address->offset[l] + (int64_t)bytes - 1};
            if (!address->slack[l]) exact[exact_count++] = bytes_of;
            bytes_of.last += address->slack[l];
            all[all_count++] = bytes_of;
        }
        if (!all_count) continue;
        bounds sectors = count_group(exact, exact_count, all, all_count, address->modulus, bytes, SECTOR);
        bounds lines = count_group(exact, exact_count, all, all_count, address->modulus, bytes, LINE);
        cost->sectors += sectors.worst;
        cost->sectors_best += sectors.best;
        cost->lines += lines.worst;
        cost->lines_best += lines.best;
        if (sectors.best > cost->sectors_least) cost->sectors_least = sectors.best;
        if (lines.best > cost->lines_least) cost->lines_least = lines.best;
        distinct += distinct_bytes(address, g, active.may, bytes);
    }
    if (active.most < (uint32_t)__builtin_popcount(active.may)) cost->sectors_least = cost->lines_least = 1;
    uint64_t needed = (uint64_t)active.most * bytes;
    if (distinct < needed) needed = distinct;
    cost->minimum_sectors = (uint32_t)((needed + SECTOR - 1) / SECTOR);
    cost->minimum_lines = (uint32_t)((needed + LINE - 1) / LINE);
    uint32_t apart = active.most * ((bytes + SECTOR - 1) / SECTOR);
    if (cost->sectors > apart && natural_alignment(bytes) == bytes) cost->sectors = apart;
    if (cost->lines > apart && natural_alignment(bytes) == bytes) cost->lines = apart;
    if (cost->sectors_best > cost->sectors) cost->sectors_best = cost->sectors;
    if (cost->lines_best > cost->lines) cost->lines_best = cost->lines;
}

/* --- Shared memory
 * -------------------------------------------------------------------------------------------- */

/* Different words in each bank, of the lanes of one group in one phase. */
static uint32_t crowd(const int64_t *words, uint32_t count, uint8_t banks[BANKS]) {
    uint8_t in_bank[BANKS] = {0}, first[BANKS] = {0}, next[LANES * 5]; /* lists of the words of a bank */
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bank = (uint32_t)words[i] % BANKS, at = first[bank];
        uint32_t left = in_bank[bank];
        while (left && words[at] != words[i]) at = next[at], left--;
        if (left) continue;
        next[i] = first[bank];
        first[bank] = (uint8_t)i;
        if (++in_bank[bank] > most) most = in_bank[bank];
    }
    for (uint32_t b = 0; b < BANKS; b++)
        if (in_bank[b] > banks[b]) banks[b] = in_bank[b];
    return most;
}

/* Turns that the lanes [first, first + lanes) need: exact for one group, else between the most crowded group
 * and all of them one after another. */
static bounds turns(const ls_lanes *address, uint32_t may, uint32_t first, uint32_t lanes, uint32_t bytes,
                    int64_t base, uint8_t banks[BANKS]) {
    bounds result = {0};
    for (uint32_t g = 0; g < address->group_count; g++) {
        int64_t words[LANES * 5];
        uint32_t count = 0, loose = 0;
        for (uint32_t l = first; l < first + lanes; l++) {
            if (!(may >> l & 1) || address->group[l] != g) continue;
            loose += address->slack[l] != 0;
            if (address->slack[l]) continue;
            int64_t start = address->offset[l] + base;
            int64_t low = ls_floor_div(start, WORD), high = ls_floor_div(start + (int64_t)bytes - 1, WORD);
            for (int64_t w = low; w <= high && count < LANES * 5; w++) words[count++] = w;
        }
        uint32_t most = crowd(words, count, banks);
        result.worst += most + loose;
        if (most > result.best) result.best = most;
        if (loose && !result.best) result.best = 1;
    }
    return result;
}

static void cost_at(const ls_lanes *address, ls_active active, uint32_t bytes, int64_t base,
                    ls_access_cost *cost) {
    uint32_t lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
    uint32_t wavefronts = 0, minimum = 0, degree = 0, degree_best = 0;
    uint8_t banks[BANKS] = {0};
    for (uint32_t first = 0; first < LANES; first += lanes) {
        bounds phase = turns(address, active.may, first, lanes, bytes, base, banks);
        uint32_t limit = active.most < lanes ? active.most : lanes;
        if (phase.worst > limit) phase.worst = limit;
        if (phase.best > phase.worst) phase.best = phase.worst;
        wavefronts += phase.worst;
        minimum += phase.worst > 0;
        if (phase.worst > degree) degree = phase.worst;
        if (phase.best > degree_best) degree_best = phase.best;
    }
    if (degree < cost->degree) return;
    bool first = !cost->degree;
    cost->degree = degree;
    if (first || degree_best < cost->degree_best) cost->degree_best = degree_best;
    cost->wavefronts = wavefronts;
    cost->minimum_wavefronts = minimum;
    memcpy(cost->banks, banks, sizeof cost->banks);
}

void ls_cost_shared(const ls_lanes *address, ls_active active, uint32_t bytes, ls_access_cost *cost) {
    memset(cost, 0, sizeof *cost);
    cost->active_lanes = active.most;
    if (active.most <= 1) {
        cost->degree = cost->degree_best = cost->wavefronts = cost->minimum_wavefronts = 1;
        return;
    }
    /* Whole words more or less turn the banks round, which changes nothing. */
    uint64_t step = ls_gcd(address->modulus, WORD);
    uint32_t natural = natural_alignment(bytes), first = (uint32_t)__builtin_ctz(active.may);
    if (natural > WORD) natural = WORD;
    for (int pass = 0; pass < 2 && !cost->degree; pass++)
        for (uint64_t base = 0; base < WORD; base += step) {
            bool fits =
                address->slack[first] || ls_modulo(address->offset[first] + (int64_t)base, natural) == 0;
            if (fits || pass) cost_at(address, active, bytes, (int64_t)base, cost);
        }
}
