/* What the files of the checker of asynchronous kernels share. */
#ifndef LS_EMULATE_CHECK_AGENT_STATE_H
#define LS_EMULATE_CHECK_AGENT_STATE_H

#include "base/map.h"
#include "emulate/check/agent.h"
#include "emulate/check/crowd.h"
#include "emulate/check/past.h"

/* Who has accessed: a warp and instruction between two releases, or an operation of a unit. */
typedef struct {
    uint32_t thread; /* of lane 0, among those of the cluster */
    uint32_t site;   /* memory site */
    uint32_t agent;  /* element of the clocks, or 0: the thread itself */
    uint32_t clock;  /* UINT32_MAX: not ended */
    uint8_t kind;    /* agent_kind */
    bool write, atomic, strong;
    uint8_t lane; /* of a unit's: who started it */
    bool object;  /* an operation on an mbarrier; not strong: its initialisation or end … */
    bool ends;    /* … the latter */
} access_record;

/* What is handed on to threads of the same block (AGENT_NEAR), and to those of the cluster's other blocks
 * (AGENT_FAR): for the latter both who releases and who acquires must do so for the cluster. */
enum { AGENT_NEAR, AGENT_FAR, AGENT_REACHES };
typedef struct {
    past now;                 /* what is before its next access */
    past seen[AGENT_REACHES]; /* released by what it has read; acquired where a fence or barrier follows */
    past released[AGENT_REACHES]; /* by its last fence for them */
} agent_thread;

/* Those that have reached a barrier of the block. */
typedef struct {
    past now, released[AGENT_REACHES];
} agent_meeting;

/* What was released at a place, or at the barrier of the cluster. */
typedef struct {
    past far;   /* for the cluster */
    past *near; /* for the block, by its rank; NULL: nothing */
} agent_handover;

typedef struct {
    uint64_t lanes;
    uint32_t number; /* operations up to here */
} agent_group;

/* What a copy does to global memory, for check/race.c: under way until its group is waited for. */
typedef struct {
    uint32_t desc, number, lane;
} agent_write;

typedef struct {
    uint32_t read, full; /* first element of the clocks, one for each lane; 0: none yet */
    uint32_t number;     /* operations so far */
    LS_VEC(agent_group) groups;
    LS_VEC(agent_write) writes;
} agent_queue;

typedef struct {
    uint32_t block, address;
    uint32_t agent;  /* element of the clocks: phases that are over */
    uint32_t phases; /* … of the object itself */
    bool live;
    past arriving, completed;         /* released by arrivals in this phase, in the last ones … */
    past far_arriving, far_completed; /* … from other blocks */
    uint32_t thread, clock, site;     /* of its initialisation */
    bool announced;                   /* a fence of that thread has followed … */
    bool opened;                      /* … for initialisations (fence.mbarrier_init) */
    uint32_t begun;                   /* phases when it was initialised: who knows of these knows that */
} mbarrier_state;

/* A tensor map that a copy has used, or that was changed (check/map_proxy.c). */
typedef struct {
    uint64_t address;
    bool changed, released, acquired;
    uint32_t thread, site; /* of the change */
    uint64_t known;        /* hash of what the last copy has seen; 0: none since the last acquire */
} map_state;

typedef struct {
    uint64_t changes;
    uint32_t record, lane, bytes;
    cell from, to;
} agent_memo;

struct agents {
    machine *machine;
    uint32_t blocks, warps, lanes; /* of the cluster, of a block, of a warp */
    block_run **members;           /* by rank */
    uint32_t users;                /* blocks that have it */
    agent_thread *threads;
    uint32_t *clocks; /* by warp */
    uint32_t elements;
    agent_meeting *meeting;    /* by block and barrier */
    agent_handover cluster[2]; /* of those that have reached the barrier of the cluster; of the last one */
    LS_VEC(access_record) records;
    desc_cache *cache; /* by warp and memory site */
    agent_queue *queues;
    LS_VEC(mbarrier_state) mbarriers;
    ls_intmap places; /* address of a strong write → number of what it has released */
    LS_VEC(agent_handover) released;
    LS_VEC(map_state) maps;
    crowds crowds;
    uint64_t changes;               /* of any thread's past */
    agent_memo memo[2 * MAX_LANES]; /* of a lane, for two words after each other */
};

static inline uint32_t agent_warp(const warp *w) {
    return w->block->rank * w->block->agents->warps + w->index;
}
static inline uint32_t thread_number(const warp *w, uint32_t lane) {
    return agent_warp(w) * w->block->agents->lanes + lane;
}
static inline agent_thread *thread_of(const warp *w, uint32_t lane) {
    return &w->block->agents->threads[thread_number(w, lane)];
}
/* The past of the lane's next access, with its own accesses up to now: for others. The caller drops it. */
past em_agent_own(warp *w, uint32_t lane, const past *from);
/* The same, and its operations of that kind. */
past em_agent_copied(warp *w, uint32_t lane, queue_kind kind);
/* What the warp does from now on is later than what it has handed over. */
void em_agent_tick(warp *w);

/* --- check/agent_sync.c --- */
void em_meeting_drop(agent_meeting *m);
void em_handover_free(const agents *a, agent_handover *h);

/* --- check/agent_report.c --- */
/* What is done now; SAME_WRITE: of the value that the other one has written. */
typedef enum { HAZARD_READ, HAZARD_WRITE_AFTER_READ, HAZARD_WRITE, HAZARD_SAME_WRITE } hazard;
void em_agent_race(warp *w, const mem_access *m, const access_record *mine, uint32_t lane,
                   const access_record *other, uint32_t other_lane, hazard kind, bool proxy,
                   uint64_t address);
void em_agent_say(warp *w, uint32_t lane, ls_rule rule, ls_severity level, uint32_t at, uint32_t other,
                  uint32_t variant, uint64_t address, const char *message, const char *other_message);

void em_agent_unfinished(warp *w, const access_record *r);
void em_agent_visited(block_run *b, const access_record *r, uint32_t lane, uint64_t address);

#endif
