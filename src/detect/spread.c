/* Global memory in a rehearsal: objects of which every thread of the launch has its own part. What block 0
 * touches is written down, place by place; other blocks touch the same, so much further on as their numbers
 * say. Blocks do not meet where no two places of block 0 are as far apart as two blocks can be. */
#include "detect/rehearsal.h"

#include <stdlib.h>

enum { MOST_TOUCHES = 1 << 15, MOST_PAIRS = 1 << 22 };

/* Pointers that the launch was given, of which it is known how they lie to each other. */
static bool is_asked(rehearsal *r, uint32_t group) {
    const kernel *k = r->k;
    if (k->objects[group].is_shared || k->objects[group].group != group ||
        k->objects[group].state != OBJECT_TARGET)
        return false;
    for (uint32_t i = 0; i < k->object_count; i++) {
        const object *o = &k->objects[i];
        if (o->group != group || (!o->read && !o->written)) continue;
        if (o->symbol || o->is_unknown || !dt_distance(k, group, i, r->launch, &r->shift[i])) return false;
    }
    for (uint32_t i = 0; i < k->ir->access_count; i++)
        if (k->accesses[i].in_global && k->accesses[i].object == LS_IR_NONE) return false; /* anywhere */
    return true;
}

/* The access's place in the list, where it is one that is asked for; else NULL. */
static global_access *entry_of(rehearsal *r, const ls_ir_access *a) {
    const access_info *info = &r->k->accesses[a->id];
    return info->object != LS_IR_NONE && r->asked[r->k->objects[info->object].group] ? &r->globals[a->id]
                                                                                     : NULL;
}

void dt_begin_globals(rehearsal *r) {
    r->globals = LS_NEW_N(r->arena, global_access, r->k->ir->access_count + 1);
    r->asked = LS_NEW_N(r->arena, bool, r->k->object_count + 1);
    r->shift = LS_NEW_N(r->arena, int64_t, r->k->object_count + 1);
    for (uint32_t o = 0; o < r->k->object_count; o++) r->asked[o] = is_asked(r, o);
}

/* How many bytes a copy reads, or whether it reads none, where a register says so; else NULL. */
static ls_ir_value *size_of(const ls_ir_access *a) {
    enum { SIZE = 3 };
    for (uint32_t i = 0; i < a->instr->src_count && !a->bytes; i++)
        if (a->instr->src[i].operand == SIZE) return a->instr->src[i].value;
    return NULL;
}

/* Leaves those threads out whose copy reads nothing. */
static void leave_empty_copies(const rehearsal *r, const ls_ir_access *a, crowd *who) {
    ls_ir_value *size = size_of(a);
    const number *n = size ? dt_number_of(r, size) : NULL;
    if (!n || n->kind == UNKNOWN || !is_plain_number(n)) return;
    const bool ignored = size->type == LS_TYPE_PRED;
    for (uint32_t t = 0; t < r->threads; t++) {
        bool known = n->kind == SAME || n->known[t], set = (n->kind == SAME ? n->same : n->each[t]) != 0;
        if (known && set == ignored) who->words[t / 64] &= ~(UINT64_C(1) << (t % 64));
    }
}

void dt_need_globals(rehearsal *r) {
    for (uint32_t i = 0; i < r->k->ir->access_count; i++) {
        const ls_ir_access *a = r->k->ir->accesses[i];
        if (!entry_of(r, a)) continue;
        if (a->instr->guard.value) dt_need(r, a->instr->guard.value);
        if (a->instr->src[a->src].value) dt_need(r, a->instr->src[a->src].value);
        if (size_of(a)) dt_need(r, size_of(a));
    }
}

static void note_touch(rehearsal *r, global_access *e, int64_t at, uint32_t bytes, uint32_t thread,
                       bool writes) {
    int64_t from = at, to = at + bytes;
    for (int axis = 0; axis < 3; axis++) {
        int64_t more = e->of[axis] * ((int64_t)r->launch->grid[axis] - 1);
        *(more < 0 ? &from : &to) += more;
    }
    if (!e->any || from < e->from) e->from = from;
    if (!e->any || to > e->to) e->to = to;
    e->any = true, e->writes |= writes, e->full |= e->touches.length >= MOST_TOUCHES;
    if (!e->full) LS_VEC_PUSH(&e->touches, ((global_touch){at, thread, bytes, writes}));
}

