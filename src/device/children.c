/* Kernels that kernels launch (dynamic parallelism). They run when the launch that makes them has ended,
 * block by block in the order of its calls, each with those that it launches itself; what is launched into
 * the tail stream comes after all others. That is an order which every program allows, as a kernel cannot
 * wait for another; memory that the first one writes after the call, and the other one reads, is not looked
 * at. Those that a launch puts on different streams are not ordered: each stream has a clock (race.c). */
#include "device/private.h"

#include "base/map.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_CHILDREN = 1 << 20, DEEPEST = 24 };
/* Of the device's runtime: the others are streams that a kernel has made. */
enum { TAIL_STREAM = 3, FREE_STREAM = 4, FIRST_MADE_STREAM = 6 };
enum { CUDA_INVALID_CONFIGURATION = 9, CUDA_TOO_DEEP = 65, CUDA_TOO_MANY = 69, CUDA_NO_FUNCTION = 98 };

int dv_take_child(void *children, const ls_emu_child *c) {
    child_list *list = children;
    ls_launch l = {.kernel = ls_dev_kernel_find(list->dev, list->module, c->kernel),
                   .shared_bytes = c->shared_bytes,
                   .params_size = c->params_size};
    if (!l.kernel) return CUDA_NO_FUNCTION;
    memcpy(l.grid, c->grid, sizeof l.grid);
    memcpy(l.block, c->block, sizeof l.block);
    if (!dv_launch_valid(list->dev, &l.kernel->info, &l)) return CUDA_INVALID_CONFIGURATION;
    if (list->depth >= DEEPEST) return CUDA_TOO_DEEP;
    if (list->items.length >= MOST_CHILDREN) return CUDA_TOO_MANY;
    l.params = calloc(1, c->params_size + 8);
    if (!l.params) return CUDA_TOO_MANY;
    if (c->params_size) memcpy(l.params, c->params, c->params_size);
    child_launch child = {l, c->by, list->items.length, c->stream == TAIL_STREAM, c->stream};
    LS_VEC_PUSH(&list->items, child);
    return 0;
}

static ls_dev_status family(ls_stream *s, const ls_launch *first, const stack *from, uint32_t depth,
                            uint32_t lanes);

