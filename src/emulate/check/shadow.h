/* What the checkers keep of accesses: descriptors and shadow cells of the race checker, what a thread has
 * done to be ordered with others, patterns of lanes with their costs, counts by instruction. */
#ifndef LS_EMULATE_CHECK_SHADOW_H
#define LS_EMULATE_CHECK_SHADOW_H

#include "base/map.h"
#include "emulate/check/view.h"
#include "emulate/emulator.h"

typedef struct {
    uint64_t stamp;
    uint32_t index;
} desc_cache;

enum { MARKED_DESCS = 64 };

/* A copy in the background (cp.async), or several of one instruction and group. */
typedef struct {
    uint32_t desc;
    bool shared;
    uint32_t group; /* number of groups that were committed before it */
    uint64_t lanes;
} async_copy;

/* What a thread has done to be ordered with others (check/order.c). Good within the block, within the
 * cluster, or for all. */
enum { ORDER_NEAR, ORDER_MIDDLE, ORDER_FAR, ORDER_REACHES };
typedef struct {
    view *known, *carried;           /* acquired before it; handed over by others at a barrier */
    uint32_t to, epoch, full, meets; /* ticks, barriers, barriers for all, barriers of the warp then */
    bool done;
} order_fence;
typedef struct {
    view *acquired; /* beyond what the whole block has */
    view *latest;   /* what was acquired last by a read: who waits reads the same again and again */
    view *seen[ORDER_REACHES]; /* released by what it has read; acquired where a fence or barrier follows */
    order_fence fence[ORDER_REACHES]; /* its last one */
} lane_order;

/* Who accessed: one descriptor for a warp, a memory instruction and an interval between barriers. */
struct desc {
    uint32_t block;     /* linear */
    uint32_t site : 24; /* memory site */
    uint32_t atomic : 1, write : 1, strong : 1;
    uint32_t pending : 1; /* an asynchronous copy that has not been waited for */
    uint32_t lone : 1;    /* of several readers the only one that is not strong */
    uint32_t buried : 1;  /* a plain write under the same thread's atomic operations (check/buried.c) */
    uint32_t epoch;       /* barrier interval of the block */
    uint32_t warp : 10, warp_epoch : 22;
    uint32_t tick; /* releases of its warp, see em_strong_tick */
};

/* Ticks are even, plus one for strong writes: a fence before such a write does not cover it, and neither does
 * an earlier release, but a thread that has seen the write is ordered after it. */
static inline uint32_t em_strong_tick(uint32_t tick, bool strong_write) {
    return tick + strong_write;
}

/* How an earlier access is ordered with the current one. SAME_WARP: ordered for the same lane, and otherwise
 * if a barrier or a release orders them; BY_RELEASE: only if a barrier or a release does. */
typedef enum { ORDERED, SAME_WARP, BY_RELEASE, UNORDERED } verdict;
/* The same for the short way. THREAD: ordered for the same lane; WARP: another one of the block, not ordered;
 * BLOCK: of another block, not ordered; OTHER: an asynchronous copy. */
typedef enum { STAND_ORDERED, STAND_THREAD, STAND_WARP, STAND_BLOCK, STAND_OTHER } stand;

/* A half of what is known of a word: one who wrote it, or has read it. */
enum {
    CELL_LANE_BITS = 6,
    CELL_DESC_BITS = 24,
    CELL_MANY_LANES = 1u << 30,  /* several lanes of the warp read it, with nothing between them */
    CELL_MANY = 1u << 31,        /* several warps of the block read it in this interval */
    CELL_MANY_BLOCKS = 3u << 30, /* several blocks read it */
};

/* A half of a cell that knows its bytes: lane, bytes, descriptor, and what check/narrow.c makes of them. */
enum {
    NARROW_DESC_BITS = 20,
    NARROW_MASK_BITS = 4,
    NARROW_DESC_AT = CELL_LANE_BITS + NARROW_MASK_BITS,
    NARROW_KIND_AT = NARROW_DESC_AT + NARROW_DESC_BITS,
};
static inline uint32_t em_narrow_half(uint32_t index, uint32_t lane, uint32_t bytes) {
    return lane | bytes << CELL_LANE_BITS | index << NARROW_DESC_AT;
}
static inline uint32_t em_narrow_bytes(uint32_t half) {
    return half >> CELL_LANE_BITS & ((1u << NARROW_MASK_BITS) - 1);
}
static inline uint32_t em_narrow_desc(uint32_t half) {
    return half >> NARROW_DESC_AT & ((1u << NARROW_DESC_BITS) - 1);
}

/* What is known of a word: who wrote it last, who has read it since. */
typedef struct {
    uint32_t write, read;
} cell;

