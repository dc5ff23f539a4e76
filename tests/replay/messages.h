/* Random small kernels in which threads wait for each other: flags, fences, locks, tickets, barriers between
 * who signals and who writes. One is drawn from patterns that are right and then changed at random, so that
 * about half of them are wrong. messages_wrong executes one in every order of its accesses to flags, with
 * vector clocks of its own (PTX's memory model, with the two leniences of docs/run.md), and shares no code
 * with what is tested. */
#ifndef LS_TESTS_REPLAY_MESSAGES_H
#define LS_TESTS_REPLAY_MESSAGES_H

#include "program.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 3, MOST_PEERS = 4, MOST_STEPS = 10, FLAGS = 2, OWN = 4, MOST_ORDERS = 20000 };

typedef enum {
    M_WRITE, /* data[number] */
    M_READ,
    M_WRITE_OWN, /* data[OWN + block] */
    M_READ_ALL,  /* data[OWN …], of all blocks */
    M_FENCE,
    M_SET,
    M_WAIT,
    M_IF, /* the next two are only done where it holds */
    M_TAKE,
    M_GIVE,
    M_TICKET, /* the next two are only done by who draws the last one */
    M_BARRIER,
    M_KINDS
} message_kind;

typedef struct {
    message_kind does;
    uint32_t who;   /* threads of the block, as bits */
    uint32_t flag;  /* or number of data */
    uint32_t value; /* that is set or waited for */
    bool other;     /* it waits for any other value */
    uint32_t how;   /* strength and scope: see ways_to_… */
    bool gpu;       /* scope of a fence */
} step_of;

typedef struct {
    const char *text;
    bool releases, acquires, gpu, atomic;
} way_to;

static const way_to ways_to_set[] = {{"st.volatile.global.u32", false, false, true, false},
                                     {"st.relaxed.gpu.global.u32", false, false, true, false},
                                     {"st.release.gpu.global.u32", true, false, true, false},
                                     {"atom.relaxed.gpu.global.exch.b32", false, false, true, true},
                                     {"atom.release.gpu.global.exch.b32", true, false, true, true},
                                     {"st.relaxed.cta.global.u32", false, false, false, false},
                                     {"st.release.cta.global.u32", true, false, false, false}};
static const way_to ways_to_read[] = {{"ld.volatile.global.u32", false, false, true, false},
                                      {"ld.relaxed.gpu.global.u32", false, false, true, false},
                                      {"ld.acquire.gpu.global.u32", false, true, true, false},
                                      {"atom.relaxed.gpu.global.add.u32", false, false, true, true},
                                      {"ld.acquire.cta.global.u32", false, true, false, false}};

typedef struct {
    step_of steps[MOST_BLOCKS][MOST_STEPS];
    uint32_t count[MOST_BLOCKS], grid, block;
} messages;

/* --- Drawing one --- */
static inline step_of *put(messages *m, uint32_t block, message_kind does, uint32_t who) {
    step_of *s = &m->steps[block][m->count[block]++];
    *s = (step_of){.does = does, .who = who, .value = 1, .gpu = true};
    return s;
}

static inline void put_set(messages *m, dice *d, uint32_t block, uint32_t who, uint32_t flag) {
    const uint32_t how = draw(d, 5);
    if (!ways_to_set[how].releases) put(m, block, M_FENCE, who);
    step_of *s = put(m, block, M_SET, who);
    s->how = how, s->flag = flag;
}

static inline void put_wait(messages *m, dice *d, uint32_t block, uint32_t who, uint32_t flag) {
    const uint32_t how = draw(d, 4);
    step_of *s = put(m, block, draw(d, 3) || m->block > 1 ? M_WAIT : M_IF, who);
    s->how = how, s->flag = flag;
    if (draw(d, 2)) s->other = true, s->value = 0;
    if (!ways_to_read[how].acquires) put(m, block, M_FENCE, who);
}

static inline void draw_message(messages *m, dice *d) {
    m->block = 1 + draw(d, 2);
    m->grid = m->block == 2 ? 2 : 2 + draw(d, 2);
    const uint32_t all = m->block == 2 ? 3 : 1, other = m->block == 2 ? 2 : 1;
    put(m, 0, M_WRITE, other);
    if (m->block == 2) put(m, 0, M_BARRIER, all);
    put_set(m, d, 0, 1, 0);
    put_wait(m, d, 1, 1, 0);
    if (m->block == 2) put(m, 1, M_BARRIER, all);
    put(m, 1, draw(d, 3) ? M_READ : M_WRITE, other);
    if (m->grid < 3) return;
    if (draw(d, 2)) put_set(m, d, 1, 1, 1);
    put_wait(m, d, 2, 1, draw(d, 2));
    put(m, 2, M_READ, 1);
}

