/* A proof's beginning and end, and what single passes keep in between. */
#include "verify/proof.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 64, FEW = 3 };

typedef struct ls_parts {
    ls_arena *arena;
    struct kept {
        const ls_part *kind;
        void *part;
    } all[MOST_PARTS]; /* those asked for often come among the first */
    uint32_t count;
} ls_parts;

void ls_proof_begin(ls_proof *p, const ls_ir_function *kernel, const ls_verify_options *options) {
    *p = (ls_proof){.f = kernel, .options = options};
    ls_arena_init(&p->arena);
    p->parts = LS_NEW(&p->arena, ls_parts);
    p->parts->arena = &p->arena;
}

void *ls_part_of(const ls_proof *p, const ls_part *kind) {
    ls_parts *parts = p->parts;
    for (uint32_t i = 0; i < parts->count; i++) {
        struct kept found = parts->all[i];
        if (found.kind != kind) continue;
        if (i > FEW) parts->all[i] = parts->all[i / 2], parts->all[i / 2] = found;
        return found.part;
    }
    assert(parts->count < MOST_PARTS);
    struct kept *kept = &parts->all[parts->count++];
    *kept = (struct kept){kind, ls_arena_zalloc(parts->arena, kind->size)};
    return kept->part;
}

void ls_proof_end(ls_proof *p) {
    for (uint32_t i = 0; i < p->parts->count; i++)
        if (p->parts->all[i].kind->end) p->parts->all[i].kind->end(p->parts->all[i].part);
    for (int m = 0; m < LS_ORDERS_COUNT; m++) {
        for (uint32_t i = 0; i < p->intervals[m].length; i++) LS_VEC_FREE(&p->intervals[m].items[i].events);
        LS_VEC_FREE(&p->intervals[m]);
    }
    LS_VEC_FREE(&p->whole_events);
    ls_intmap_free(&p->bound);
    ls_intmap_free(&p->parameter_keys);
    ls_map_free(&p->named);
    ls_cfg_free(p->cfg);
}
