/* Global memory in a rehearsal: objects of which every thread of the launch has its own part. What block 0
 * touches is written down, place by place; other blocks touch the same, so much further on as their numbers
 * say. Blocks do not meet where no two places of block 0 are as far apart as two blocks can be. */
#include "detect/rehearsal.h"

#include <stdlib.h>

enum { MOST_TOUCHES = 1 << 17, MOST_PAIRS = 1 << 22 };

static bool is_asked(const kernel *k, uint32_t o) {
    if (k->objects[o].is_shared || k->objects[o].symbol || k->objects[o].is_unknown ||
        k->objects[o].state != OBJECT_TARGET)
        return false;
    for (uint32_t i = 0; i < k->object_count; i++)
        if (i != o && k->objects[i].group == k->objects[o].group &&
            (k->objects[i].read || k->objects[i].written))
            return false; /* the same memory by another name */
    return true;
}

/* The object that the access goes to, of those that are asked for. */
static global_object *object_of(rehearsal *r, const ls_ir_access *a) {
    const access_info *info = &r->k->accesses[a->id];
    return info->object != LS_IR_NONE && r->globals[info->object].open ? &r->globals[info->object] : NULL;
}

void dt_begin_globals(rehearsal *r) {
    r->globals = LS_NEW_N(r->arena, global_object, r->k->object_count + 1);
    for (uint32_t o = 0; o < r->k->object_count; o++) r->globals[o].open = is_asked(r->k, o);
}

void dt_need_globals(rehearsal *r) {
    for (uint32_t i = 0; i < r->k->ir->access_count; i++) {
        const ls_ir_access *a = r->k->ir->accesses[i];
        if (!object_of(r, a)) continue;
        if (a->instr->guard.value) dt_need(r, a->instr->guard.value);
        if (a->instr->src[a->src].value) dt_need(r, a->instr->src[a->src].value);
    }
}

static bool note_touches(rehearsal *r, global_object *o, const ls_ir_access *a, const number *n,
                         const crowd *who) {
    const uint32_t which = r->k->accesses[a->id].object, bytes = a->bytes * a->count;
    if (n->kind == UNKNOWN || n->rest.base != which + 1 || !bytes || a->opaque ||
        !r->k->accesses[a->id].certain || (o->any && memcmp(o->of, n->rest.of, sizeof o->of) != 0))
        return false;
    memcpy(o->of, n->rest.of, sizeof o->of), o->any = true;
    for (uint32_t t = 0; t < r->threads; t++) {
        if (!crowd_has(who, t)) continue;
        if (n->kind == EACH && !n->known[t]) return false;
        global_touch made = {.at = (n->kind == EACH ? n->each[t] : n->same) + a->instr->src[a->src].offset,
                             .thread = t,
                             .bytes = bytes,
                             .writes = a->kind != LS_ACCESS_READ};
        LS_VEC_PUSH(&o->touches, made);
    }
    return o->touches.length <= MOST_TOUCHES;
}

void dt_run_globals(rehearsal *r, const ls_ir_instr *instr, const crowd *who) {
    static const number nothing = {.kind = UNKNOWN};
    for (uint32_t i = 0; i < instr->access_count; i++) {
        const ls_ir_access *a = &instr->accesses[i];
        global_object *o = object_of(r, a);
        if (!o) continue;
        const ls_ir_value *pointer = instr->src[a->src].value;
        o->open = note_touches(r, o, a, pointer ? dt_number_of(r, pointer) : &nothing, who);
        r->budget -= r->budget < r->threads ? r->budget : r->threads;
    }
}

/* --- Whether threads meet
 * ------------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y) {
    const global_touch *a = x, *b = y;
    return a->at != b->at ? (a->at < b->at ? -1 : 1) : a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Each place once; false where two threads of the block meet. */
static bool sort_places(global_object *o) {
    uint32_t kept = 0;
    if (!o->touches.length) return true;
    qsort(o->touches.items, o->touches.length, sizeof *o->touches.items, by_place);
    for (uint32_t i = 0; i < o->touches.length; i++) {
        global_touch now = o->touches.items[i], *last = kept ? &o->touches.items[kept - 1] : NULL;
        if (last && last->at + last->bytes > now.at) {
            if (last->thread != now.thread || last->at != now.at || last->bytes != now.bytes) return false;
            last->writes |= now.writes;
            continue;
        }
        o->touches.items[kept++] = now;
    }
    o->touches.length = kept;
    return true;
}