static inline void draw_lock(messages *m, dice *d) {
    m->block = 1;
    m->grid = 2 + draw(d, 2);
    for (uint32_t b = 0; b < m->grid; b++) {
        put(m, b, M_TAKE, 1);
        put(m, b, M_FENCE, 1);
        put(m, b, M_READ, 1);
        put(m, b, M_WRITE, 1);
        put(m, b, M_FENCE, 1);
        put(m, b, M_GIVE, 1);
    }
}

static inline void draw_tickets(messages *m, dice *d) {
    m->block = 1 + draw(d, 2);
    m->grid = m->block == 2 ? 2 : 2 + draw(d, 2);
    for (uint32_t b = 0; b < m->grid; b++) {
        put(m, b, M_WRITE_OWN, m->block == 2 ? 2 : 1);
        if (m->block == 2) put(m, b, M_BARRIER, 3);
        put(m, b, M_FENCE, 1);
        put(m, b, M_TICKET, 1);
        put(m, b, M_FENCE, 1);
        put(m, b, M_READ_ALL, 1);
    }
}

static inline void change(messages *m, dice *d, uint32_t b) {
    const uint32_t count = m->count[b], at = draw(d, count ? count : 1);
    if (!count) return;
    step_of *s = &m->steps[b][at];
    switch (draw(d, 7)) {
    case 0:
        memmove(s, s + 1, (count - at - 1) * sizeof *s);
        m->count[b]--;
        break;
    case 1:
        if (at + 1 < count && s->does != M_BARRIER && s[1].does != M_BARRIER) {
            const step_of t = *s;
            *s = s[1];
            s[1] = t;
        }
        break;
    case 2: s->gpu = false; break;
    case 3: s->how = draw(d, s->does == M_SET ? 7 : 5); break;
    case 4: s->value = draw(d, 3); break;
    case 5: s->flag = draw(d, 2); break;
    default:
        if (s->does != M_BARRIER) s->who = 1 + draw(d, m->block == 2 ? 3 : 1);
    }
}

static inline messages messages_draw(uint64_t seed) {
    dice d = dice_of(seed);
    messages m = {0};
    const uint32_t pattern = draw(&d, 4);
    if (pattern == 0) draw_lock(&m, &d);
    if (pattern == 1) draw_tickets(&m, &d);
    if (pattern > 1) draw_message(&m, &d);
    const bool all = pattern < 2 && draw(&d, 4); /* then the blocks stay alike */
    for (uint32_t n = draw(&d, 3); n; n--) {
        const uint32_t b = draw(&d, m.grid);
        change(&m, &d, b);
        for (uint32_t k = 0; all && k < m.grid; k++) {
            memmove(m.steps[k], m.steps[b], sizeof m.steps[b]);
            m.count[k] = m.count[b];
        }
    }
    return m;
}

/* Where a thread goes on for which the condition at this step does not hold: behind the next two, but not
 * past a barrier. */
static inline uint32_t behind(const messages *m, uint32_t block, uint32_t at) {
    uint32_t end = at + 1;
    while (end < m->count[block] && end < at + 3 && m->steps[block][end].does != M_BARRIER) end++;
    return end;
}

