/* Which pieces of shared memory the warps of a rehearsed block touch in a barrier interval. A copy by
 * cp.async writes, a product by wgmma reads what its descriptors name, from where it stands until its thread
 * has waited for its group: so those that a barrier finds under way touch the same in the next interval. */
#include "detect/instrument.h"
#include "detect/redirect.h"
#include "detect/rehearsal.h"
#include "isa/descriptor.h"
#include "isa/matrix.h"

enum { MANY = 255, MOST_UNDER_WAY = 512 };

/* --- What is looked at
 * --------------------------------------------------------------------------------------- */

/* Accesses that may go to shared memory in which plain accesses may race. */
static bool is_relevant(const kernel *k, const ls_ir_access *a) {
    const access_info *info = &k->accesses[a->id];
    if (!info->in_shared || info->object == LS_IR_NONE) return info->in_shared;
    const object *o = &k->objects[info->object];
    return o->state == OBJECT_TARGET || (o->state == OBJECT_ATOMIC && o->mixed);
}

static ls_ir_value *operand_value(const ls_ir_instr *instr, uint32_t operand) {
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (instr->src[i].operand == operand && instr->src[i].value) return instr->src[i].value;
    return NULL;
}

/* The distance between the lines of a tile that wmma moves, where the instruction says it. */
static ls_ir_value *stride_of(const ls_ir_instr *instr) {
    enum { STRIDE = 2 };
    return operand_value(instr, STRIDE);
}

static bool is_tile(const ls_ir_instr *instr) {
    ls_wmma_tile tile;
    return (instr->op == LS_OP_WMMA_LOAD || instr->op == LS_OP_WMMA_STORE) && instr->ast &&
           ls_wmma_tile_of(instr->form, &tile);
}

/* Their addresses are to be known. */
static bool is_looked_at(const kernel *k, const ls_ir_access *a) {
    return is_relevant(k, a) || (k->contents && k->accesses[a->id].in_shared);
}

void dt_need_touches(rehearsal *r) {
    for (uint32_t i = 0; i < r->k->ir->access_count; i++) {
        const ls_ir_access *a = r->k->ir->accesses[i];
        const ls_ir_instr *instr = a->instr;
        if (!is_looked_at(r->k, a)) continue;
        if (instr->guard.value) dt_need(r, instr->guard.value);
        if (is_product(a)) {
            for (uint32_t o = FACTOR_A; o <= FACTOR_B; o++)
                if (operand_value(instr, o)) dt_need(r, operand_value(instr, o));
            continue;
        }
        if (instr->src[a->src].value) dt_need(r, instr->src[a->src].value);
        if (is_tile(instr) && stride_of(instr)) dt_need(r, stride_of(instr));
    }
}

/* Accesses are at multiples of their size; matrices are in pieces of 16 bytes, but for those of wmma. */
static uint32_t least_bytes(const kernel *k) {
    uint32_t least = 16;
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *a = k->ir->accesses[i];
        uint32_t bytes = is_tile(a->instr) ? 4 : a->opaque ? 16 : a->bytes * a->count;
        if (is_looked_at(k, a) && bytes && bytes < least) least = bytes;
    }
    return least;
}

bool dt_may_be(const kernel *k, const access_info *info, uint32_t which) {
    return info->object == LS_IR_NONE || !info->certain ||
           k->objects[info->object].group == k->objects[which].group;
}

/* By region and object: whether an instruction of the region may write to it. */
static void find_written_objects(rehearsal *r) {
    const kernel *k = r->k;
    r->writes = LS_NEW_N(r->arena, bool, (size_t)k->region_count * k->object_count + 1);
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *a = k->ir->accesses[i];
        if (a->kind == LS_ACCESS_READ || !k->accesses[i].in_shared) continue;
        for (uint32_t n = 0; n < k->region_count; n++) {
            if (!ls_bitset_has(&k->regions[n].instrs, a->instr->id)) continue;
            for (uint32_t o = 0; o < k->object_count; o++)
                r->writes[n * k->object_count + o] |= dt_may_be(k, &k->accesses[i], o);
        }
    }
}