/* The axes along which there are several blocks, those with the shortest way between two first. */
typedef struct {
    int64_t by[3], blocks[3];
    int count;
} axes;

static bool find_axes(const rehearsal *r, const global_object *o, axes *out) {
    out->count = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (r->launch->grid[axis] < 2) continue;
        int64_t by = o->of[axis], blocks = r->launch->grid[axis];
        if (by <= 0) return false;
        int at = out->count++;
        for (; at && out->by[at - 1] > by; at--)
            out->by[at] = out->by[at - 1], out->blocks[at] = out->blocks[at - 1];
        out->by[at] = by, out->blocks[at] = blocks;
    }
    return true;
}

/* Whether blocks are further apart than one is long. */
static bool is_in_one_piece(const global_object *o, const axes *a) {
    int64_t length = o->touches.items[o->touches.length - 1].at +
                     o->touches.items[o->touches.length - 1].bytes - o->touches.items[0].at;
    for (int i = 0; i < a->count; i++) {
        if (a->by[i] < length) return false;
        length += a->by[i] * (a->blocks[i] - 1);
    }
    return true;
}

/* Whether two blocks can be that far apart (in steps of the first axis), of which each axis's step is at
 * least as long as all blocks along those before it. */
static bool can_be_apart(const axes *a, int64_t distance, int axis, bool moved) {
    if (axis < 0) return distance == 0 && moved;
    int64_t step = a->by[axis] / a->by[0], first = distance / step;
    for (int64_t n = first - 1; n <= first + 1; n++)
        if (n > -a->blocks[axis] && n < a->blocks[axis] &&
            can_be_apart(a, distance - n * step, axis - 1, moved || n))
            return true;
    return false;
}

typedef struct {
    int64_t rest, turn;
} place;

static int by_rest(const void *x, const void *y) {
    const place *a = x, *b = y;
    return a->rest != b->rest ? (a->rest < b->rest ? -1 : 1) : a->turn < b->turn ? -1 : a->turn > b->turn;
}

/* Places that are the same but for steps of the first axis: how far are they apart? */
static bool blocks_are_apart(const rehearsal *r, const global_object *o, const axes *a) {
    const int64_t bytes = o->touches.items[0].bytes, step = a->by[0];
    uint64_t pairs = 0;
    place *all = LS_NEW_N(r->arena, place, o->touches.length);
    for (int i = 1; i < a->count; i++)
        if (a->by[i] % step || a->by[i] < a->by[i - 1] * a->blocks[i - 1]) return false;
    for (uint32_t i = 0; i < o->touches.length; i++) {
        const global_touch *t = &o->touches.items[i];
        if (t->bytes != bytes || t->at < 0 || t->at % bytes || step % bytes) return false;
        all[i] = (place){t->at % step, t->at / step};
    }
    qsort(all, o->touches.length, sizeof *all, by_rest);
    for (uint32_t i = 0, end; i < o->touches.length; i = end) {
        for (end = i; end < o->touches.length && all[end].rest == all[i].rest; end++)
            for (uint32_t n = i; n < end; n++)
                if (++pairs > MOST_PAIRS || can_be_apart(a, all[end].turn - all[n].turn, a->count - 1, false))
                    return false;
    }
    return true;
}

static bool is_own(const rehearsal *r, global_object *o) {
    axes a;
    if (!o->open || !sort_places(o)) return false;
    if (!o->touches.length) return true;
    if (!find_axes(r, o, &a)) return false;
    return is_in_one_piece(o, &a) || blocks_are_apart(r, o, &a);
}

void dt_end_globals(rehearsal *r, bool *own) {
    for (uint32_t o = 0; o < r->k->object_count; o++) {
        own[o] = own[o] && !r->failed && is_own(r, &r->globals[o]);
        LS_VEC_FREE(&r->globals[o].touches);
    }
}