static int by_order(const void *a, const void *b) {
    const child_launch *x = a, *y = b;
    if (x->tail != y->tail) return x->tail - y->tail;
    if (x->by != y->by) return x->by < y->by ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* --- Which of them may run at the same time --- */
enum { MOST_QUEUES = 256 }; /* that have clocks of their own: further ones share a clock with others */

typedef struct {
    ls_stream *lane;
    clock_vector clock; /* of what was run in it */
} queue;

typedef struct {
    LS_VEC(queue) items;
    ls_intmap numbers; /* stream of the device → number + 1 */
    clock_vector start, end;
    uint32_t first; /* lane */
} queues;

/* The default streams are a block's own, and what is launched to be forgotten waits for nothing. */
static uint64_t key_of(const child_launch *c) {
    if (c->stream >= FIRST_MADE_STREAM) return c->stream;
    return UINT64_C(1) << 63 |
           (c->stream == FREE_STREAM ? UINT64_C(1) << 62 | c->order : c->by << 3 | c->stream);
}

static uint32_t queue_of(queues *q, const child_launch *c) {
    uint64_t *number = ls_intmap_at(&q->numbers, key_of(c), NULL);
    if (!*number) {
        if (q->items.length < MOST_QUEUES) LS_VEC_PUSH(&q->items, (queue){0});
        *number = (q->numbers.count - 1) % MOST_QUEUES + 1;
    }
    return (uint32_t)*number - 1;
}

/* Whether the program has a call that makes one stream of the device wait for another, by an event: that is
 * not followed. The functions' own code is in the module, too, and calls none of these. */
static bool waits_for_events(const ls_dev_module *m) {
    static const char *const names[] = {"__cudaCDP2StreamWaitEvent", "cudaStreamWaitEvent"};
    for (int n = 0; n < 2; n++)
        for (const char *at = m->text; (at = strstr(at, names[n]));) {
            const bool part = at > m->text && (at[-1] == '_' || isalnum((unsigned char)at[-1]));
            at += strlen(names[n]);
            if (!strncmp(at, "_ptsz", 5)) at += 5;
            at += strspn(at, " \t\n");
            if (!part && *at == ',') return true; /* a call: its arguments follow */
        }
    return false;
}

/* Told once for the kernel that launches them. */
static void tell_not_compared(ls_dev *dev, const ls_dev_kernel *parent, const stack *from) {
    char key[512];
    int n = snprintf(key, sizeof key, "children of %s", parent->info.name);
    if (n < 0 || (size_t)n >= sizeof key || ls_map_get(&dev->said, key, (size_t)n)) return;
    *ls_map_at(&dev->said, ls_arena_strdup(&dev->arena, key), (size_t)n) = dev;
    ls_buf record = {0};
    dv_begin_finding(
        &record, "race.stream", LS_NOTE, parent, 1,
        "'%s' launches kernels on several streams, and some wait for events: whether those that may run "
        "at the same time touch the same bytes is not checked",
        parent->info.name);
    dv_put_stack(&record, "launched", from);
    dv_tell(dev, &record);
}

/* Gives each stream of theirs a clock, where there are several. */
static void open_queues(queues *q, ls_stream *s, const child_list *list, const ls_dev_kernel *parent,
                        const stack *from) {
    for (uint32_t k = 0; k < list->items.length; k++)
        if (!list->items.items[k].tail) queue_of(q, &list->items.items[k]);
    if (q->items.length < 2) return;
    if (waits_for_events(list->module)) {
        tell_not_compared(s->dev, parent, from);
        return;
    }
    s->dev->racing = true;
    dv_clock_join(&q->start, &s->clock);
    for (uint32_t k = 0; k < q->items.length; k++)
        q->items.items[k].lane = dv_lane(s->dev, &s->dev->child_lanes, q->first + k);
}

static ls_dev_status run_child(queues *q, ls_stream *s, const child_launch *c, const stack *from,
                               uint32_t depth) {
    queue *in = c->tail ? NULL : &q->items.items[queue_of(q, c)];
    if (!in || !in->lane) return family(s, &c->launch, from, depth, q->first);
    const lane_state kept = dv_enter_lane(s, in->lane, &q->start);
    dv_clock_join(&s->clock, &in->clock);
    dv_begin(s);
    ls_dev_status status = family(s, &c->launch, from, depth, q->first + q->items.length);
    dv_clock_join(&in->clock, &s->clock);
    dv_clock_join(&q->end, &s->clock);
    dv_leave_lane(s, in->lane, &kept);
    return status;
}

static void close_queues(queues *q) {
    for (uint32_t k = 0; k < q->items.length; k++) LS_VEC_FREE(&q->items.items[k].clock);
    LS_VEC_FREE(&q->items);
    LS_VEC_FREE(&q->start);
    LS_VEC_FREE(&q->end);
    ls_intmap_free(&q->numbers);
}

/* --- Running --- */
/* Those of one launch: all that may run at the same time, and then the tail, of which the last one is left to
 * the caller. */
static ls_dev_status run_children(ls_stream *s, child_list *list, const ls_dev_kernel *parent,
                                  const stack *from, uint32_t depth, uint32_t lanes, ls_dev_status status,
                                  ls_launch *next) {
    queues q = {.first = lanes};
    qsort(list->items.items, list->items.length, sizeof(child_launch), by_order);
    open_queues(&q, s, list, parent, from);
    bool joined = false;
    for (uint32_t k = 0; k < list->items.length; k++) {
        const child_launch *c = &list->items.items[k];
        if (c->tail && !joined) {
            dv_clock_join(&s->clock, &q.end);
            joined = true;
        }
        if (c->tail && k + 1 == list->items.length && status == LS_DEV_OK) {
            *next = c->launch;
            continue;
        }
        if (status == LS_DEV_OK) status = run_child(&q, s, c, from, depth + 1);
        free(c->launch.params);
    }
    if (!joined) dv_clock_join(&s->clock, &q.end);
    close_queues(&q);
    return status;
}

/* The last one of the tail takes the place of the launch that made it: such chains have no end that is known.
 */
static ls_dev_status family(ls_stream *s, const ls_launch *first, const stack *from, uint32_t depth,
                            uint32_t lanes) {
    ls_launch l = *first, next;
    void *owned = NULL; /* its parameters, where it is not the first */
    ls_dev_status status;
    for (;;) {
        child_list list = {.dev = s->dev, .module = l.kernel->info.module, .depth = depth};
        status = dv_run_launch(s, &l, from, &list);
        free(owned);
        next = (ls_launch){0};
        if (list.items.length) status = run_children(s, &list, l.kernel, from, depth, lanes, status, &next);
        LS_VEC_FREE(&list.items);
        if (!next.kernel) return status;
        l = next;
        owned = l.params;
    }
}

ls_dev_status dv_run_family(ls_stream *s, const ls_launch *first, const stack *from) {
    return family(s, first, from, 0, 0);
}