/* --- As PTX --- */
static inline void emit_step(ls_buf *out, const messages *m, uint32_t b, uint32_t at) {
    const step_of *s = &m->steps[b][at];
    const way_to *set = &ways_to_set[s->how % 7], *read = &ways_to_read[s->how % 5];
    const uint32_t flag = 4 * s->flag;
    switch (s->does) {
    case M_WRITE: ls_buf_printf(out, "st.global.u32 [%%data+%u], %%all;\n", flag); break;
    case M_READ: ls_buf_printf(out, "ld.global.u32 %%r1, [%%data+%u];\n", flag); break;
    case M_WRITE_OWN: ls_buf_printf(out, "st.global.u32 [%%own+%d], %%all;\n", 4 * OWN); break;
    case M_READ_ALL:
        for (uint32_t k = 0; k < m->grid; k++)
            ls_buf_printf(out, "ld.global.u32 %%r1, [%%data+%u];\n", 4 * (OWN + k));
        break;
    case M_FENCE: ls_buf_printf(out, "fence.acq_rel.%s;\n", s->gpu ? "gpu" : "cta"); break;
    case M_SET:
        ls_buf_printf(out, "%s %s[%%flag+%u], %u;\n", set->text, set->atomic ? "%r1, " : "", flag, s->value);
        break;
    case M_WAIT:
    case M_IF:
        ls_buf_printf(out, "W%u_%u:\n", b, at);
        ls_buf_printf(out, "%s %%r0, [%%flag+%u]%s;\n", read->text, flag, read->atomic ? ", 0" : "");
        ls_buf_printf(out, "setp.%s.u32 %%p1, %%r0, %u;\n@!%%p1 bra %c%u_%u;\n", s->other ? "ne" : "eq",
                      s->value, s->does == M_WAIT ? 'W' : 'L', b, s->does == M_WAIT ? at : behind(m, b, at));
        break;
    case M_TAKE:
        ls_buf_printf(out,
                      "W%u_%u:\natom.relaxed.gpu.global.cas.b32 %%r0, [%%flag+%u], 0, 1;\n"
                      "setp.ne.u32 %%p1, %%r0, 0;\n@%%p1 bra W%u_%u;\n",
                      b, at, flag, b, at);
        break;
    case M_GIVE: ls_buf_printf(out, "atom.relaxed.gpu.global.exch.b32 %%r1, [%%flag+%u], 0;\n", flag); break;
    case M_TICKET:
        ls_buf_printf(out,
                      "atom.relaxed.gpu.global.add.u32 %%r0, [%%flag+%u], 1;\n"
                      "setp.ne.u32 %%p1, %%r0, %u;\n@%%p1 bra L%u_%u;\n",
                      flag, m->grid - 1, b, behind(m, b, at));
        break;
    default: ls_buf_puts(out, "bar.sync 0;\n");
    }
}

/* All blocks do the same: it is written once. */
static inline bool are_alike(const messages *m) {
    for (uint32_t b = 1; b < m->grid; b++)
        if (m->count[b] != m->count[0] || memcmp(m->steps[b], m->steps[0], m->count[0] * sizeof(step_of)))
            return false;
    return true;
}

/* The first step behind this one that is of other threads. */
static inline uint32_t end_of_run(const messages *m, uint32_t b, uint32_t at) {
    uint32_t end = at;
    while (end < m->count[b] && m->steps[b][end].who == m->steps[b][at].who) end++;
    return end;
}

static inline char *messages_emit(const messages *m) {
    ls_buf out = {0};
    ls_buf_puts(&out, ".version 8.0\n.target sm_80\n.address_size 64\n"
                      ".visible .entry k(.param .u64 p, .param .u64 q) {\n"
                      ".reg .pred %p<4>; .reg .b32 %r<4>;\n"
                      ".reg .b32 %thread, %block, %all, %size; .reg .b64 %data, %flag, %own;\n"
                      "ld.param.u64 %data, [p];\nld.param.u64 %flag, [q];\n"
                      "cvta.to.global.u64 %data, %data;\ncvta.to.global.u64 %flag, %flag;\n"
                      "mov.u32 %thread, %tid.x;\nmov.u32 %block, %ctaid.x;\nmov.u32 %size, %ntid.x;\n"
                      "mad.lo.u32 %all, %block, %size, %thread;\nmul.wide.u32 %own, %block, 4;\n"
                      "add.s64 %own, %own, %data;\n");
    const bool alike = are_alike(m);
    for (uint32_t b = 0; b < (alike ? 1 : m->grid); b++) {
        if (!alike) ls_buf_printf(&out, "setp.ne.u32 %%p0, %%block, %u;\n@%%p0 bra B%u;\n", b, b);
        for (uint32_t at = 0; at < m->count[b]; at++) {
            const step_of *s = &m->steps[b][at];
            ls_buf_printf(&out, "L%u_%u:\n", b, at);
            if (m->block == 2 && s->who != 3 && (!at || s[-1].who != s->who))
                ls_buf_printf(&out, "setp.ne.u32 %%p2, %%thread, %u;\n@%%p2 bra L%u_%u;\n", s->who - 1, b,
                              end_of_run(m, b, at));
            emit_step(&out, m, b, at);
        }
        ls_buf_printf(&out, "L%u_%u:\nbra.uni END;\n", b, m->count[b]);
        if (!alike) ls_buf_printf(&out, "B%u:\n", b);
    }
    ls_buf_puts(&out, "END:\nret;\n}\n");
    return out.text;
}

/* --- In every order --- */
typedef struct {
    uint16_t clock[MOST_PEERS];
} clock_of;

typedef struct { /* of a flag: what was released with its value */
    uint32_t value;
    clock_of far, near[MOST_BLOCKS];
} flag_state;