/* False where it may be anywhere, or is not the same distance from block to block as before. */
static bool note_access(rehearsal *r, global_access *e, const ls_ir_access *a, const number *n,
                        const crowd *who) {
    const uint32_t group = r->k->objects[r->k->accesses[a->id].object].group, bytes = dt_bytes_of(a);
    if (n->kind == UNKNOWN || !n->rest.base || r->k->objects[n->rest.base - 1].group != group || !bytes ||
        a->opaque || !r->k->accesses[a->id].certain ||
        (e->any && memcmp(e->of, n->rest.of, sizeof e->of) != 0))
        return false;
    memcpy(e->of, n->rest.of, sizeof e->of);
    int64_t shift = r->shift[n->rest.base - 1] + a->instr->src[a->src].offset;
    for (uint32_t t = 0; t < r->threads; t++) {
        if (!crowd_has(who, t)) continue;
        if (n->kind == EACH && !n->known[t]) return false;
        note_touch(r, e, (n->kind == EACH ? n->each[t] : n->same) + shift, bytes, t,
                   a->kind != LS_ACCESS_READ);
    }
    return true;
}

void dt_run_globals(rehearsal *r, const ls_ir_instr *instr, const crowd *all) {
    static const number nothing = {.kind = UNKNOWN};
    for (uint32_t i = 0; i < instr->access_count; i++) {
        const ls_ir_access *a = &instr->accesses[i];
        global_access *e = entry_of(r, a);
        crowd who = *all;
        if (!e) continue;
        leave_empty_copies(r, a, &who);
        if (crowd_is_empty(&who)) continue;
        const ls_ir_value *pointer = instr->src[a->src].value;
        if (!note_access(r, e, a, pointer ? dt_number_of(r, pointer) : &nothing, &who))
            r->asked[r->k->objects[r->k->accesses[a->id].object].group] = false;
        spend(r, r->threads);
    }
}

/* --- Whether threads meet
 * ------------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y) {
    const global_touch *a = x, *b = y;
    return a->at != b->at ? (a->at < b->at ? -1 : 1) : a->thread < b->thread ? -1 : a->thread > b->thread;
}

typedef LS_VEC(global_touch) touch_list;

/* Each place once; false where two threads of the block meet. */
static bool sort_places(touch_list *list) {
    enum { MANY = UINT32_MAX }; /* threads that only read it */
    uint32_t kept = 0;
    if (!list->length) return true;
    qsort(list->items, list->length, sizeof *list->items, by_place);
    for (uint32_t i = 0; i < list->length; i++) {
        global_touch now = list->items[i], *last = kept ? &list->items[kept - 1] : NULL;
        if (!last || last->at + last->bytes <= now.at) {
            list->items[kept++] = now;
            continue;
        }
        if (last->at != now.at || last->bytes != now.bytes) return false;
        last->writes |= now.writes;
        if (last->thread != now.thread) last->thread = MANY;
        if (last->thread == MANY && last->writes) return false;
    }
    list->length = kept;
    return true;
}

/* The axes along which there are several blocks, those with the shortest way between two first. */
typedef struct {
    int64_t by[3], blocks[3];
    int count;
} axes;

static bool find_axes(const rehearsal *r, const int64_t *of, axes *out) {
    out->count = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (r->launch->grid[axis] < 2) continue;
        int64_t by = of[axis], blocks = r->launch->grid[axis];
        if (by <= 0) return false;
        int at = out->count++;
        for (; at && out->by[at - 1] > by; at--)
            out->by[at] = out->by[at - 1], out->blocks[at] = out->blocks[at - 1];
        out->by[at] = by, out->blocks[at] = blocks;
    }
    return true;
}

