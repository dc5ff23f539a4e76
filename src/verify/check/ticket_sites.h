/* Where a kernel synchronises, and with which ticket (tickets.c has the idea). */
#ifndef LS_VERIFY_CHECK_TICKET_SITES_H
#define LS_VERIFY_CHECK_TICKET_SITES_H

#include "verify/check/groups.h"
#include "verify/proof.h"

typedef enum {
    LS_SITE_ACCESS,     /* an ordinary access to shared memory */
    LS_SITE_FLIGHT,     /* a cp.async to shared memory */
    LS_SITE_ARRIVE,     /* at an mbarrier, perhaps with bytes that are expected */
    LS_SITE_JOIN,       /* cp.async.mbarrier.arrive: the phase does not end before the thread's cp.async do */
    LS_SITE_WAIT,       /* for a phase of an mbarrier */
    LS_SITE_PEEK,       /* a look at whether the phase is over that is waited for behind it, if it is not */
    LS_SITE_COPY_IN,    /* a bulk copy to shared memory, which counts its bytes at an mbarrier */
    LS_SITE_COPY_OUT,   /* a bulk copy from shared memory, in a group */
    LS_SITE_COMMIT,     /* of bulk groups */
    LS_SITE_GROUP_WAIT, /* for bulk groups */
    LS_SITE_PRODUCT,    /* wgmma.mma_async, which reads shared memory (products.c) */
    LS_SITE_UNIT_COMMIT, /* of products */
    LS_SITE_UNIT_WAIT,   /* for products */
    LS_SITE_BARRIER,     /* of the block */
    LS_SITE_LANES,       /* of a warp, or some warps, which wait for each other (ticket_lanes.c) */
    LS_SITE_FENCE,       /* fence.proxy.async */
    LS_SITE_INIT_FENCE,  /* fence.mbarrier_init */
    LS_SITE_INVALIDATE,  /* mbarrier.inval */
    LS_SITE_COUNT
} ls_site_kind;

/* A number of something that is completed in order: the phases of an array of mbarriers in turn, the passages
 * of a barrier in a loop, the groups that a thread has committed. */
typedef struct {
    uint32_t object;
    int64_t step; /* it grows by so much with every iteration of the site's loop; 0: not at all */
    int64_t offset;
} ls_ticket;

enum { LS_NO_OBJECT = UINT32_MAX, LS_MOST_STAGES = 32, LS_MOST_BLOCK = 1024, LS_MOST_UNITS = 8 };

/* Threads of a block by their numbers, and from LS_MOST_BLOCK on, by warp, the one that elect.sync elects: it
 * is one of the warp's lanes, and open which one. */
enum { LS_MOST_THREADS = LS_MOST_BLOCK + 64, LS_THREAD_WORDS = LS_MOST_THREADS / 64 };

typedef struct {
    uint8_t kind;
    const ls_ir_instr *instr;
    const ls_node *node;
    uint64_t position;      /* in the sort order of the kernel */
    const ls_ir_loop *loop; /* the outermost one around it that does more than wait; NULL: none */
    const ls_term *when, *address;
    uint64_t size;
    bool writes;
    bool global; /* what a copy does to global memory is meant */
    const ls_ir_base *base;
    const ls_term *mbarrier;  /* its address, where it is about one */
    const ls_term *map;       /* COPY_…: the address of its tensor map; NULL: it has none */
    const ls_ir_instr *token; /* WAIT: the arrival whose state is waited for; NULL: it names a parity */
    ls_ticket ticket;
    int64_t first, last; /* iterations in which it may be reached; last: INT64_MAX: no end */
    uint64_t bytes;      /* ARRIVE: expected; COPY: moved; GROUP_WAIT, UNIT_WAIT: groups left open */
    uint32_t unit;     /* PRODUCT, UNIT_…: which four warps; LANES: which warp; COPY_OUT, COMMIT, GROUP_WAIT:
                          which of the threads that copy so (bulk_groups.c) */
    bool nested;       /* LANES: in a loop within the loop */
    bool named;        /* ARRIVE, WAIT: at a barrier of the block with a number (ticket_named.c) */
    bool warps;        /* LANES: of some warps of the block, which wait for each other */
    uint64_t arrivals; /* ARRIVE: for how many threads */
    bool drops;        /* ARRIVE: later phases expect so many fewer */
    bool silent;       /* ARRIVE: by the thread's copies once they are over (.noinc): says nothing of
                          what the thread did; LANES: orders no memory */
    bool reads_only;   /* GROUP_WAIT: for what was read */
    uint64_t threads[LS_THREAD_WORDS]; /* of the block that may come here */
    uint32_t thread_count;
} ls_site;

typedef enum {
    LS_TICKETS_MBARRIER,
    LS_TICKETS_OUTSIDE,
    LS_TICKETS_LOOP,
    LS_TICKETS_LANES,
    LS_TICKETS_READ,
    LS_TICKETS_GROUP,
    LS_TICKETS_UNIT
} ls_tickets_kind;

typedef struct {
    uint8_t kind; /* OUTSIDE: barriers of the block that are in no loop; LOOP: one in a loop; LANES: of a
                     warp; READ, GROUP:
                     groups; UNIT: groups of products */
    uint32_t
        stages; /* of an array of mbarriers: ticket q is phase q / stages of element q % stages; else 1 */
    const ls_term *elements[LS_MOST_STAGES];
    uint64_t count;   /* arrivals of a phase */
    bool named;       /* MBARRIER: it is a barrier of the block with a number */
    int64_t step;     /* of those that reach it in a loop */
    uint32_t barrier; /* LOOP: its site */
} ls_ticket_object;

