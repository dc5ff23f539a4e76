/* Memory of which every thread has its own part: the paper skips variables "with affine array indices that
 * can be easily analyzed statically" (002, §5.1). The accesses to an object, in the whole kernel or in one
 * barrier interval, fall into groups whose bytes do not overlap. Threads never meet in a group where all
 * accesses have the same coefficients (linear.c) and these are a mixed radix, each at least as large as what
 * the smaller ones together can reach; nor where nobody writes. Constants and unknown parts are one more
 * digit, which is the same thread's. */
#include "detect/own.h"

#include "base/vec.h"

#include <stdlib.h>

/* An access: where it may go. */
typedef struct {
    linear at;
    int64_t extent[DIMENSIONS], fixed[DIMENSIONS], bytes;
    bool writes;
    int64_t from, to; /* all bytes that it may touch */
} footprint;

typedef LS_VEC(footprint) footprint_list;

static int by_start(const void *a, const void *b) {
    const footprint *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Where the access may go, as a form of all of the thread's numbers where that can be told, else of those
 * that conditions leave; shift: of the object in its group. False where it cannot be told. */
static bool add_footprint(footprint_list *list, const kernel *k, const ls_ir_access *access,
                          const ls_detect_launch *launch, int64_t shift, bool by_bits,
                          const bound_counters *counters) {
    decomposer plain = dt_decomposer(k, launch, by_bits);
    plain.counters = counters;
    decomposer d = plain;
    footprint f = {.bytes = (int64_t)access->bytes * access->count, .writes = access->kind != LS_ACCESS_READ};
    dt_apply_conditions(&d, access->instr);
    if (!k->accesses[access->id].certain || !f.bytes ||
        (!dt_access_offset(plain, access, &f.at) && !dt_access_offset(d, access, &f.at)))
        return false;
    linear rest = f.at;
    rest.constant = 0;
    int64_t reach = dt_highest(&d, &rest);
    if (reach < 0) return false;
    f.from = dt_lowest(&d, &f.at) + shift, f.to = f.at.constant + reach + f.bytes + shift;
    for (int i = 0; i < DIMENSIONS; i++) {
        f.extent[i] = d.extent[i], f.fixed[i] = d.extent[i] == 1 && d.fixed[i] < 0 ? 0 : d.fixed[i];
        if (d.fixed[i] > 0) f.to += f.at.of[i] * d.fixed[i];
    }
    f.at.constant += shift;
    LS_VEC_PUSH(list, f);
    return true;
}

bool dt_access_range(const kernel *k, const ls_ir_access *access, const ls_detect_launch *launch,
                     int64_t *from, int64_t *to) {
    bool known = false;
    for (int by_bits = 1; by_bits >= 0 && !known; by_bits--) {
        footprint_list list = {0};
        known = add_footprint(&list, k, access, launch, 0, by_bits, NULL);
        if (known) *from = list.items[0].from, *to = list.items[0].to;
        LS_VEC_FREE(&list);
    }
    return known;
}

/* Numbers of the thread that have the same value in all of these are constants; others may be anything up to
 * the highest value that they have in one. */
static void share_numbers(footprint *f, uint32_t count, int64_t *extent) {
    for (int n = 0; n < DIMENSIONS; n++) {
        bool same = f->fixed[n] >= 0;
        extent[n] = 1;
        for (uint32_t i = 0; i < count; i++) {
            int64_t values = f[i].fixed[n] >= 0 ? f[i].fixed[n] + 1 : f[i].extent[n];
            same &= f[i].fixed[n] == f->fixed[n];
            if (values > extent[n]) extent[n] = values;
        }
        for (uint32_t i = 0; i < count && same; i++) {
            f[i].at.constant += f[i].at.of[n] * f[i].fixed[n];
            f[i].at.of[n] = 0;
        }
        if (same) extent[n] = 1;
    }
}

/* Whether numbers of that many digits never give the same `width` bytes twice. */
static bool is_mixed_radix(const int64_t *of, const int64_t *extent, int digits, int64_t width) {
    int64_t reach = width;
    bool used[DIMENSIONS + 1] = {0};
    for (;;) {
        int least = -1;
        for (int i = 0; i < digits; i++)
            if (!used[i] && extent[i] > 1 && (least < 0 || of[i] < of[least])) least = i;
        if (least < 0) return true;
        if (of[least] < reach) return false;
        reach += of[least] * (extent[least] - 1);
        used[least] = true;
    }
}

/* Whether no two threads meet in this group of accesses. */
static bool is_own(footprint *f, uint32_t count, bool one_block) {
    int64_t of[DIMENSIONS + 1], extent[DIMENSIONS + 1] = {0}, width = 0;
    linear free = {0}; /* constants and unknown parts together */
    share_numbers(f, count, extent);
    int64_t first = f->at.constant, end = INT64_MIN;
    memcpy(of, f->at.of, sizeof f->at.of);
    for (uint32_t i = 0; i < count; i++) {
        if (memcmp(f[i].at.of, f->at.of, sizeof f->at.of) != 0) return false;
        if (f[i].at.constant < first) first = f[i].at.constant;
        if (f[i].at.constant + f[i].bytes > end) end = f[i].at.constant + f[i].bytes;
        if (f[i].bytes > width) width = f[i].bytes;
    }
    for (uint32_t i = 0; i < count; i++) {
        int64_t beside = f[i].at.constant - first;
        free = dt_sum(free, (linear){.step = f[i].at.step});
        free = dt_sum(free, (linear){.step = beside});
        if (beside + f[i].at.spread > free.constant) free.constant = beside + f[i].at.spread;
    }
    for (int i = BLOCK_X; i <= BLOCK_Z && one_block; i++) extent[i] = 1;
    of[DIMENSIONS] = free.step;
    extent[DIMENSIONS] = free.step ? free.constant / free.step + 1 : 1;
    bool unknown = false;
    for (uint32_t i = 0; i < count; i++) unknown |= f[i].at.step != 0;
    return is_mixed_radix(of, extent, DIMENSIONS + 1, width) ||
           (!unknown && is_mixed_radix(of, extent, DIMENSIONS, end - first));
}

static bool groups_are_own(footprint_list *list, bool one_block) {
    if (list->length) qsort(list->items, list->length, sizeof *list->items, by_start);
    for (uint32_t i = 0, end; i < list->length; i = end) {
        int64_t to = list->items[i].to;
        bool writes = list->items[i].writes;
        for (end = i + 1; end < list->length && list->items[end].from < to; end++) {
            if (list->items[end].to > to) to = list->items[end].to;
            writes |= list->items[end].writes;
        }
        if (writes && !is_own(list->items + i, end - i, one_block)) return false;
    }
    return true;
}

/* What is asked: of an object, or all that are in its group where the parameters say how far they are apart;
 * between threads of one block, or all. */
typedef struct {
    uint32_t of;
    bool whole_group, one_block;
} question;

static bool add_footprints(footprint_list *list, const kernel *k, const question *q,
                           const ls_detect_launch *launch, const own_part *part, bool by_bits) {
    bool own = true;
    for (uint32_t i = 0; i < k->ir->access_count && own; i++) {
        const ls_ir_access *access = k->ir->accesses[i];
        uint32_t to = k->accesses[i].object;
        int64_t shift = 0;
        if (part->instrs && !ls_bitset_has(part->instrs, access->instr->id)) continue;
        if (to == LS_IR_NONE) { /* it may go there */
            own = !(k->objects[q->of].is_shared ? k->accesses[i].in_shared : k->accesses[i].in_global);
            continue;
        }
        if (q->whole_group ? !dt_same_group(k, to, q->of) : to != q->of) continue;
        own = (!q->whole_group || dt_distance(k, q->of, to, launch, &shift)) &&
              add_footprint(list, k, access, launch, shift, by_bits, part->counters);
    }
    return own;
}

/* With the thread's number by its bits, or as it is. */
static bool is_own_in(const kernel *k, question q, const ls_detect_launch *launch, const own_part *parts,
                      uint32_t count) {
    bool own = false;
    for (int by_bits = 1; by_bits >= 0 && !own; by_bits--) {
        footprint_list list = {0};
        own = true;
        for (uint32_t i = 0; i < count && own; i++)
            own = add_footprints(&list, k, &q, launch, &parts[i], by_bits);
        own = own && groups_are_own(&list, q.one_block);
        LS_VEC_FREE(&list);
    }
    return own;
}

bool dt_own_in_parts(const kernel *k, uint32_t which, const ls_detect_launch *launch, const own_part *parts,
                     uint32_t count) {
    return is_own_in(k, (question){which, false, true}, launch, parts, count);
}

bool dt_every_thread_its_own(const kernel *k, uint32_t which, bool alone, const ls_detect_launch *launch) {
    return is_own_in(k, (question){which, !alone, k->objects[which].is_shared}, launch, &(own_part){0}, 1);
}

/* Whether another object may be the same memory. */
static bool has_aliases(const kernel *k, uint32_t which) {
    for (uint32_t i = 0; i < k->object_count; i++)
        if (i != which && k->objects[i].group == k->objects[which].group &&
            (k->objects[i].read || k->objects[i].written))
            return true;
    return false;
}

bool dt_region_is_own_in(kernel *k, const region *r, uint32_t which, const ls_detect_launch *launch) {
    return !has_aliases(k, which) &&
           (dt_own_in_parts(k, which, launch, &(own_part){.instrs = &r->flight}, 1) ||
            dt_own_in_turns(k, r, which, launch));
}

bool dt_region_is_own(kernel *k, const region *r, const ls_detect_launch *launch, bool shared) {
    ls_bitset written = ls_bitset_new(&k->arena, k->object_count);
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *access = k->ir->accesses[i];
        const access_info *info = &k->accesses[i];
        if (!(shared ? info->in_shared : info->in_global) || !ls_bitset_has(&r->flight, access->instr->id))
            continue;
        if (info->object == LS_IR_NONE || !info->certain) return false;
        if (access->kind != LS_ACCESS_READ && k->objects[info->object].state != OBJECT_ATOMIC)
            ls_bitset_add(&written, info->object);
    }
    for (uint32_t o = ls_bitset_next(&written, 0); o < k->object_count; o = ls_bitset_next(&written, o + 1))
        if (!dt_region_is_own_in(k, r, o, launch)) return false;
    return true;
}