void dt_begin_touches(rehearsal *r) {
    r->granule = 31 - (uint32_t)__builtin_clz(least_bytes(r->k));
    r->marks = LS_NEW_N(r->arena, touched, (r->k->segment >> r->granule) + 1);
    r->wild = LS_NEW_N(r->arena, uint32_t, r->k->object_count);
    r->plain = LS_NEW_N(r->arena, uint32_t, r->k->object_count);
    r->atomic = LS_NEW_N(r->arena, uint32_t, r->k->object_count);
    r->meets = &r->bad[0];
    r->written = LS_NEW_N(r->arena, uint32_t, r->k->object_count);
    for (int i = 0; i < 2; i++) {
        r->committed[i] = LS_NEW_N(r->arena, uint32_t, r->threads);
        r->waited[i] = LS_NEW_N(r->arena, uint32_t, r->threads);
    }
    find_written_objects(r);
    dt_begin_contents(r);
    r->interval = 1;
}

/* --- Marks -------------------------------------------------------------------------------------------------
 */

static void meet(rehearsal *r) {
    *r->meets = true;
}

/* Who touches something: a warp, a lane of it, and whether others of its lanes do the same. */
typedef struct {
    uint32_t warp;
    uint16_t lane;
    bool several;
} toucher;

/* Another lane of the warp, with no barrier of the warp in between. */
static bool other_lane(const rehearsal *r, const toucher *by, uint16_t lane, uint32_t turn) {
    return lane != by->lane && lane != WHOLE_WARP && by->lane != WHOLE_WARP && turn == r->turns[by->warp];
}

static bool meets_write(const rehearsal *r, const touched *m, const toucher *by) {
    return m->wrote == r->interval &&
           (m->writer != by->warp || other_lane(r, by, m->writer_lane, m->wrote_turn) ||
            (by->several && m->wrote_turn == r->turns[by->warp]));
}

static bool meets_read(const rehearsal *r, const touched *m, const toucher *by) {
    return m->read == r->interval &&
           (m->many || m->reader != by->warp || other_lane(r, by, m->reader_lane, m->read_turn) ||
            (m->lanes && m->read_turn == r->turns[by->warp]));
}

static void touch_piece(rehearsal *r, touched *m, const toucher *by, bool writes) {
    const uint32_t turn = r->turns[by->warp];
    if (meets_write(r, m, by)) meet(r);
    if (writes) {
        bool same_store = m->wrote == r->interval && m->store == r->stores; /* another lane's */
        if (same_store || meets_read(r, m, by)) meet(r);
        m->wrote = r->interval, m->store = r->stores, m->wrote_turn = turn;
        m->writer = (uint8_t)by->warp, m->writer_lane = by->lane;
        return;
    }
    bool again = m->read == r->interval, same_warp = again && m->reader == by->warp;
    m->many = again && (m->many || !same_warp);
    m->lanes = by->several || (same_warp && m->read_turn == turn && (m->lanes || m->reader_lane != by->lane));
    m->read = r->interval, m->read_turn = turn;
    m->reader = (uint8_t)by->warp, m->reader_lane = by->lane;
}

/* Bytes of the segment. */
static void touch(rehearsal *r, int64_t at, uint32_t bytes, const toucher *by, bool writes) {
    if (at < 0 || (uint64_t)at + bytes > r->k->segment) {
        meet(r);
        return;
    }
    uint64_t first = (uint64_t)at >> r->granule, last = ((uint64_t)at + bytes - 1) >> r->granule;
    for (uint64_t i = first; i <= last; i++) touch_piece(r, &r->marks[i], by, writes);
    spend(r, last - first + 1);
}

/* The access may be anywhere in its object; or, where that is not known either, in any. */
static void touch_anything(rehearsal *r, const ls_ir_access *a, bool writes) {
    const access_info *info = &r->k->accesses[a->id];
    if (writes) meet(r);
    for (uint32_t o = 0; o < r->k->object_count; o++) {
        if (!r->k->objects[o].is_shared || !dt_may_be(r->k, info, o)) continue;
        r->wild[o] = r->interval;
        if (writes || r->written[o] == r->interval) meet(r);
    }
}

/* Writes to an object that somebody may read anywhere. */
static void note_write(rehearsal *r, const ls_ir_access *a) {
    const access_info *info = &r->k->accesses[a->id];
    for (uint32_t o = 0; o < r->k->object_count; o++) {
        if (!dt_may_be(r->k, info, o)) continue;
        r->written[o] = r->interval;
        if (r->wild[o] == r->interval) meet(r);
    }
}

/* The bytes that the access may touch: what leaves its object is in another one. */
typedef struct {
    int64_t from, to;
} bounds;