typedef struct {
    uint32_t at;
    clock_of now, seen[2], fenced[2]; /* for the block, for all */
} peer;

typedef struct {
    uint32_t place; /* data, then flags */
    uint32_t peer;
    bool writes, strong, gpu;
    clock_of now;
} access_made;

enum { MOST_MADE = 96 };
typedef struct {
    peer peers[MOST_PEERS];
    flag_state flags[FLAGS];
    access_made made[MOST_MADE];
    uint32_t count;
} world;

typedef struct {
    const messages *m;
    uint32_t orders;
    bool wrong, open;
} search_of;

static inline void join_clock(clock_of *to, const clock_of *from) {
    for (int k = 0; k < MOST_PEERS; k++)
        if (from->clock[k] > to->clock[k]) to->clock[k] = from->clock[k];
}

static inline uint32_t block_of(const messages *m, uint32_t p) {
    return p / m->block;
}

/* Whether the new access races with one that was made; nothing orders it before those. */
static inline void make(search_of *q, world *w, uint32_t p, uint32_t where, bool writes, const way_to *how) {
    peer *me = &w->peers[p];
    access_made a = {where, p, writes, how != NULL, how && how->gpu, {{0}}};
    me->now.clock[p]++;
    a.now = me->now;
    for (uint32_t k = 0; k < w->count; k++) {
        const access_made *o = &w->made[k];
        if (o->place != where || o->peer == p || (!o->writes && !writes)) continue;
        if (me->now.clock[o->peer] >= o->now.clock[o->peer]) continue;
        const bool near = block_of(q->m, p) == block_of(q->m, o->peer);
        if (!(a.strong && o->strong && (near || (a.gpu && o->gpu)))) q->wrong = true;
    }
    if (w->count < MOST_MADE)
        w->made[w->count++] = a;
    else
        q->open = true;
}

static inline void fence(peer *me, bool gpu) {
    for (int reach = 0; reach <= gpu; reach++) {
        join_clock(&me->now, &me->seen[reach]);
        me->seen[reach] = (clock_of){{0}};
    }
    for (int reach = 0; reach <= gpu; reach++) me->fenced[reach] = me->now;
}

static inline void read_flag(search_of *q, world *w, uint32_t p, uint32_t f, const way_to *how) {
    peer *me = &w->peers[p];
    const clock_of *near = &w->flags[f].near[block_of(q->m, p)], *far = &w->flags[f].far;
    if (!how->atomic) make(q, w, p, 16 + f, false, how); /* else it writes, too */
    join_clock(&me->seen[0], near);
    join_clock(&me->seen[1], far);
    if (!how->acquires) return;
    join_clock(&me->now, near);
    if (how->gpu) join_clock(&me->now, far);
}

static inline void write_flag(search_of *q, world *w, uint32_t p, uint32_t f, uint32_t value,
                              const way_to *how) {
    peer *me = &w->peers[p];
    flag_state *s = &w->flags[f];
    clock_of near = me->fenced[0], far = me->fenced[1];
    make(q, w, p, 16 + f, true, how);
    if (how->releases) join_clock(&near, &me->now);
    if (how->releases && how->gpu) join_clock(&far, &me->now);
    if (!how->atomic) {
        memset(s->near, 0, sizeof s->near);
        memset(&s->far, 0, sizeof s->far);
    }
    join_clock(&s->near[block_of(q->m, p)], &near);
    join_clock(&s->far, &far);
    s->value = value;
}

static inline const step_of *step_at(const messages *m, const world *w, uint32_t p) {
    const uint32_t b = block_of(m, p), at = w->peers[p].at;
    return at < m->count[b] ? &m->steps[b][at] : NULL;
}

static inline bool is_for(const messages *m, const step_of *s, uint32_t p) {
    return s->who >> p % m->block & 1;
}

/* Steps that nobody waits for, up to the next that someone may. */
static inline void go_on(search_of *q, world *w, uint32_t p) {
    const messages *m = q->m;
    for (const step_of *s; (s = step_at(m, w, p)); w->peers[p].at++) {
        if (s->does == M_BARRIER) return;
        if (!is_for(m, s, p)) continue;
        switch (s->does) {
        case M_WRITE:
        case M_READ: make(q, w, p, s->flag, s->does == M_WRITE, NULL); break;
        case M_WRITE_OWN: make(q, w, p, OWN + block_of(m, p), true, NULL); break;
        case M_READ_ALL:
            for (uint32_t k = 0; k < m->grid; k++) make(q, w, p, OWN + k, false, NULL);
            break;
        case M_FENCE: fence(&w->peers[p], s->gpu); break;
        default: return;
        }
    }
}

