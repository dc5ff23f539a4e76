/* Copies of asynchronous units that have been started: when they are carried out is the schedule's choice. In
 * order ("rr") each is carried out when it is started, in reverse as late as somebody waits for it, at random
 * some time between. What orders them with other accesses (check/agent.h) does not depend on that; what is
 * read too early does. */
#ifndef LS_EMULATE_ASYNC_JOBS_H
#define LS_EMULATE_ASYNC_JOBS_H

#include "emulate/check/agent.h"

/* A part of a copy, by host addresses. */
typedef struct {
    char *to;
    const char *from; /* NULL: `fill` is written */
    uint32_t bytes;
    uint8_t op, type; /* a reduction: atomic_op, ls_ptx_type */
    uint8_t fill[2];
} job_piece;

struct async_job {
    LS_VEC(job_piece) pieces;
    warp *w;
    const insn *i;
    uint32_t lane;
    uint32_t records[2];      /* of the source, of the target in shared memory; 0: none */
    const mem_access *object; /* the mbarrier that counts its bytes, or NULL … */
    block_run *block;         /* … which is in this block … */
    uint64_t address, bytes;  /* … at this address */
    const mem_access *global; /* without an mbarrier: the access to global memory … */
    uint32_t group;           /* … and the groups that the lane had committed before */
};

void em_job_piece(async_job *job, job_piece piece);
/* Carries it out, now or later; what it has is its own from here on. */
void em_job_start(async_job *job);
/* Those that must be done before the lanes go on from their wait for groups. */
void em_jobs_of_groups(warp *w, uint64_t lanes, int64_t rest);
/* Those for an mbarrier that somebody waits for. */
void em_jobs_of_object(block_run *target, uint64_t address);
/* A turn of the block is over. */
void em_jobs_turn(block_run *b);
/* All; true where there were any. */
bool em_jobs_all(block_run *b);
void em_jobs_free(block_run *b);

#endif