static bounds bounds_of(const rehearsal *r, const ls_ir_access *a) {
    const access_info *info = &r->k->accesses[a->id];
    if (info->object == LS_IR_NONE || !info->certain) return (bounds){0, INT64_MAX};
    const object *o = &r->k->objects[info->object];
    return (bounds){(int64_t)o->layout, (int64_t)(o->layout + o->size)};
}

static bool is_inside(bounds b, int64_t at, uint32_t bytes) {
    return at >= b.from && at + bytes <= b.to;
}

/* --- Accesses
 * ------------------------------------------------------------------------------------------------ */

bool dt_place_in(const number *address, int64_t offset, uint32_t t, int64_t *at) {
    *at = (int64_t)(uint32_t)((address->kind == EACH ? address->each[t] : address->same) + offset);
    return address->kind == SAME || (address->kind == EACH && address->known[t]);
}

/* Places that lanes of one warp read with one instruction, each looked at once, or twice where several do. */
enum { RECENT = 4 };
typedef struct {
    int64_t at[RECENT];
    bool several[RECENT];
    uint32_t count;
} recent_places;

/* Whether it is known already; notes it, and whether several lanes have it. */
static bool is_recent(recent_places *p, int64_t at, bool *several) {
    for (uint32_t i = 0; i < RECENT && i < p->count; i++) {
        if (p->at[i] != at) continue;
        bool known = p->several[i];
        *several = p->several[i] = true;
        return known;
    }
    p->at[p->count % RECENT] = at, p->several[p->count % RECENT] = false;
    p->count++;
    *several = false;
    return false;
}

/* The lanes of one warp. */
static void touch_warp(rehearsal *r, const ls_ir_access *a, const number *address, uint32_t bytes, uint32_t w,
                       uint32_t lanes) {
    const bool writes = a->kind != LS_ACCESS_READ;
    const int64_t offset = a->instr->src[a->src].offset;
    const bounds inside = bounds_of(r, a);
    recent_places recent = {.count = 0};
    toucher by = {.warp = w};
    for (bool all = address->kind == SAME && !writes, last = false; lanes && !last; lanes &= lanes - 1) {
        int64_t at;
        by.lane = (uint16_t)__builtin_ctz(lanes);
        if (!dt_place_in(address, offset, 32 * w + by.lane, &at)) {
            touch_anything(r, a, writes);
            continue;
        }
        if (!writes && is_recent(&recent, at, &by.several)) continue;
        if (all) by.several = lanes & (lanes - 1), last = true;
        if (!is_inside(inside, at, bytes)) meet(r);
        touch(r, at, bytes, &by, writes);
    }
}

static void touch_lanes(rehearsal *r, const ls_ir_access *a, const number *address, uint32_t bytes,
                        uint32_t rows, const crowd *who) {
    for (uint32_t w = 0; w < r->warps; w++) {
        uint32_t lanes = crowd_warp(who, w);
        if (rows < 32) lanes &= (1u << rows) - 1;
        touch_warp(r, a, address, bytes, w, lanes);
    }
    spend(r, r->warps);
}

/* All lanes of a warp together: lines of a tile. */
static void touch_tile(rehearsal *r, const ls_ir_access *a, const number *address, const crowd *who) {
    ls_wmma_tile tile;
    const ls_ir_instr *instr = a->instr;
    const ls_ir_value *given = stride_of(instr);
    const bool writes = a->kind != LS_ACCESS_READ, known = ls_wmma_tile_of(instr->form, &tile);
    const number *stride = given ? dt_number_of(r, given) : NULL;
    if (!known || (stride && (stride->kind != SAME || !is_plain_number(stride)))) {
        touch_anything(r, a, writes);
        return;
    }
    int64_t apart = (stride ? stride->same : tile.elements) * (int64_t)tile.element_bits / 8;
    for (uint32_t w = 0; w < r->warps; w++) {
        uint32_t lanes = crowd_warp(who, w);
        int64_t at;
        const toucher by = {w, WHOLE_WARP, false};
        if (!lanes) continue;
        if (!dt_place_in(address, instr->src[a->src].offset, 32 * w + (uint32_t)__builtin_ctz(lanes), &at)) {
            touch_anything(r, a, writes);
            continue;
        }
        for (uint32_t line = 0; line < tile.lines; line++) {
            if (!is_inside(bounds_of(r, a), at + line * apart, tile.line_bits / 8)) meet(r);
            touch(r, at + line * apart, tile.line_bits / 8, &by, writes);
        }
    }
}

