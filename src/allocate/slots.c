/* Slots for spilled variables. In local memory, which each thread has for itself, variables whose intervals
 * do not meet share a slot. In shared memory they do not: lanes that left a loop may be past a point that
 * others have yet to reach. Where shared memory is short, the variables that are referred to most (by loop
 * depth) get it and the others go to local memory. Requires a finished scan. */
#include "allocate/private.h"

#include <stdlib.h>

static uint32_t bytes_of(const web *w) {
    return w->bits <= 32 ? 4 : w->bits / 8;
}

/* --- Shared memory ---------------------------------------------------------------------------------------
 */
static int by_weight(const void *a, const void *b) {
    const web *x = *(web *const *)a, *y = *(web *const *)b;
    double wx = x->weight / bytes_of(x), wy = y->weight / bytes_of(y);
    if (wx != wy) return wx > wy ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void lay_out(job *j, web **list, uint32_t count) {
    for (uint32_t size = 8; size >= 4; size /= 2)
        for (uint32_t i = 0; i < count; i++)
            if (ls_in_shared(list[i]) && bytes_of(list[i]) == size) {
                list[i]->slot = j->shared_stride;
                j->shared_stride += size;
            }
    /* Bases of the warps stay aligned for 8 bytes. */
    if (j->warps > 1) j->shared_stride = (j->shared_stride + 7) & ~7u;
}

static void fill_shared(job *j) {
    web **list = LS_NEW_N(j->arena, web *, j->web_count + 1);
    uint32_t count = 0, used = 0;
    for (uint32_t w = 0; w < j->web_count; w++)
        if (j->webs[w].spilled && ls_in_shared(&j->webs[w])) list[count++] = &j->webs[w];
    if (!count) return;
    qsort(list, count, sizeof *list, by_weight);
    const char *limit;
    uint32_t registers = j->maxnreg ? j->maxnreg : j->words;
    uint32_t room = ls_shared_room(j, registers, &limit) / j->warps & ~7u;
    for (uint32_t i = 0; i < count; i++) {
        if (used + bytes_of(list[i]) <= room) {
            used += bytes_of(list[i]);
            continue;
        }
        list[i]->place = LS_PLACE_LOCAL;
        j->out->shared_refused++;
    }
    lay_out(j, list, count);
    if (j->out->shared_refused)
        ls_allocate_note(j,
                         "%u of %u variables that could be in shared memory are in local memory: %s "
                         "leaves %u bytes for each of %u warps",
                         j->out->shared_refused, count, limit, room, j->warps);
}

/* --- Local memory ----------------------------------------------------------------------------------------
 */
static int by_start(const void *a, const void *b) {
    const web *x = *(web *const *)a, *y = *(web *const *)b;
    return x->start < y->start ? -1 : x->start > y->start;
}

typedef struct {
    uint32_t offset, end;
} slot;

static void fill_local_of_size(job *j, web **list, uint32_t count, uint32_t size) {
    slot *slots = LS_NEW_N(j->arena, slot, count + 1);
    uint32_t slot_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (bytes_of(list[i]) != size) continue;
        uint32_t k = 0;
        while (k < slot_count && slots[k].end >= list[i]->start) k++;
        if (k == slot_count) {
            slots[slot_count++].offset = j->local_bytes;
            j->local_bytes += size;
        }
        slots[k].end = list[i]->end;
        list[i]->slot = slots[k].offset;
    }
}

static void fill_local(job *j) {
    web **list = LS_NEW_N(j->arena, web *, j->web_count + 1);
    uint32_t count = 0;
    for (uint32_t w = 0; w < j->web_count; w++)
        if (j->webs[w].spilled && j->webs[w].place == LS_PLACE_LOCAL) list[count++] = &j->webs[w];
    if (!count) return;
    qsort(list, count, sizeof *list, by_start);
    for (uint32_t size = 16; size >= 4; size /= 2) fill_local_of_size(j, list, count, size);
}

void ls_fill_slots(job *j) {
    j->local_bytes = j->shared_stride = 0;
    fill_shared(j);
    fill_local(j);
}
