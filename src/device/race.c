/* Which operations are ordered: vector clocks over the host and the streams. An operation comes after those
 * before it in its stream, after what the host knew to be done when it was submitted, after events that the
 * stream has waited for, and after what the legacy default stream orders. Where two that are not ordered
 * touch the same bytes, and one writes them, there is a race.
 *
 * The host is one thread here: its threads are taken to order their own calls. What the host waits for is
 * ordered before everything later, so that what is remembered of an allocation is forgotten then. */
#include "device/private.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_KEPT = 512 }; /* operations that are remembered of an allocation */

static uint32_t at(const clock_vector *c, uint32_t stream) {
    return stream < c->length ? c->items[stream] : 0;
}

static void set(clock_vector *c, uint32_t stream, uint32_t time) {
    while (c->length <= stream) LS_VEC_PUSH(c, 0);
    c->items[stream] = time;
}

void dv_clock_join(clock_vector *to, const clock_vector *from) {
    for (uint32_t k = 0; k < from->length; k++)
        if (from->items[k] > at(to, k)) set(to, k, from->items[k]);
}

/* The legacy stream waits for all that block, and they for it. */
static void join_default(ls_stream *s) {
    ls_dev *dev = s->dev;
    for (uint32_t k = 1; k < dev->streams.length; k++) {
        const ls_stream *other = dev->streams.items[k];
        if (!other || other == s || other->device != s->device) continue;
        bool blocks = !(other->flags & LS_STREAM_NON_BLOCKING), mine = !(s->flags & LS_STREAM_NON_BLOCKING);
        if ((s->is_legacy && blocks) || (other->is_legacy && mine)) dv_clock_join(&s->clock, &other->clock);
    }
}

void dv_begin(ls_stream *s) {
    if (!s->dev->racing) return;
    dv_clock_join(&s->clock, &s->dev->host);
    join_default(s);
    set(&s->clock, s->number, at(&s->clock, s->number) + 1);
}

static void free_touched(touched *t) {
    LS_VEC_FREE(&t->ranges);
}

/* Forgets what the host knows to be done. */
static void prune(const ls_dev *dev, touched_list *list) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < list->length; k++) {
        if (list->items[k].time <= at(&dev->host, list->items[k].stream))
            free_touched(&list->items[k]);
        else
            list->items[kept++] = list->items[k];
    }
    list->length = kept;
}

void dv_host_knows(ls_dev *dev, const clock_vector *clock) {
    dv_clock_join(&dev->host, clock);
}

static bool overlaps(const touched *t, uint64_t lo, uint64_t hi, uint64_t *where) {
    for (uint32_t k = 0; k < t->ranges.length; k++) {
        const byte_range *r = &t->ranges.items[k];
        if (r->lo < hi && lo < r->hi) {
            *where = r->lo > lo ? r->lo : lo;
            return true;
        }
    }
    return false;
}

static const char *text_of(const ls_dev *dev, bool early) {
    if (early)
        return "'%s' %s bytes before it waits for the previous launch (griddepcontrol.wait, "
               "cudaGridDependencySynchronize), and '%s' there %s them: it may still be running";
    return dev->options.words == LS_WORDS_OPENCL
               ? "'%s' %s bytes that '%s' %s, and no event, barrier or in-order queue orders the two commands"
               : "'%s' %s bytes that '%s' on another stream %s, and nothing orders the two";
}

static void report(ls_stream *s, const touched *before, uint64_t where, bool write, const char *what,
                   const stack *from, const memory_record *m, bool early) {
    ls_dev *dev = s->dev;
    char key[512];
    int n = snprintf(key, sizeof key, "stream race %s %s %d %d %d", what, before->what, write, before->write,
                     early);
    if (n < 0 || (size_t)n >= sizeof key || ls_map_get(&dev->said, key, (size_t)n)) return;
    *ls_map_at(&dev->said, ls_arena_strdup(&dev->arena, key), (size_t)n) = dev;
    ls_buf record = {0};
    dv_begin_finding(&record, "race.stream", LS_ERROR, NULL, 1, text_of(dev, early), what,
                     write ? "writes" : "reads", before->what, before->write ? "writes" : "reads");
    dv_put_stack(&record, "the later one", from);
    dv_put_stack(&record, "the other", &before->from);
    if (m) dv_put_memory(&record, m);
    ls_buf_printf(&record, "W\tbyte\t%llu\n", (unsigned long long)(m ? where - m->m.address : where));
    dv_tell(dev, &record);
}

static void remember(ls_stream *s, touched_list *list, uint64_t lo, uint64_t hi, bool write, bool rough,
                     const char *what, const stack *from) {
    uint32_t time = at(&s->clock, s->number);
    byte_range range = {lo, hi};
    if (list->length) { /* of the same operation? */
        touched *last = &list->items[list->length - 1];
        if (last->stream == s->number && last->time == time && last->write == write) {
            last->rough |= rough;
            LS_VEC_PUSH(&last->ranges, range);
            return;
        }
    }
    if (list->length >= MOST_KEPT) {
        free_touched(&list->items[0]);
        memmove(list->items, list->items + 1, --list->length * sizeof *list->items);
    }
    touched t = {
        .stream = s->number, .time = time, .write = write, .rough = rough, .what = what, .from = *from};
    LS_VEC_PUSH(&t.ranges, range);
    LS_VEC_PUSH(list, t);
}

void dv_touch(ls_stream *s, uint64_t address, uint64_t size, bool write, bool rough, const char *what,
              const stack *from) {
    ls_dev *dev = s->dev;
    memory_record *m = dv_find(dev, address);
    touched_list *list = m ? &m->touched : &dev->host_touched;
    if (!dev->racing || !size) return;
    prune(dev, list);
    for (uint32_t k = 0; k < list->length; k++) {
        const touched *t = &list->items[k];
        uint64_t where;
        if ((!write && !t->write) || t->time <= at(&s->clock, t->stream)) continue;
        if (rough || t->rough || !overlaps(t, address, address + size, &where)) continue;
        report(s, t, where, write, what, from, m, false);
    }
    remember(s, list, address, address + size, write, rough, what, from);
}

/* --- Dependent launches --- */
bool dv_follows_launch(ls_stream *s) {
    const uint32_t now = at(&s->clock, s->number), last = s->kernel_time;
    s->kernel_time = now;
    return last && last + 1 == now && at(&s->dev->host, s->number) < last;
}

void dv_touch_early(ls_stream *s, uint64_t address, uint64_t size, bool write, const char *what,
                    const stack *from) {
    memory_record *m = dv_find(s->dev, address);
    touched_list *list = m ? &m->touched : &s->dev->host_touched;
    const uint32_t now = at(&s->clock, s->number);
    for (uint32_t k = 0; k < list->length; k++) {
        const touched *t = &list->items[k];
        uint64_t where;
        if ((!write && !t->write) || t->stream != s->number || t->time + 1 != now || t->rough) continue;
        if (overlaps(t, address, address + size, &where)) report(s, t, where, write, what, from, m, true);
    }
}