static void depart_copy(rehearsal *r, const ls_ir_access *a, const number *address, uint32_t bytes,
                        const crowd *who) {
    if (!dt_is_under_way(r->k, a)) return;
    if (r->under_way[0].length >= MOST_UNDER_WAY) {
        r->failed = "too many copies in flight";
        return;
    }
    departure d = {.instr = a->instr, .who = *who, .bytes = bytes};
    spend(r, r->threads);
    d.group = LS_NEW_N(r->arena, uint32_t, r->threads);
    d.place = LS_NEW_N(r->arena, int64_t, r->threads);
    memcpy(d.group, r->committed[0], sizeof *d.group * r->threads);
    for (uint32_t t = 0; t < r->threads; t++)
        if (!dt_place_in(address, a->instr->src[a->src].offset, t, &d.place[t])) d.place[t] = -1;
    LS_VEC_PUSH(&r->under_way[0], d);
}

/* Of an object that atomic operations are used on: in an interval they may be alone, or plain accesses. Sets
 * where it is noted that somebody meets; false where there is nothing more to look at. */
static bool is_plain_access(rehearsal *r, const ls_ir_access *a) {
    const uint32_t o = r->k->accesses[a->id].object;
    r->meets = &r->bad[r->region];
    if (o == LS_IR_NONE || r->k->objects[o].state != OBJECT_ATOMIC) return true;
    r->meets = &r->met[o];
    const bool atomic = a->kind == LS_ACCESS_ATOMIC;
    *(atomic ? &r->atomic[o] : &r->plain[o]) = r->interval;
    if (r->atomic[o] == r->plain[o]) meet(r);
    return !atomic;
}

/* A read of an object that nobody writes to in this interval, nor a copy that is under way: all that is to be
 * seen is that it stays inside. */
static bool is_undisturbed(const rehearsal *r, const ls_ir_access *a) {
    const access_info *info = &r->k->accesses[a->id];
    return a->kind == LS_ACCESS_READ && info->certain && info->object != LS_IR_NONE &&
           !r->under_way[0].length && !r->writes[r->region * r->k->object_count + info->object];
}

/* Whether all those threads have addresses from which that many bytes are inside. */
static bool are_inside(const rehearsal *r, const ls_ir_access *a, const number *address, uint32_t bytes,
                       const crowd *who) {
    const bounds inside = bounds_of(r, a);
    const int64_t offset = a->instr->src[a->src].offset;
    int64_t at;
    if (address->kind != EACH) return dt_place_in(address, offset, 0, &at) && is_inside(inside, at, bytes);
    if (inside.to - inside.from < bytes) return false;
    const uint64_t last = (uint64_t)(inside.to - inside.from) - bytes;
    const bool all = crowd_equal(who, &r->everyone);
    bool outside = false;
    for (uint32_t t = 0; t < r->threads; t++) {
        at = (int64_t)(uint32_t)(address->each[t] + offset);
        outside |= (!address->known[t] | ((uint64_t)(at - inside.from) > last)) & (all || crowd_has(who, t));
    }
    return !outside;
}

static void run_access(rehearsal *r, const ls_ir_access *a, const crowd *who) {
    const ls_ir_instr *instr = a->instr;
    static const number nothing = {.kind = UNKNOWN};
    const ls_ir_value *pointer = instr->src[a->src].value;
    const number *address = pointer ? dt_number_of(r, pointer) : &nothing;
    if (!is_plain_number(address)) address = &nothing;
    const uint32_t rows = dt_matrix_rows(a), bytes = rows ? LS_MATRIX_ROW_BYTES : a->bytes * a->count;
    const bool writes = a->kind != LS_ACCESS_READ;
    r->stores++;
    if (!is_plain_access(r, a)) return;
    if (writes) note_write(r, a);
    if (is_tile(instr))
        touch_tile(r, a, address, who);
    else if (!bytes || (a->opaque && !rows))
        touch_anything(r, a, writes);
    else if (is_undisturbed(r, a) && are_inside(r, a, address, bytes, who))
        spend(r, r->warps);
    else
        touch_lanes(r, a, address, bytes, rows ? rows : 32, who);
    if (instr->form->opcode->copy == LS_COPY_START && writes) depart_copy(r, a, address, bytes, who);
}

/* --- Products
 * -------------------------------------------------------------------------------------------------- */

