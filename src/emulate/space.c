/* Global memory that several emulators share, and what of it has contents: a bit for each word, kept from
 * launch to launch as long as some word of an allocation has none. A word counts as defined when any byte of
 * it was written. */
#include "emulate/check/race.h"

#include <stdlib.h>
#include <sys/mman.h>

ls_emu_space *ls_emu_space_new(uint64_t (*take)(void *context, uint64_t size, uint64_t align, bool managed),
                               void *context) {
    ls_emu_space *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    ls_arena_init(&s->arena);
    s->take = take;
    s->take_context = context;
    return s;
}

void ls_emu_space_places(ls_emu_space *s, uint64_t (*place)(void *context, const char *name, uint64_t size)) {
    s->place = place;
}

void ls_emu_space_free(ls_emu_space *s) {
    if (!s) return;
    for (uint32_t k = 0; k < s->allocations.length; k++) free(s->allocations.items[k]->defined);
    LS_VEC_FREE(&s->allocations);
    LS_VEC_FREE(&s->textures);
    if (s->pool) munmap(s->pool, s->pool_size);
    if (s->descs) munmap(s->descs, s->descs_bytes);
    ls_arena_free(&s->arena);
    free(s);
}

/* How many allocations begin at or before the address. */
static uint32_t upto(const ls_emu_space *s, uint64_t address) {
    uint32_t low = 0, high = s->allocations.length;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (s->allocations.items[middle]->lo <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

allocation *em_space_find(const ls_emu_space *s, uint64_t address) {
    uint32_t n = upto(s, address);
    if (!n) return NULL;
    allocation *a = s->allocations.items[n - 1];
    return address < a->hi ? a : NULL;
}

allocation *em_space_add(ls_emu_space *s, uint64_t lo, uint64_t size, const char *name,
                         allocation_kind kind) {
    allocation *a = LS_NEW(&s->arena, allocation);
    a->lo = lo;
    a->hi = a->limit = lo + size;
    a->name = name ? ls_arena_strdup(&s->arena, name) : NULL;
    a->kind = (uint8_t)kind;
    uint32_t at = upto(s, lo);
    LS_VEC_PUSH(&s->allocations, a);
    allocation **items = s->allocations.items;
    memmove(items + at + 1, items + at, (s->allocations.length - 1 - at) * sizeof *items);
    items[at] = a;
    return a;
}

void ls_emu_space_add(ls_emu_space *s, uint64_t address, uint64_t size, const char *name, bool undefined) {
    em_space_add(s, address, size, name, ALLOC_BUFFER)->undefined = undefined;
}

void ls_emu_space_retire(ls_emu_space *s, uint64_t address) {
    allocation *a = em_space_find(s, address);
    if (!a) return;
    a->freed = true;
    free(a->defined);
    a->defined = NULL;
}

void ls_emu_space_remove(ls_emu_space *s, uint64_t address) {
    uint32_t n = upto(s, address);
    if (!n || s->allocations.items[n - 1]->lo != address) return;
    allocation **items = s->allocations.items;
    free(items[n - 1]->defined);
    memmove(items + n - 1, items + n, (s->allocations.length - n) * sizeof *items);
    s->allocations.length--;
}

/* Descriptors are filled before they are read, so that their memory can be used again as it is: to get and
 * clear its pages would be most of what a short launch costs. */
desc *em_take_descs(ls_emu_space *s, size_t bytes) {
    desc *d = s->descs;
    s->descs = NULL;
    if (d && s->descs_bytes == bytes) return d;
    if (d) munmap(d, s->descs_bytes);
    return em_reserve_large(bytes);
}

void em_give_descs(ls_emu_space *s, desc *descs, size_t bytes) {
    if (s->descs && descs) munmap(s->descs, s->descs_bytes);
    if (!descs) return;
    s->descs = descs;
    s->descs_bytes = bytes;
}

/* --- Which words have contents --- */
static uint64_t words_of(const allocation *a) {
    return (a->hi - a->lo + 3) / 4;
}

static void set_words(allocation *a, uint64_t first, uint64_t end) {
    for (; first < end && first % 64; first++) a->defined[first / 64] |= UINT64_C(1) << first % 64;
    for (; first + 64 <= end; first += 64) a->defined[first / 64] = UINT64_MAX;
    for (; first < end; first++) a->defined[first / 64] |= UINT64_C(1) << first % 64;
}

static bool make_bits(allocation *a) {
    if (!a->defined) a->defined = calloc(words_of(a) / 64 + 1, sizeof *a->defined);
    return a->defined;
}

static void forget_bits(allocation *a) {
    free(a->defined);
    a->defined = NULL;
    a->undefined = false;
}

/* Nothing more need be looked at once every word has contents. */
static void drop_full(allocation *a) {
    uint64_t words = words_of(a);
    for (uint64_t k = 0; k < words / 64; k++)
        if (a->defined[k] != UINT64_MAX) return;
    uint64_t rest = (UINT64_C(1) << words % 64) - 1;
    if ((a->defined[words / 64] & rest) == rest) forget_bits(a);
}

void ls_emu_space_define(ls_emu_space *s, uint64_t address, uint64_t size) {
    allocation *a = em_space_find(s, address);
    if (!a || !a->undefined || !size) return;
    if (address == a->lo && size >= a->hi - a->lo) {
        forget_bits(a);
        return;
    }
    if (!make_bits(a)) return;
    uint64_t end = address - a->lo + size < a->hi - a->lo ? address - a->lo + size : a->hi - a->lo;
    set_words(a, (address - a->lo) / 4, (end + 3) / 4);
    drop_full(a);
}

bool ls_emu_space_defined(ls_emu_space *s, uint64_t address, uint64_t size) {
    const allocation *a = em_space_find(s, address);
    if (!a || !a->undefined) return true;
    if (!a->defined) return false;
    for (uint64_t at = address - a->lo; at < address - a->lo + size; at += 4)
        if (!(a->defined[at / 256] >> at / 4 % 64 & 1)) return false;
    return true;
}

bool em_was_defined(const allocation *a, uint64_t offset, uint32_t bytes) {
    if (!a->defined) return false;
    for (uint64_t k = offset / 4; k <= (offset + bytes - 1) / 4; k++)
        if (a->defined[k / 64] >> k % 64 & 1) return true;
    return false;
}

/* --- Which words a launch has touched --- */
/* Shadow memory is there where it was touched: only resident pages of the plane are looked at. Calls back
 * for the halves of each of them. */
static void each_resident(uint64_t words, const uint32_t *plane, void *context,
                          void (*visit)(void *context, uint64_t first, uint64_t end)) {
    enum { PAGE = 4096, BATCH = 16384 };
    unsigned char there[BATCH];
    const uint64_t per_page = PAGE / sizeof *plane, pages = (words + per_page - 1) / per_page;
    for (uint64_t at = 0; at < pages; at += BATCH) {
        uint64_t n = pages - at < BATCH ? pages - at : BATCH;
        void *from = (void *)((uintptr_t)plane + at * PAGE);
        if (mincore(from, n * PAGE, there)) memset(there, 1, n);
        for (uint64_t p = 0; p < n; p++) {
            uint64_t first = (at + p) * per_page, end = first + per_page;
            if (there[p] & 1) visit(context, first, end < words ? end : words);
        }
    }
}

typedef struct {
    const uint32_t *plane; /* `since`, or `rows` */
    uint64_t words;
} word_count;

static void count_words(void *context, uint64_t first, uint64_t end) {
    ((word_count *)context)->words += end - first;
}

/* A page that was only looked at is no memory: the system has one of zeros for all of them. */
static void count_readers(void *context, uint64_t first, uint64_t end) {
    const word_count *c = context;
    uint32_t any = 0;
    for (uint64_t k = first; k < end; k++) any |= c->plane[k];
    if (any) count_words(context, first, end);
}

uint64_t em_shadow_bytes(const machine *m) {
    word_count c = {0};
    uint64_t descs = m->descs ? atomic_load(&m->desc_count) - 1 : 0;
    for (uint32_t k = 0; k < m->emulator->space->allocations.length; k++) {
        const allocation *a = m->emulator->space->allocations.items[k];
        const shadow_planes planes = em_planes_of(a, m->global_narrow);
        if (!planes.last) continue;
        each_resident(words_of(a), planes.last, &c, count_words);
        c.plane = planes.since;
        each_resident(words_of(a), planes.since, &c, count_readers);
        c.plane = (const uint32_t *)(const void *)planes.rows;
        each_resident((words_of(a) + ROW_WORDS - 1) / ROW_WORDS * 2, c.plane, &c, count_readers);
    }
    for (uint32_t k = 0; descs && k < m->worker_count; k++)
        descs -= m->workers[k].desc_end - m->workers[k].desc_next;
    return m->shadow_bytes + c.words * sizeof(uint32_t) + descs * sizeof(desc);
}

enum { MOST_PIECES = 256 };
typedef struct {
    uint64_t lo, hi; /* words */
} piece;
typedef struct {
    const machine *m;
    shadow_planes planes;
    piece pieces[2][MOST_PIECES]; /* read, written */
    uint32_t count[2];
    bool rough[2];
} touch_list;

static void add_piece(touch_list *t, bool write, uint64_t word) {
    piece *p = t->pieces[write];
    uint32_t n = t->count[write];
    if (n && p[n - 1].hi == word) {
        p[n - 1].hi++;
    } else if (n == MOST_PIECES) { /* from here on one range stands for many */
        t->rough[write] = true;
        p[n - 1].hi = word + 1;
    } else {
        p[n] = (piece){word, word + 1};
        t->count[write]++;
    }
}

static const desc *desc_of(const machine *m, uint32_t half) {
    return &m->descs[em_race_desc(half, m->global_narrow)];
}

/* Atomic operations of several launches may meet: a word that was written by one last is not told. */
static void visit_touched(void *context, uint64_t first, uint64_t end) {
    touch_list *t = context;
    for (uint64_t k = first; k < end; k++) {
        const uint32_t last = t->planes.last[k];
        if (!last) continue;
        const bool is_read = !desc_of(t->m, last)->write;
        const uint32_t writer = is_read ? em_planes_writer(&t->planes, k) : last;
        if (writer && !desc_of(t->m, writer)->atomic) add_piece(t, true, k);
        if (is_read || em_planes_reader(&t->planes, k)) add_piece(t, false, k);
    }
}

void em_tell_touched(const machine *m, const allocation *a) {
    const shadow_planes planes = em_planes_of(a, m->global_narrow);
    if (!planes.last || !m->options.touched) return;
    touch_list *t = calloc(1, sizeof *t);
    if (!t) return;
    t->m = m;
    t->planes = planes;
    each_resident(words_of(a), planes.last, t, visit_touched);
    for (int write = 0; write < 2; write++)
        for (uint32_t k = 0; k < t->count[write]; k++) {
            piece p = t->pieces[write][k];
            m->options.touched(m->options.touched_context, a->lo + 4 * p.lo, 4 * (p.hi - p.lo), write,
                               t->rough[write] && k + 1 == t->count[write]);
        }
    free(t);
}

typedef struct {
    const machine *m;
    shadow_planes planes;
    uint64_t *defined;
} written_list;

static void visit_written(void *context, uint64_t first, uint64_t end) {
    const written_list *w = context;
    for (uint64_t k = first; k < end; k++) {
        const uint32_t last = w->planes.last[k];
        if (last && (desc_of(w->m, last)->write || em_planes_writer(&w->planes, k)))
            w->defined[k / 64] |= UINT64_C(1) << k % 64;
    }
}

void em_keep_defined(const machine *m, allocation *a) {
    if (!a->undefined || a->freed) return;
    if (!(m->options.checks & LS_CHECK_UNINIT) || a->kind != ALLOC_BUFFER) {
        forget_bits(a);
        return;
    }
    const shadow_planes planes = em_planes_of(a, m->global_narrow);
    if (!planes.last || !make_bits(a)) return;
    each_resident(words_of(a), planes.last, &(written_list){m, planes, a->defined}, visit_written);
    drop_full(a);
}

/* --- Textures --- */
uint64_t ls_emu_space_texture(ls_emu_space *s, uint64_t handle, const ls_texture *texture) {
    if (handle && handle <= s->textures.length) {
        s->textures.items[handle - 1] = *texture;
        return handle;
    }
    LS_VEC_PUSH(&s->textures, *texture);
    return s->textures.length;
}

const ls_texture *em_texture_at(const ls_emu_space *s, uint64_t handle) {
    if (handle > s->textures.length) {
        const allocation *a = em_space_find(s, handle);
        if (!a || a->kind != ALLOC_GLOBAL || a->lo != handle || a->hi - a->lo < sizeof handle) return NULL;
        memcpy(&handle, (const void *)em_host(handle), sizeof handle);
    }
    return handle && handle <= s->textures.length ? &s->textures.items[handle - 1] : NULL;
}
