/* Races in the shared memory of kernels with asynchronous units: bulk and tensor copies, matrix units,
 * mbarriers (docs/async.md).
 *
 * An asynchronous unit is one more thread: its accesses are after the instruction that started them, and
 * before what has waited for them. Where a kernel has such instructions, shared memory is checked here, with
 * a clock for each thread and each unit (check/past.h), instead of by check/order.c; other kernels do not
 * come here. An operation counts as an access when it is started, whenever it is carried out: what it is
 * ordered with does not depend on that. */
#ifndef LS_EMULATE_CHECK_AGENT_H
#define LS_EMULATE_CHECK_AGENT_H

#include "emulate/machine.h"

typedef enum {
    AGENT_NONE,
    AGENT_COPY,
    AGENT_BULK,
    AGENT_TENSOR,
    AGENT_WGMMA,
    AGENT_STORE,
    AGENT_TENSOR_UNIT, /* tcgen05.mma, .cp: one after the other, for each thread */
    AGENT_TENSOR_LOAD,
    AGENT_TENSOR_STORE,
    AGENT_TENSOR_FREE
} agent_kind;
/* Which proxy a fence is for. */
typedef enum { PROXY_NONE, PROXY_ASYNC, PROXY_MBARRIER_INIT, PROXY_ASYNC_GLOBAL, PROXY_TENSORMAP } proxy_kind;
/* Operations that a thread or, from QUEUE_WGMMA on, warps wait for together. */
typedef enum {
    QUEUE_COPY,
    QUEUE_BULK,
    QUEUE_TENSOR,
    QUEUE_WGMMA,
    QUEUE_TENSOR_LOAD,
    QUEUE_TENSOR_STORE,
    QUEUE_COUNT
} queue_kind;

/* The state of the blocks of a cluster, or of a single block; NULL if there is no memory. A launch without
 * asynchronous operations has no such state. */
bool em_agents_start(block_run *b);
void em_agents_free(agents *a);

/* --- What orders threads --- */
void em_agent_arrive(warp *w, uint32_t id, uint64_t lanes);
void em_agent_barrier(block_run *b, uint32_t id);
void em_agent_lanes(warp *w, uint64_t members);
void em_agent_fence(warp *w, const ls_order *order, proxy_kind proxy, uint64_t lanes);
void em_agent_strong(warp *w, const mem_access *m, bool shared, const uint64_t *address, uint64_t lanes);
/* Arrival at, and wait for, the barrier of the cluster. */
void em_agent_cluster_arrive(warp *w, uint64_t lanes, bool releases);
void em_agent_cluster_met(agents *a);
void em_agent_cluster_wait(warp *w, uint64_t lanes);

/* --- Accesses --- */
/* Of threads, to the shared memory of a block of the cluster. */
void em_agent_access(warp *w, const mem_access *m, block_run *target, const uint64_t *address, uint64_t mask);
/* An operation of a unit that the lane starts: its number. Not ordered before anything until it has a group
 * or an mbarrier. */
uint32_t em_agent_issue(warp *w, const mem_access *m, uint32_t lane, agent_kind kind);
/* What it touches, started by these lanes together. */
void em_agent_range(warp *w, uint32_t record, const mem_access *m, uint64_t lanes, block_run *target,
                    uint64_t address, uint64_t bytes);

/* --- Groups --- */
/* reads: the group's wait for reads is enough. */
void em_agent_enqueue(warp *w, uint32_t record, uint32_t lane, queue_kind kind, bool reads);
/* The accesses to global memory of a copy that the lane has started last, by that instruction. */
void em_agent_global(warp *w, const mem_access *m, uint32_t lane, queue_kind kind);
void em_agent_commit(warp *w, queue_kind kind, uint64_t lanes);
/* All but the last `rest` groups; negative: all operations. */
void em_agent_wait(warp *w, queue_kind kind, uint64_t lanes, int64_t rest, bool reads);

/* --- mbarriers --- */
typedef struct {
    uint32_t expected, pending;
    int32_t tx;
} mbarrier_counts;
void em_agent_init(warp *w, const insn *i, uint32_t lane, block_run *target, uint64_t address, bool ends,
                   mbarrier_counts now);
/* Before every other operation on it; async: a unit's. False where it was not initialised. */
bool em_agent_use(warp *w, const insn *i, uint32_t lane, block_run *target, uint64_t address, bool async);
void em_agent_release(warp *w, uint32_t lane, block_run *target, uint64_t address, const ls_order *order);
void em_agent_acquire(warp *w, uint32_t lane, block_run *target, uint64_t address, const ls_order *order);
/* The operation's bytes have come: it ends with the phase. */
void em_agent_counted(warp *w, uint32_t record, block_run *target, uint64_t address);
/* Operations of the lane that are not waited for end with the phase, too. */
void em_agent_copies(warp *w, uint32_t lane, block_run *target, uint64_t address, queue_kind kind);
void em_agent_phase(block_run *target, uint64_t address);

/* --- The end of a block --- */
void em_agent_end(block_run *b);

#endif
