/* What a program of tests/replay/program.h does wrong, found out without any of the code that is tested:
 * every thread is followed to its end, the threads of a block are brought together at barriers and operations
 * of lanes, and every two accesses that overlap are looked at. No value that is loaded matters, so that one
 * execution stands for all: two accesses race in some execution where barriers do not order them and they are
 * not morally strong. (Releases and acquires do not help them: there is an execution in which the weak one of
 * the two comes first, before anything behind the other one.) */
#ifndef LS_TESTS_REPLAY_REFERENCE_H
#define LS_TESTS_REPLAY_REFERENCE_H

#include "program.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = ROUNDS * MOST_STATEMENTS + 1, MOST_BLOCK = 64, MOST_GRID = 2 };
/* WRONG_OPEN: a barrier of fewer threads than come to it, two with one number at the same time, or one that
 * is not aligned and that some go round: nothing is said of it. */
enum { WRONG_RACE = 1, WRONG_BARRIER = 2, WRONG_TRAP = 4, WRONG_OPEN = 8 };

/* What a thread does, in order. `at` tells statements and rounds apart, and which is first. */
typedef struct {
    const statement *does; /* NULL: it leaves the kernel */
    uint32_t at;
    uint32_t address; /* of an access */
    uint64_t value;
    uint32_t segment; /* how many events that order it came before */
} event;

typedef struct {
    event events[MOST_EVENTS];
    uint32_t count, next;
    uint32_t clock[MOST_BLOCK]; /* by thread of the block: so many of its segments come before */
    bool traps, returned;
} thread_run;

typedef struct {
    uint32_t clock[MOST_BLOCK];
} moment;

typedef struct {
    const program *p;
    thread_run threads[MOST_GRID][MOST_BLOCK];
    moment moments[MOST_GRID][MOST_BLOCK][MOST_EVENTS + 1]; /* by segment */
    int wrong;
} reference;

/* --- What each thread does --- */
static inline bool follow(thread_run *t, const program *p, place *at, uint32_t from, uint32_t to,
                          uint32_t base);

static inline void record(thread_run *t, const statement *s, const place *at, uint32_t order) {
    event *e = &t->events[t->count++];
    *e = (event){.does = s, .at = order};
    if (s->does != DO_ACCESS) return;
    const memory_access *a = &s->access;
    e->address = index_value(&a->index, at) * a->bytes;
    e->value = a->value == OF_NOTHING ? a->number : source_value(a->value, at);
}

/* False where the thread has left. */
static inline bool follow_loop(thread_run *t, const program *p, place *at, uint32_t n) {
    const statement *s = &p->statements[n];
    for (at->round = 0; at->round < ROUNDS; at->round++) {
        if (!follow(t, p, at, n + 1, s->end, n << 20 | (at->round + 1) << 10)) return false;
        if (condition_holds(&s->when, at)) break;
    }
    return true;
}

static inline bool follow(thread_run *t, const program *p, place *at, uint32_t from, uint32_t to,
                          uint32_t base) {
    for (uint32_t n = from; n < to; n++) {
        const statement *s = &p->statements[n];
        const uint32_t order = base ? base + n : n << 20;
        switch (s->does) {
        case DO_RETURN:
            if (!condition_holds(&s->when, at)) break;
            t->events[t->count++] = (event){.at = order};
            t->returned = true;
            return false;
        case DO_TRAP:
            t->traps |= condition_holds(&s->when, at);
            if (t->traps) return false;
            break;
        case DO_IF:
            if (condition_holds(&s->when, at) && !follow(t, p, at, n + 1, s->end, base)) return false;
            n = s->end - 1;
            break;
        case DO_LOOP:
            if (!follow_loop(t, p, at, n)) return false;
            n = s->end - 1;
            break;
        case DO_FENCE: break;
        default: record(t, s, at, order);
        }
    }
    return true;
}

/* --- Bringing them together --- */
static inline const event *waits_at(const thread_run *t) {
    return &t->events[t->next];
}

/* To the next event at which it may wait, or its end. */
static inline void advance(reference *r, uint32_t block, uint32_t thread) {
    thread_run *t = &r->threads[block][thread];
    while (t->next + 1 < t->count && waits_at(t)->does && waits_at(t)->does->does == DO_ACCESS)
        t->events[t->next++].segment = t->clock[thread];
    memcpy(r->moments[block][thread][t->clock[thread]].clock, t->clock, sizeof t->clock);
}

/* These threads have met: what each did before is before what all do from now on, where that orders memory.
 */
