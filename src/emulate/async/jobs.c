/* Copies in the background. Each block keeps those that its threads have started, oldest first. */
#include "emulate/async/jobs.h"
#include "emulate/async/mbarrier.h"

enum { CHANCES = 4 }; /* at random, one in so many is carried out in a turn */

void em_job_piece(async_job *job, job_piece piece) {
    job_piece *last = job->pieces.length ? &job->pieces.items[job->pieces.length - 1] : NULL;
    if (last && !piece.op && !last->op && piece.from && last->from && last->to + last->bytes == piece.to &&
        last->from + last->bytes == piece.from) {
        last->bytes += piece.bytes;
        return;
    }
    LS_VEC_PUSH(&job->pieces, piece);
}

static void carry_out_piece(const job_piece *p) {
    if (p->op) {
        em_bulk_reduce(p->op, (ls_ptx_type)p->type, p->to, p->from, p->bytes);
    } else if (p->from) {
        memmove(p->to, p->from, p->bytes);
    } else {
        for (uint32_t k = 0; k < p->bytes; k++) p->to[k] = (char)p->fill[k % 2];
    }
}

static void carry_out(async_job *job) {
    for (uint32_t k = 0; k < job->pieces.length; k++) carry_out_piece(&job->pieces.items[k]);
    LS_VEC_FREE(&job->pieces);
    if (!job->object) return;
    for (uint32_t k = 0; k < 2 && job->w->block->agents; k++)
        if (job->records[k]) em_agent_counted(job->w, job->records[k], job->block, job->address);
    em_mbarrier_complete_tx(job);
}

static bool at_once(const warp *w) {
    switch (w->machine->options.schedule) {
    case LS_SCHEDULE_REVERSE: return false;
    case LS_SCHEDULE_RANDOM: return em_random(&w->worker->random) & 1;
    default: return true;
    }
}

void em_job_start(async_job *job) {
    block_run *b = job->w->block;
    if (at_once(job->w))
        carry_out(job);
    else
        LS_VEC_PUSH(&b->jobs, *job);
}

/* Those of which `is_due` says so. */
typedef bool due(const async_job *job, const void *context);

static bool carry_out_due(block_run *b, due *is_due, const void *context) {
    uint32_t kept = 0, all = b->jobs.length;
    for (uint32_t k = 0; k < all; k++) {
        async_job job = b->jobs.items[k];
        if (is_due(&job, context))
            carry_out(&job);
        else
            b->jobs.items[kept++] = job;
    }
    b->jobs.length = kept;
    return kept < all;
}

typedef struct {
    const warp *w;
    uint64_t lanes;
    int64_t rest;
} group_wait;

static bool is_of_group(const async_job *job, const void *context) {
    const group_wait *x = context;
    if (job->object || job->w != x->w || !(x->lanes >> job->lane & 1)) return false;
    return (int64_t)job->w->bulk_groups[job->lane] - 1 - job->group >= x->rest;
}

void em_jobs_of_groups(warp *w, uint64_t lanes, int64_t rest) {
    const group_wait x = {w, lanes, rest};
    carry_out_due(w->block, is_of_group, &x);
}

typedef struct {
    const block_run *block;
    uint64_t address;
} object_wait;

static bool is_of_object(const async_job *job, const void *context) {
    const object_wait *x = context;
    return job->object && job->block == x->block && job->address == x->address;
}

void em_jobs_of_object(block_run *target, uint64_t address) {
    const object_wait x = {target, address};
    carry_out_due(target, is_of_object, &x);
    const cluster_run *c = target->cluster;
    for (uint32_t k = 0; c && k < c->count; k++)
        if (c->members[k] != target) carry_out_due(c->members[k], is_of_object, &x);
}

static bool is_lucky(const async_job *job, const void *context) {
    (void)context;
    return em_random(&job->w->worker->random) % CHANCES == 0;
}

void em_jobs_turn(block_run *b) {
    if (b->warps[0].machine->options.schedule == LS_SCHEDULE_RANDOM) carry_out_due(b, is_lucky, NULL);
}

static bool is_any(const async_job *job, const void *context) {
    (void)job, (void)context;
    return true;
}

bool em_jobs_all(block_run *b) {
    return b->jobs.length && carry_out_due(b, is_any, NULL);
}

void em_jobs_free(block_run *b) {
    for (uint32_t k = 0; k < b->jobs.length; k++) LS_VEC_FREE(&b->jobs.items[k].pieces);
    LS_VEC_FREE(&b->jobs);
}
