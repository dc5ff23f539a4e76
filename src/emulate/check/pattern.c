/* Patterns of an instruction's addresses: the distances of the lanes from the first one, and what follows
 * from them wherever the first one is: range, alignment, bank conflicts (rotating all banks changes no
 * count), the words that are touched and by whom; sectors and lines depend on the first lane's place in a
 * line as well. An affine address (003, §3.4) has the same pattern at every execution. */
#include "emulate/machine.h"

/* 8 lanes at a time: each group is a row, or all of it at one place. */
static bool find_groups(pattern *p, uint32_t bytes) {
    p->all_rows = true;
    for (uint32_t g = 0; g < CHUNK / GROUP; g++) {
        const int32_t *o = p->offsets + (size_t)GROUP * g;
        uint32_t apart = 0, differ = 0;
        for (uint32_t l = 0; l < GROUP; l++) {
            apart |= (uint32_t)(o[l] - o[0]) ^ l * bytes;
            differ |= (uint32_t)(o[l] - o[0]);
        }
        if (apart && differ) return false;
        p->group_row[g] = !apart;
        p->all_rows &= !apart;
    }
    return true;
}

void em_shape_pattern(pattern *p, uint32_t bytes, bool row) {
    p->known = false;
    p->all_rows = row;
    p->shape = PATTERN_OTHER;
    if (!p->bits) {
        p->shape = PATTERN_UNIFORM;
    } else if (row) {
        p->shape = PATTERN_ROW;
    } else if (p->mask == UINT32_MAX) {
        bool groups = find_groups(p, bytes);
        p->all_rows &= groups;
        if (groups) p->shape = PATTERN_GROUPS;
    }
}

static void addresses_of(const pattern *p, uint64_t first, uint64_t *out) {
    for (uint32_t l = 0; l < MAX_LANES; l++) out[l] = first + (uint64_t)(int64_t)p->offsets[l];
}

/* A word that the lane touches: a new one, or one that another lane has touched before. */
static bool add_cell(pattern *p, int32_t at, uint32_t lane) {
    for (uint32_t k = p->cell_count; k--;) {
        if (p->cells[k] != at) continue;
        p->cell_lanes[k] = lane | CELL_MANY_LANES;
        return true;
    }
    if (p->cell_count == PATTERN_CELLS) return false;
    p->cells[p->cell_count] = at;
    p->cell_lanes[p->cell_count++] = lane;
    return true;
}

/* Words that lie side by side stand in the order of their addresses, in whatever order lanes touch them.
 * Those of rows stay in the order of the lanes. */
static void sort_cells(pattern *p) {
    uint32_t lanes[PATTERN_CELLS];
    const int32_t low = p->low / 4;
    if (p->all_rows || p->cell_count < GROUP || p->span != 4 * p->cell_count) return;
    for (uint32_t k = 0; k < p->cell_count; k++) lanes[p->cells[k] - low] = p->cell_lanes[k];
    for (uint32_t k = 0; k < p->cell_count; k++) {
        p->cells[k] = low + (int32_t)k;
        p->cell_lanes[k] = lanes[k];
    }
}

static void find_cells(pattern *p, uint32_t bytes) {
    p->cell_count = 0;
    p->rows = p->word_row = p->cell_rows = false;
    if ((bytes % 4 && bytes > 2) || p->bits % 4) return;
    FOR_LANES(l, p->mask) {
        for (uint32_t b = 0; b < bytes; b += 4) {
            if (add_cell(p, (p->offsets[l] + (int32_t)b) / 4, l)) continue;
            p->cell_count = 0;
            return;
        }
    }
    p->rows = bytes == 4 && p->cell_count == CHUNK && p->all_rows;
    sort_cells(p);
    p->cell_rows = true;
    for (uint32_t k = 0; k < p->cell_count / GROUP * GROUP; k++)
        p->cell_rows &= p->cells[k] == p->cells[k / GROUP * GROUP] + (int32_t)(k % GROUP);
    p->word_row = p->cell_count == CHUNK;
    for (uint32_t k = 0; k < p->cell_count; k++)
        p->word_row &= p->cells[k] == p->cells[0] + (int32_t)k && p->cell_lanes[k] == k;
}

void em_know_pattern(pattern *p, const warp *w, const mem_access *m, bool shared, uint64_t first) {
    uint64_t address[MAX_LANES];
    uint32_t bytes = (uint32_t)m->bytes * m->count;
    addresses_of(p, first, address);
    find_cells(p, bytes);
    memset(p->lines, 0, sizeof p->lines);
    if (shared && m->counted) {
        access_cost c =
            em_access_cost(&w->worker->memory[m->memory_site], w->machine, true, bytes, address, p->mask);
        p->turns = c.turns;
        p->ideal = c.ideal;
    }
    p->known = true;
}

void em_pattern_lines(pattern *p, memory_stats *k, const machine *m, uint32_t bytes, uint64_t first) {
    uint64_t address[MAX_LANES];
    addresses_of(p, first, address);
    access_cost c = em_access_cost(k, m, false, bytes, address, p->mask);
    p->ideal = c.ideal;
    p->sectors[first & 127] = (uint8_t)c.sectors;
    p->lines[first & 127] = (uint8_t)c.lines;
}