/* Those of B are read by all warps, of A each reads its own rows. */
static void touch_factor(rehearsal *r, const product_factor *f, uint64_t descriptor, bool is_a,
                         const crowd *who) {
    ls_matrix_layout layout;
    if (!ls_matrix_layout_of(descriptor, &layout)) {
        meet(r);
        return;
    }
    for (uint32_t w = 0; w < r->warps; w++) {
        if (!crowd_warp(who, w)) continue;
        const toucher by = {w, WHOLE_WARP, false};
        uint32_t first = is_a ? w % 4 : 0;
        for (uint32_t n = 0; n < f->lines * f->across; n++) {
            uint32_t outer = n / f->across, piece = n % f->across;
            if (f->along_k)
                outer += first * WARP_ROWS;
            else
                piece += first * f->across;
            touch(r, ls_matrix_piece(&layout, f->along_k, outer, piece), 16, &by, false);
        }
    }
}

static void touch_product(rehearsal *r, const ls_ir_instr *instr, uint64_t of_a, uint64_t of_b,
                          const crowd *who) {
    product_factor a, b;
    if (!dt_factors_of(instr, &a, &b)) {
        meet(r);
        return;
    }
    if (a.descriptor) touch_factor(r, &a, of_a, true, who);
    touch_factor(r, &b, of_b, false, who);
}

/* A descriptor that all threads have alike. */
static bool descriptor_of(const rehearsal *r, const ls_ir_instr *instr, uint32_t operand, const crowd *who,
                          uint64_t *out) {
    const ls_ir_value *value = operand_value(instr, operand);
    const number *n = value ? dt_number_of(r, value) : NULL;
    int64_t found = 0;
    bool any = false;
    if (!n || n->kind == UNKNOWN || !is_plain_number(n)) return false;
    for (uint32_t t = 0; t < r->threads && n->kind == EACH; t++) {
        if (!crowd_has(who, t)) continue;
        if (!n->known[t] || (any && n->each[t] != found)) return false;
        found = n->each[t], any = true;
    }
    *out = (uint64_t)(n->kind == SAME ? n->same : found);
    return true;
}

/* Groups of warps have their own descriptors. */
static void run_product(rehearsal *r, const ls_ir_access *access, const crowd *who) {
    product_factor a, b;
    r->meets = &r->bad[r->region];
    const ls_ir_instr *instr = access->instr;
    for (uint32_t first = 0; first < r->warps; first += 4) {
        departure d = {.instr = instr};
        d.who.words[first / 2] = who->words[first / 2];
        if (first / 2 + 1 < CROWD_WORDS) d.who.words[first / 2 + 1] = who->words[first / 2 + 1];
        if (crowd_is_empty(&d.who)) continue;
        bool known = dt_factors_of(instr, &a, &b) && descriptor_of(r, instr, FACTOR_B, &d.who, &d.of_b) &&
                     (!a.descriptor || descriptor_of(r, instr, FACTOR_A, &d.who, &d.of_a));
        if (!known) {
            r->failed = "a matrix product whose operands are not known";
            return;
        }
        touch_product(r, instr, d.of_a, d.of_b, &d.who);
        if (!dt_is_under_way(r->k, access)) continue;
        if (r->under_way[1].length >= MOST_UNDER_WAY) r->failed = "too many matrix products in flight";
        spend(r, r->threads);
        d.group = LS_NEW_N(r->arena, uint32_t, r->threads);
        memcpy(d.group, r->committed[1], sizeof *d.group * r->threads);
        LS_VEC_PUSH(&r->under_way[1], d);
    }
}

/* --- Groups and barriers
 * ------------------------------------------------------------------------------------------ */

static void run_groups(rehearsal *r, const ls_ir_instr *instr, ls_ptx_copy role, bool product,
                       const crowd *who) {
    crowd open = *who;
    ls_ir_value *given = instr->src_count == 1 ? instr->src[0].value : NULL;
    uint64_t left = 0;
    crowd_keep(&open, &r->may);
    if (instr->guard.kind != LS_IR_ABSENT || !crowd_is_empty(&open)) {
        if (role == LS_COPY_COMMIT) r->failed = "copy groups that are committed under an unknown condition";
        return;
    }
    if (role == LS_COPY_WAIT && (!given || !ls_ir_constant(given, &left))) return;
    spend(r, r->threads);
    for (uint32_t t = 0; t < r->threads; t++) {
        if (!crowd_has(who, t)) continue;
        uint32_t *committed = &r->committed[product][t], *waited = &r->waited[product][t];
        if (role == LS_COPY_COMMIT)
            ++*committed;
        else if (role == LS_COPY_WAIT_ALL) /* those that were not committed, too */
            *waited = ++*committed;
        else if (*committed >= left && *committed - left > *waited)
            *waited = (uint32_t)(*committed - left);
    }
}