/* Where it is kept, by words: four bytes for each, and up to four more where one is read after it was
 * written. `last` has who wrote a word last or, of one that nobody has written, who has read it: which of
 * them is in the descriptor. `since` has who has read it since it was written; nothing is there, and its
 * pages are not touched, where nobody has. Where eight neighbouring words, from a multiple of eight on, have
 * been read by lanes of one instruction, in whatever order, one entry of `rows` stands for eight halves in
 * `since`, which are 0 then. Where they have been read by several, but written by lanes of one instruction,
 * the entry stands for the writers (ROW_WRITERS): the readers are in `last` then, one by one as the words are
 * read, and a word whose half in `last` is a writer's has that one. So `since` is used only where neither
 * the writers nor the readers of a row belong together. Of shared memory, of which there is little, `last`
 * has nothing but writers and `since` all readers, and there are no rows.
 *
 * Of global memory all workers look at the same words and write them, without a lock and without atomic
 * operations, as these would cost more than all the rest; ThreadSanitizer reports it. Each half is one
 * aligned word, and a descriptor is written before its number is put into a half, which others see in that
 * order on x86-64: so a half always names an access that was made, and so does an entry of `rows`. What can
 * happen is that one worker's access is lost under another's: then a race is told of other accesses, or
 * missed in this run. */
typedef struct {
    uint32_t *last, *since;
    uint64_t *rows;
    bool narrow; /* the halves of words know their bytes */
} shadow_planes;

/* Words of a row. Its entry is a descriptor, whether that is of writers, and above that a lane for each word:
 * of warps of 32 lanes, and of the first half of all descriptors. Where cells know their bytes, all of them
 * are touched in each word, and above the descriptor is how (check/narrow.c); such rows are of writers. */
enum {
    ROW_WORDS = 8,
    ROW_LANE_BITS = 5,
    ROW_LANES = 1 << ROW_LANE_BITS,
    ROW_DESC_BITS = CELL_DESC_BITS - 1,
    ROW_WRITERS = 1 << ROW_DESC_BITS,
    ROW_BYTES = (1 << NARROW_MASK_BITS) - 1, /* all of a word's */
};

static inline uint32_t em_row_who(const shadow_planes *p, uint64_t row, uint64_t word) {
    const uint32_t at = CELL_DESC_BITS + ROW_LANE_BITS * (uint32_t)(word % ROW_WORDS);
    const uint32_t who = (uint32_t)row & ((1u << ROW_DESC_BITS) - 1),
                   lane = (uint32_t)(row >> at) & (ROW_LANES - 1);
    return p->narrow ? who << NARROW_DESC_AT | ROW_BYTES << CELL_LANE_BITS | lane
                     : who << CELL_LANE_BITS | lane;
}
/* One entry for eight halves, if they are lanes of one instruction; else 0. */
static inline uint64_t em_row_of(const shadow_planes *p, const uint32_t *halves) {
    uint64_t row = halves[0] >> (p->narrow ? NARROW_DESC_AT : CELL_LANE_BITS);
    if (!row || row & ROW_WRITERS) return 0;
    if (p->narrow ? em_narrow_bytes(halves[0]) != ROW_BYTES : halves[0] & CELL_MANY_BLOCKS) return 0;
    for (uint32_t k = 0; k < ROW_WORDS; k++) {
        const uint32_t lane = halves[k] ^ (halves[0] & ~(uint32_t)(ROW_LANES - 1));
        if (lane >= ROW_LANES) return 0;
        row |= (uint64_t)lane << (CELL_DESC_BITS + ROW_LANE_BITS * k);
    }
    return halves[0] & ROW_LANES ? 0 : row;
}
static inline uint64_t em_planes_row(const shadow_planes *p, uint64_t word) {
    return p->rows ? p->rows[word / ROW_WORDS] : 0;
}
/* Who has read a word since it was written, if `last` says by whom. */
static inline uint32_t em_planes_reader(const shadow_planes *p, uint64_t word) {
    const uint64_t row = em_planes_row(p, word);
    return row && !(row & ROW_WRITERS) ? em_row_who(p, row, word) : p->since[word];
}
/* Who has written a word of which `last` says who has read it; 0: nobody. */
static inline uint32_t em_planes_writer(const shadow_planes *p, uint64_t word) {
    const uint64_t row = em_planes_row(p, word);
    return row & ROW_WRITERS ? em_row_who(p, row, word) : 0;
}
/* Puts the readers of the word's row into `since`. */
static inline void em_planes_spread(const shadow_planes *p, uint64_t word) {
    const uint64_t first = word / ROW_WORDS * ROW_WORDS;
    const uint64_t row = em_planes_row(p, word);
    if (!row || row & ROW_WRITERS) return;
    for (uint32_t k = 0; k < ROW_WORDS; k++) p->since[first + k] = em_row_who(p, row, k);
    p->rows[word / ROW_WORDS] = 0;
}
/* Whether the reader of a word, of which `last` has the writer, can be put into `last`: the writers of its
 * row are in its entry, or come there; readers that were there go to `last`. */