/* One access to a flag; false where the thread waits. */
static inline bool advance_peer(search_of *q, world *w, uint32_t p) {
    static const way_to takes = {"", false, false, true, true};
    const messages *m = q->m;
    const step_of *s = step_at(m, w, p);
    if (!s || s->does == M_BARRIER) return false;
    const uint32_t value = w->flags[s->flag].value, b = block_of(m, p), at = w->peers[p].at;
    const way_to *read = &ways_to_read[s->how % 5];
    const bool holds = (value == s->value) != s->other;
    uint32_t next = at + 1;
    switch (s->does) {
    case M_SET: write_flag(q, w, p, s->flag, s->value, &ways_to_set[s->how % 7]); break;
    case M_WAIT:
    case M_IF:
        if (s->does == M_WAIT && !holds) { /* it has read all the same */
            world *tried = malloc(sizeof *tried);
            *tried = *w;
            make(q, tried, p, 16 + s->flag, read->atomic, read);
            free(tried);
            return false;
        }
        read_flag(q, w, p, s->flag, read);
        if (read->atomic) write_flag(q, w, p, s->flag, value, read);
        if (!holds) next = behind(m, b, at);
        break;
    case M_TAKE:
        if (value) return false;
        read_flag(q, w, p, s->flag, &takes);
        write_flag(q, w, p, s->flag, 1, &takes);
        break;
    case M_GIVE: write_flag(q, w, p, s->flag, 0, &takes); break;
    default: /* ticket */
        read_flag(q, w, p, s->flag, &takes);
        write_flag(q, w, p, s->flag, value + 1, &takes);
        if (value != m->grid - 1) next = behind(m, b, at);
    }
    w->peers[p].at = next;
    go_on(q, w, p);
    return true;
}

static inline bool pass_barrier(search_of *q, world *w, uint32_t block) {
    const messages *m = q->m;
    const uint32_t first = block * m->block;
    clock_of now = {{0}}, fenced[2] = {{{0}}, {{0}}};
    for (uint32_t k = first; k < first + m->block; k++) {
        const step_of *s = step_at(m, w, k);
        if (!s || s->does != M_BARRIER) return false;
        join_clock(&now, &w->peers[k].now);
        for (int reach = 0; reach < 2; reach++) {
            join_clock(&now, &w->peers[k].seen[reach]);
            join_clock(&fenced[reach], &w->peers[k].fenced[reach]);
        }
    }
    for (uint32_t k = first; k < first + m->block; k++) {
        w->peers[k] = (peer){w->peers[k].at + 1, now, {{{0}}, {{0}}}, {fenced[0], fenced[1]}};
        go_on(q, w, k);
    }
    return true;
}

static inline void explore(search_of *q, const world *from) {
    const messages *m = q->m;
    if (q->wrong || q->open) return;
    world *w = malloc(sizeof *w);
    *w = *from;
    for (uint32_t b = 0; b < m->grid; b++)
        if (pass_barrier(q, w, b)) {
            explore(q, w); /* nobody else sees that */
            free(w);
            return;
        }
    bool any = false;
    for (uint32_t p = 0; p < m->grid * m->block; p++) {
        *w = *from;
        if (!advance_peer(q, w, p)) continue;
        any = true;
        explore(q, w);
    }
    if (!any && ++q->orders > MOST_ORDERS) q->open = true;
    free(w);
}

/* 1: wrong in some order; 0: in none; -1: there are too many. What the flags hold before the launch. */
static inline int messages_wrong(const messages *m, const uint32_t *values) {
    search_of q = {.m = m};
    world *w = calloc(1, sizeof *w);
    for (int f = 0; f < FLAGS; f++) w->flags[f].value = values[f];
    for (uint32_t p = 0; p < m->grid * m->block; p++) go_on(&q, w, p);
    explore(&q, w);
    free(w);
    return q.wrong ? 1 : q.open ? -1 : 0;
}

/* The same, whatever the flags hold before the launch: each of them any value that is set or waited for, or
 * another one. */
static inline int messages_wrong_for_any(const messages *m) {
    enum { VALUES = 4 };
    int all = 0;
    for (uint32_t k = 0; k < VALUES * VALUES && all <= 0; k++) {
        const int wrong = messages_wrong(m, (uint32_t[FLAGS]){k % VALUES, k / VALUES});
        if (wrong) all = wrong;
    }
    return all;
}

#endif