/* Who of it is still under way. */
static crowd still(rehearsal *r, const departure *d, bool product) {
    crowd left = {0};
    spend(r, r->threads);
    for (uint32_t t = 0; t < r->threads; t++)
        if (crowd_has(&d->who, t) && d->group[t] >= r->waited[product][t]) crowd_add(&left, t);
    return left;
}

static void go_on(rehearsal *r, departure *d, bool product) {
    r->stores++;
    if (product) {
        touch_product(r, d->instr, d->of_a, d->of_b, &d->who);
        return;
    }
    for (uint32_t t = 0; t < r->threads; t++) {
        if (!crowd_has(&d->who, t)) continue;
        if (d->place[t] < 0)
            meet(r);
        else
            touch(r, d->place[t], d->bytes, &(toucher){t / 32, t % 32, false}, true);
    }
    for (uint32_t o = 0; o < r->k->object_count; o++)
        if (r->k->objects[o].is_shared) r->written[o] = r->interval;
}

void dt_next_interval(rehearsal *r, uint32_t begins) {
    r->interval++, r->region = begins;
    r->meets = &r->bad[begins];
    for (int product = 0; product < 2; product++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < r->under_way[product].length; i++) {
            departure *d = &r->under_way[product].items[i];
            d->who = still(r, d, product);
            if (crowd_is_empty(&d->who)) continue;
            go_on(r, d, product);
            r->under_way[product].items[kept++] = *d;
        }
        r->under_way[product].length = kept;
    }
}

/* __syncwarp() of all lanes that are still there. */
static void run_warp_barrier(rehearsal *r, const ls_ir_instr *instr, const crowd *who) {
    uint64_t mask;
    if (instr->src_count != 1 || !instr->src[0].value || !ls_ir_constant(instr->src[0].value, &mask)) return;
    for (uint32_t w = 0; w < r->warps; w++) {
        uint32_t lanes = crowd_warp(&r->alive, w);
        if (lanes && crowd_warp(who, w) == lanes && !(lanes & ~mask) && !(crowd_warp(&r->may, w) & lanes))
            r->turns[w]++;
    }
}

bool dt_acts(const rehearsal *r, const ls_ir_instr *instr) {
    bool product;
    for (uint32_t i = 0; i < instr->access_count; i++) {
        const access_info *info = &r->k->accesses[instr->accesses[i].id];
        if (info->in_shared || info->in_global) return true;
    }
    return dt_role_beside(instr, &product) != LS_COPY_NONE ||
           instr->form->opcode->barrier == LS_BARRIER_WARP || instr->op == LS_OP_WGMMA_MMA_ASYNC;
}

void dt_run_touches(rehearsal *r, const ls_ir_instr *instr, const crowd *all) {
    bool product;
    crowd who = *all, fails, open, sure = *all;
    ls_ptx_copy role = dt_role_beside(instr, &product);
    if (instr->guard.value) {
        dt_split(r, dt_number_of(r, instr->guard.value), instr->guard.flags & LS_OPERAND_NOT, all, &who,
                 &fails, &open);
        sure = who;
        crowd_join(&who, &open);
    } else if (instr->guard.kind != LS_IR_ABSENT) {
        sure = (crowd){0};
    }
    crowd_leave(&sure, &r->may);
    if (crowd_is_empty(&who)) return;
    if (role == LS_COPY_COMMIT || role == LS_COPY_WAIT || role == LS_COPY_WAIT_ALL)
        run_groups(r, instr, role, product, &who);
    if (instr->form->opcode->barrier == LS_BARRIER_WARP) run_warp_barrier(r, instr, &who);
    if (instr->op == LS_OP_WGMMA_MMA_ASYNC) {
        const ls_ir_access *access = dt_product_of(r->k, instr);
        if (access && is_relevant(r->k, access)) run_product(r, access, &who);
    }
    for (uint32_t i = 0; i < instr->access_count; i++)
        if (is_relevant(r->k, &instr->accesses[i])) run_access(r, &instr->accesses[i], &who);
    dt_run_contents(r, instr, &who, &sure);
    if (instr->access_count) dt_run_globals(r, instr, &who);
}