typedef struct {
    const ls_term *address, *when;
    const ls_ir_base *base;
    uint64_t count;
    uint32_t object, element;
    const ls_ir_instr *instr;
    uint64_t position;
    uint32_t thread;
} ls_mbarrier_init;

typedef struct {
    ls_proof *p;
    ls_proof *nested; /* of the kernel as it is, where loops within loops are one loop here; NULL: they are
                         not */
    LS_VEC(ls_site) sites;
    LS_VEC(ls_ticket_object) objects;
    LS_VEC(ls_mbarrier_init) inits;
    uint32_t threads;                /* of the block */
    uint32_t outside;                /* object of barriers in no loop */
    uint32_t copiers[LS_MOST_UNITS]; /* threads that copy out of shared memory in groups */
    uint32_t copier_count;
    uint32_t read[LS_MOST_UNITS], group[LS_MOST_UNITS]; /* objects of their groups */
    uint32_t units[LS_MOST_UNITS];                      /* of the groups of products */
    uint32_t named[LS_MOST_NUMBERS]; /* objects of named barriers, and one more; 0: there is none */
    const char *trouble;             /* why it is not of a known shape; NULL: it is */
    const char *help;                /* what would mend it; NULL: nothing is known */
    const ls_ir_instr *where;
} ls_protocol;

/* Of a kind that is at a phase of an mbarrier. */
bool ls_is_at_mbarrier(const ls_site *s);
/* The same, or a look at one. */
bool ls_uses_mbarrier(const ls_site *s);
/* By an asynchronous unit of another proxy; and all that goes on behind the instruction. */
bool ls_is_bulk(const ls_site *s);
bool ls_is_copy(const ls_site *s);
/* Fills the protocol; false with trouble where it is not of a known shape. */
bool ls_read_protocol(ls_protocol *x);
void ls_protocol_free(ls_protocol *x);
/* Looks at a phase get the ticket of the wait behind them; false with trouble where there is none. */
bool ls_number_peeks(ls_protocol *x);
/* A reason, the first of which is kept; returns false. */
bool ls_not_known(ls_protocol *x, const ls_ir_instr *where, const char *trouble);

/* The counter of a site's loop, of 64 bits; NULL: it is in none. */
const ls_term *ls_site_counter(const ls_protocol *x, const ls_site *s);
/* The ticket as a term of 64 bits, in terms of the counter given. */
const ls_term *ls_ticket_term(const ls_protocol *x, ls_ticket ticket, const ls_term *counter);
/* The iteration in which a site whose tickets move has a ticket, in terms of the counter that the ticket is
 * in: that counter, or 0, and *rounds. False: it never has it. All that move at one object do so by the same
 * step. */
bool ls_has_ticket(const ls_site *s, ls_ticket ticket, int64_t *rounds);
/* Nothing is in the condition but what all threads of the block have alike, and the counter of the site's
 * loop. */
bool ls_is_common(const ls_protocol *x, const ls_site *s, const ls_term *condition);
/* No execution of one thread satisfies all of these. */
bool ls_never(const ls_protocol *x, const ls_term *const *conditions, uint32_t count);
/* The condition on which an iteration goes on to the next one: no way out is taken. NULL: it is not known. */
const ls_term *ls_stays_in(const ls_protocol *x, const ls_ir_loop *loop);
/* How many rounds of a loop are meant: few enough that no index which the conditions compare overflows. */
const ls_term *ls_few_rounds(const ls_protocol *x, const ls_term *const *conditions, uint32_t count,
                             const ls_term *k);
/* The condition, where all waits that it mentions are over. */
const ls_term *ls_past_waits(const ls_protocol *x, const ls_term *condition);
/* The symbol is what a wait for a phase answers in the end: a look at one may answer anything. */
bool ls_is_wait_over(ls_terms *t, const ls_term *symbol);
/* The thread is among those that may come there. */
bool ls_is_there(const ls_site *s, uint32_t thread);
/* The same, but of the lane that elect.sync elects only where that is named. */
bool ls_is_named(const ls_site *s, uint32_t thread);
/* A thread that may reach both; LS_NO_OBJECT: none is known. */
uint32_t ls_common_thread(const ls_site *a, const ls_site *b);
/* The thread's index. */
void ls_index_of(const ls_protocol *x, uint32_t thread, const ls_term *index[3]);
/* It is this thread (of its number in the block); true for LS_NO_OBJECT. */
const ls_term *ls_is_thread(const ls_protocol *x, uint32_t thread);
/* The thread is one of those that the site may be reached by: a condition on its index in a row. */
const ls_term *ls_is_among(const ls_protocol *x, const ls_site *s);
/* The first thread that may come there; LS_NO_OBJECT: none. */
uint32_t ls_first_thread(const ls_site *s);
/* A term for one thread of the block; and of a site, in one of its iterations, too. */
const ls_term *ls_for_thread(const ls_protocol *x, const ls_term *term, uint32_t thread);
const ls_term *ls_in_case(const ls_protocol *x, const ls_site *s, const ls_term *term, uint32_t thread,
                          int64_t k);
/* A term of a site in one of its iterations. */
const ls_term *ls_in_iteration(const ls_protocol *x, const ls_site *s, const ls_term *term, uint64_t k);
bool ls_threads_meet(const ls_site *a, const ls_site *b);
/* All threads that may reach the first may reach the second. */
bool ls_threads_within(const ls_site *a, const ls_site *b);

#endif