static inline bool em_planes_turn(const shadow_planes *p, uint64_t word, allocation *a) {
    const uint64_t first = word / ROW_WORDS * ROW_WORDS, row = p->rows[word / ROW_WORDS];
    uint32_t *const last = p->last + first;
    const bool turned = row & ROW_WRITERS;
    if (turned && em_row_who(p, row, word) == p->last[word]) return !p->since[word];
    const uint64_t writers = em_row_of(p, last);
    if (!writers || p->since[word]) return false;
    if (!a->has_writers) a->has_rows = a->has_writers = true;
    p->rows[word / ROW_WORDS] = writers | ROW_WRITERS;
    for (uint32_t k = 0; row && !turned && k < ROW_WORDS; k++) last[k] = em_row_who(p, row, k);
    return true;
}

static inline size_t em_planes_bytes(size_t words) {
    return 2 * words * sizeof(uint32_t);
}
/* With `rows`. */
static inline size_t em_planes_reserved(size_t words) {
    return em_planes_bytes(words) + words / ROW_WORDS * sizeof(uint64_t);
}

static inline shadow_planes em_planes_of(const allocation *a, bool narrow) {
    uint32_t *last = atomic_load_explicit(&((allocation *)(uintptr_t)a)->shadow, memory_order_acquire);
    return (shadow_planes){last, last ? last + a->shadow_words : NULL,
                           last ? (uint64_t *)(void *)(last + 2 * a->shadow_words) : NULL, narrow};
}

/* How the lanes of an access lie to each other. An instruction mostly repeats itself, at another place: what
 * follows from the distances alone is worked out once (pattern.c). */
enum { PATTERN_CELLS = 2 * MAX_LANES };
/* A row: all 32 lanes, one behind the other. Groups: 8 lanes at a time are a row, or at one place. */
typedef enum { PATTERN_OTHER, PATTERN_ROW, PATTERN_UNIFORM, PATTERN_GROUPS } pattern_shape;
enum { GROUP = 8 };
typedef struct {
    uint64_t mask;              /* the lanes; 0: there is none yet */
    uint32_t version;           /* counts the patterns that have been here */
    int32_t offsets[MAX_LANES]; /* from the first lane's address */
    int32_t low;                /* the least of them */
    uint32_t span;              /* bytes from the least to behind the greatest */
    uint32_t bits;              /* that are set in any of them */
    uint8_t shape;              /* pattern_shape */
    bool all_rows;              /* a row, or groups that are rows … */
    bool rows;                  /* … of words of which none is touched twice */
    bool cell_rows;             /* 8 words at a time are neighbours */
    bool word_row;              /* each lane touches one word, a row of them */
    bool group_row[MAX_LANES / GROUP];
    bool known; /* the following is worked out */
    uint32_t turns, ideal;
    uint32_t cell_count;                /* words that are touched; 0: too many, or parts of words */
    int32_t cells[PATTERN_CELLS];       /* from the first lane's … */
    uint32_t cell_lanes[PATTERN_CELLS]; /* … and who touches them: a lane, and whether there are more */
    uint8_t sectors[128], lines[128];   /* by the first lane's place in a line; 0: not worked out */
} pattern;

/* What a memory instruction has done, kept by each worker. */
typedef struct {
    uint64_t lo, hi;      /* range of the allocation used last … */
    uint64_t from, count; /* … and for compiled code: its first place for an access, how many there are … */
    uint64_t host;        /* … and what is added to an address to get the host's (access.c) */
    allocation *alloc;
    uint64_t last; /* the first lane's address at the last execution */
    uint64_t accesses, sectors, lines, ideal, turns;
    uint64_t plain; /* accesses by compiled code, whose cost is known (compiled.h) and added up at the end */
    uint32_t worst;
    uint32_t bank_counts[64];
    pattern patterns[2]; /* of all lanes, of some */
} memory_stats;

typedef struct {
    uint64_t taken, divergent;
} branch_stats;

/* Locations that have carried a release, by address. */
typedef struct {
    ls_intmap at;           /* order_place * */
    uint32_t lives, stamps; /* of locations, and of what they have had (em_view_mark) */
} order_places;

/* What a checker does at an access of the lanes in `mask`. */
typedef void (*access_hook)(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask);

typedef struct found {
    ls_finding finding;
    uint64_t key;
    uint32_t block; /* of the example */
    bool told;      /* there is one */
    bool passed;    /* the caller has been told while the launch runs */
    struct found *next;
} found;

#endif