static inline void meet(reference *r, uint32_t block, uint64_t who, bool orders) {
    uint32_t all[MOST_BLOCK] = {0};
    for (uint32_t k = 0; k < r->p->block; k++) {
        const thread_run *t = &r->threads[block][k];
        if (!(who >> k & 1)) continue;
        for (uint32_t j = 0; j < r->p->block; j++)
            if (t->clock[j] > all[j]) all[j] = t->clock[j];
    }
    for (uint32_t k = 0; k < r->p->block; k++) {
        thread_run *t = &r->threads[block][k];
        if (!(who >> k & 1)) continue;
        const uint32_t own = t->clock[k];
        if (orders) {
            memcpy(t->clock, all, sizeof all);
            for (uint32_t j = 0; j < r->p->block; j++) /* segments up to that one have ended */
                if (who >> j & 1) t->clock[j] = all[j] + 1;
        }
        t->clock[k] = own + 1;
        if (!waits_at(t)->does) continue;
        t->next++;
        advance(r, block, k);
    }
}

/* Whether the thread that has ended is gone for whoever is there: it left, and not having gone round it. */
static inline bool is_gone(const thread_run *t, uint32_t there) {
    return t->returned && waits_at(t)->at < there;
}

static inline uint32_t warps_of(uint64_t who) {
    return !!(uint32_t)who + !!(who >> 32);
}

/* The threads that the event is for, or 0 where some are missing; *never: they will never come. */
static inline uint64_t company(const reference *r, uint32_t block, uint32_t thread, bool *never) {
    const event *e = waits_at(&r->threads[block][thread]);
    const statement *s = e->does;
    const bool lanes = s->does != DO_BARRIER;
    uint64_t who = 0, left = 0;
    bool all = true;
    for (uint32_t k = 0; k < r->p->block; k++) {
        const thread_run *t = &r->threads[block][k];
        const event *other = waits_at(t);
        if (lanes && (k / 32 != thread / 32 || !(s->mask >> k % 32 & 1))) continue;
        bool here = other->does == s && other->at == e->at;
        if (here) who |= UINT64_C(1) << k;
        if (here || s->count) continue;
        if (!other->does) {
            if (is_gone(t, e->at)) {
                left |= UINT64_C(1) << k;
                continue;
            }
            *never = true;
        }
        const bool apart = other->does && other->does->does == DO_BARRIER && !other->does->count;
        if (!lanes && apart) *never = true; /* from one of a part it may still come */
        all = false;
    }
    if (lanes && !(s->mask >> thread % 32 & 1)) *never = true;
    if (s->count) all = warps_of(who) * 32 == s->count;
    return all ? who | left : 0;
}

/* A barrier of a part, to which less than the whole of a warp comes; a GPU counts warps. */
static inline bool splits_warp(const reference *r, uint32_t block, uint64_t who, uint32_t there) {
    for (uint32_t k = 0; k < r->p->block; k++) {
        const uint64_t warp = UINT64_C(0xffffffff) << k / 32 * 32;
        if (who & warp && !(who >> k & 1) && !is_gone(&r->threads[block][k], there)) return true;
    }
    return false;
}

/* More threads have this barrier before them than it is for. */
static inline bool is_crowded(const reference *r, uint32_t block, uint32_t thread) {
    const event *e = waits_at(&r->threads[block][thread]);
    uint64_t here = 0;
    for (uint32_t k = 0; k < r->p->block; k++) {
        const thread_run *t = &r->threads[block][k];
        for (uint32_t n = t->next; n < t->count; n++)
            if (t->events[n].does == e->does && t->events[n].at == e->at) here |= UINT64_C(1) << k;
    }
    return warps_of(here) * 32 > e->does->count;
}

/* Another barrier with the same number may be met while somebody waits at this one: of both the GPU has one
 * count. */
static inline bool is_shared(const reference *r, uint32_t block, uint32_t thread) {
    const event *e = waits_at(&r->threads[block][thread]);
    for (uint32_t k = 0; k < r->p->block; k++) {
        const thread_run *t = &r->threads[block][k];
        for (uint32_t n = t->next; n < t->count && t->events[n].does; n++) {
            const event *other = &t->events[n];
            if (other->does->does != DO_BARRIER) continue;
            if ((other->does == e->does && other->at == e->at) || !other->does->count) break;
            if (other->does->id == e->does->id) return true;
        }
    }
    return false;
}

/* Whether something went on. */
static inline bool step(reference *r, uint32_t block) {
    for (uint32_t k = 0; k < r->p->block; k++) {
        const event *e = waits_at(&r->threads[block][k]);
        if (!e->does) continue;
        bool never = false;
        const statement *s = e->does;
        uint64_t who = company(r, block, k, &never);
        if (never || (who && s->count && splits_warp(r, block, who, e->at))) r->wrong |= WRONG_BARRIER;
        if (s->count && (is_crowded(r, block, k) || is_shared(r, block, k))) r->wrong |= WRONG_OPEN;
        if (never) return false;
        if (!who) continue;
        meet(r, block, who, s->does != DO_VOTE);
        return true;
    }
    return false;
}