/* Whether blocks are further apart than one is long. */
static bool is_in_one_piece(const touch_list *list, const axes *a) {
    const global_touch *first = &list->items[0], *last = &list->items[list->length - 1];
    int64_t length = last->at + last->bytes - first->at;
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

/* Whether the places of one group are as far from each other as those of the other one. */
static bool has_same_distances(const place *a, uint32_t count, const place *b, uint32_t other) {
    bool same = count == other;
    for (uint32_t i = 1; i < count && same; i++) same = a[i].turn - a[0].turn == b[i].turn - b[0].turn;
    return same;
}

/* Places that are the same but for steps of the first axis: how far are they apart? */
static bool blocks_are_apart(const rehearsal *r, const touch_list *list, const axes *a) {
    const int64_t bytes = list->items[0].bytes, step = a->by[0];
    uint64_t pairs = 0;
    place *all = LS_NEW_N(r->arena, place, list->length);
    for (int i = 1; i < a->count; i++)
        if (a->by[i] % step || a->by[i] < a->by[i - 1] * a->blocks[i - 1]) return false;
    for (uint32_t i = 0; i < list->length; i++) {
        const global_touch *t = &list->items[i];
        const int64_t at = t->at - list->items[0].at;
        if (t->bytes != bytes || at % bytes || step % bytes) return false;
        all[i] = (place){at % step, at / step};
    }
    qsort(all, list->length, sizeof *all, by_rest);
    for (uint32_t i = 0, before = 0, end = 0; end < list->length; before = i) {
        for (i = end; end < list->length && all[end].rest == all[i].rest;) end++;
        if (i && has_same_distances(all + before, i - before, all + i, end - i)) continue;
        for (uint32_t n = i; n < end; n++)
            for (uint32_t m = n + 1; m < end; m++)
                if (++pairs > MOST_PAIRS || can_be_apart(a, all[m].turn - all[n].turn, a->count - 1, false))
                    return false;
    }
    return true;
}

/* Accesses whose ranges overlap, and with them others. */
static bool is_own(const rehearsal *r, global_access **accesses, uint32_t count) {
    axes a;
    touch_list list = {0};
    bool own = find_axes(r, accesses[0]->of, &a);
    for (uint32_t i = 0; i < count && own; i++) {
        own = !accesses[i]->full && memcmp(accesses[i]->of, accesses[0]->of, sizeof a.by) == 0;
        for (uint32_t t = 0; t < accesses[i]->touches.length && own; t++)
            LS_VEC_PUSH(&list, accesses[i]->touches.items[t]);
    }
    own = own && sort_places(&list) && (is_in_one_piece(&list, &a) || blocks_are_apart(r, &list, &a));
    LS_VEC_FREE(&list);
    return own;
}

static int by_start(const void *x, const void *y) {
    const global_access *const *a = x, *const *b = y;
    return (*a)->from<(*b)->from ? -1 : (*a)->from>(*b)->from;
}

/* Accesses to a group of objects fall into parts whose bytes do not overlap; where nobody writes, nobody
 * meets. */
static bool group_is_own(const rehearsal *r, uint32_t group) {
    uint32_t count = 0;
    global_access **all = LS_NEW_N(r->arena, global_access *, r->k->ir->access_count + 1);
    for (uint32_t i = 0; i < r->k->ir->access_count; i++) {
        const uint32_t o = r->k->accesses[i].object;
        if (o != LS_IR_NONE && r->k->objects[o].group == group && r->globals[i].any)
            all[count++] = &r->globals[i];
    }
    if (count) qsort(all, count, sizeof *all, by_start);
    for (uint32_t i = 0, end; i < count; i = end) {
        int64_t to = all[i]->to;
        bool writes = all[i]->writes;
        for (end = i + 1; end < count && all[end]->from < to; end++) {
            if (all[end]->to > to) to = all[end]->to;
            writes |= all[end]->writes;
        }
        if (writes && !is_own(r, all + i, end - i)) return false;
    }
    return true;
}

void dt_end_globals(rehearsal *r, bool *own) {
    for (uint32_t o = 0; o < r->k->object_count; o++) {
        const uint32_t group = r->k->objects[o].group;
        own[o] = own[o] && !r->failed && r->asked[group] && group_is_own(r, group);
    }
    for (uint32_t i = 0; i < r->k->ir->access_count; i++) LS_VEC_FREE(&r->globals[i].touches);
}