static inline void run_block(reference *r, uint32_t block, uint32_t parameter) {
    const program *p = r->p;
    for (uint32_t k = 0; k < p->block; k++) {
        thread_run *t = &r->threads[block][k];
        place at = {.thread = k, .block = block, .size = p->block, .parameter = parameter};
        if (follow(t, p, &at, 0, p->count, 0)) t->events[t->count++] = (event){.at = p->count << 20};
        if (t->traps) r->wrong |= WRONG_TRAP, t->events[t->count++] = (event){.at = 0};
        advance(r, block, k);
    }
    while (step(r, block)) {
    }
    for (uint32_t k = 0; k < p->block; k++)
        if (waits_at(&r->threads[block][k])->does) r->wrong |= WRONG_BARRIER;
}

/* --- Races --- */
typedef struct {
    const event *e;
    uint32_t block, thread, place; /* object and address */
} one_access;

static inline bool comes_before(const reference *r, const one_access *a, const one_access *b) {
    if (a->block != b->block) return false;
    if (a->thread == b->thread) return true;
    return r->moments[b->block][b->thread][b->e->segment].clock[a->thread] > a->e->segment;
}

static inline bool reaches(scope s, const one_access *a, const one_access *b) {
    return s != CTA || a->block == b->block;
}

static inline bool is_strong_pair(const one_access *a, const one_access *b) {
    const memory_access *x = &a->e->does->access, *y = &b->e->does->access;
    if (x->strong == WEAK || y->strong == WEAK || x->bytes != y->bytes) return false;
    const bool lock_step = x->strong == VOLATILE && y->strong == VOLATILE && x->object == 2 &&
                           a->thread / 32 == b->thread / 32; /* our own rule: docs/verify.md */
    return !lock_step && (x->strong == VOLATILE || reaches(x->scope, a, b)) &&
           (y->strong == VOLATILE || reaches(y->scope, a, b));
}

/* Two stores of the same to the same place. */
static inline bool is_equal_pair(const one_access *a, const one_access *b) {
    const memory_access *x = &a->e->does->access, *y = &b->e->does->access;
    const uint64_t cut = x->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * x->bytes) - 1;
    return x->does == WRITES && y->does == WRITES && x->bytes == y->bytes &&
           !((a->e->value ^ b->e->value) & cut);
}

static inline bool is_race(const reference *r, const one_access *a, const one_access *b) {
    const memory_access *x = &a->e->does->access, *y = &b->e->does->access;
    if (a->block == b->block && a->thread == b->thread) return false;
    if (x->does == READS && y->does == READS) return false;
    if (a->e->address >= b->e->address + y->bytes || b->e->address >= a->e->address + x->bytes) return false;
    return !comes_before(r, a, b) && !comes_before(r, b, a) && !is_strong_pair(a, b) && !is_equal_pair(a, b);
}

static inline int by_place(const void *a, const void *b) {
    const one_access *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static inline void find_races(reference *r) {
    static const size_t most = (size_t)MOST_GRID * MOST_BLOCK * MOST_EVENTS;
    one_access *all = malloc(most * sizeof *all);
    size_t count = 0;
    for (uint32_t b = 0; b < r->p->grid; b++)
        for (uint32_t k = 0; k < r->p->block; k++)
            for (uint32_t n = 0; n < r->threads[b][k].count; n++) {
                const event *e = &r->threads[b][k].events[n];
                if (!e->does || e->does->does != DO_ACCESS) continue;
                const uint32_t object =
                    (uint32_t)e->does->access.object + (e->does->access.object == 2 ? b : 0);
                all[count++] = (one_access){e, b, k, object << 16 | e->address / 8};
            }
    qsort(all, count, sizeof *all, by_place);
    for (size_t i = 0; i < count && !(r->wrong & WRONG_RACE); i++)
        for (size_t j = i + 1; j < count && all[j].place == all[i].place; j++)
            if (is_race(r, &all[i], &all[j])) {
                r->wrong |= WRONG_RACE;
                break;
            }
    free(all);
}

/* WRONG_… with this value of the parameter. Where threads part at a barrier or one traps, races are not told.
 */
static inline int program_wrong(const program *p, uint32_t parameter) {
    reference *r = malloc(sizeof *r);
    r->p = p;
    r->wrong = 0;
    for (uint32_t b = 0; b < p->grid; b++)
        for (uint32_t k = 0; k < p->block; k++) {
            thread_run *t = &r->threads[b][k];
            t->count = t->next = 0;
            t->traps = t->returned = false;
            memset(t->clock, 0, sizeof t->clock);
        }
    for (uint32_t b = 0; b < p->grid; b++) run_block(r, b, parameter);
    for (uint32_t n = 0; n < p->count; n++) /* may be met from different places, which nobody follows */
        if (p->statements[n].unaligned && r->wrong & WRONG_BARRIER) r->wrong |= WRONG_OPEN;
    if (!r->wrong) find_races(r);
    int wrong = r->wrong;
    free(r);
    return wrong;
}

#endif
