/* What the checker of asynchronous kernels says. */
#include "base/recover.h"
#include "emulate/check/agent_state.h"

static const char *const units[] = {[AGENT_NONE] = "a thread",
                                    [AGENT_COPY] = "an asynchronous copy",
                                    [AGENT_BULK] = "a bulk copy",
                                    [AGENT_TENSOR] = "a tensor copy",
                                    [AGENT_WGMMA] = "a wgmma",
                                    [AGENT_STORE] = "an asynchronous store",
                                    [AGENT_TENSOR_UNIT] = "a tcgen05.mma or .cp",
                                    [AGENT_TENSOR_LOAD] = "a tcgen05.ld",
                                    [AGENT_TENSOR_STORE] = "a tcgen05.st",
                                    [AGENT_TENSOR_FREE] = "a tcgen05.dealloc"};

static ls_actor thread_at(const agents *a, uint32_t thread) {
    const uint32_t per_block = a->warps * a->lanes;
    return em_actor(a->machine, a->members[thread / per_block]->index, thread % per_block / a->lanes,
                    thread % a->lanes);
}

static const char *name_of(const ls_finding *f) {
    return f->story->object ? f->story->object : "shared memory";
}

/* Both are threads. */
static const char *between_threads(machine *m, const ls_finding *f, hazard kind, bool one_block) {
    static const char *const kinds[] = {[HAZARD_READ] = "write-read",
                                        [HAZARD_WRITE_AFTER_READ] = "read-write",
                                        [HAZARD_WRITE] = "write-write",
                                        [HAZARD_SAME_WRITE] = "write-write"};
    return ls_arena_printf(&m->arena, "%s race%s on '%s' between threads of %s", kinds[kind],
                           kind == HAZARD_SAME_WRITE ? " of equal values" : "", name_of(f),
                           one_block ? "one block" : "one cluster");
}

/* A unit has not ended. */
static const char *not_waited(machine *m, const ls_finding *f, const access_record *mine,
                              const access_record *other, hazard kind) {
    const char *does = kind == HAZARD_READ ? "read" : "written";
    return ls_arena_printf(
        &m->arena,
        "'%s' is %s%s%s while %s may still be %s it: nothing that the thread waited for says that it is done",
        name_of(f), does, mine->kind ? " by " : "", mine->kind ? units[mine->kind] : "", units[other->kind],
        other->write ? "writing" : "reading");
}

/* A unit is started too early. */
static const char *too_early(machine *m, const ls_finding *f, const access_record *mine, hazard kind) {
    return ls_arena_printf(&m->arena,
                           "%s %s '%s' while another thread may still %s it: nothing orders the two",
                           units[mine->kind], kind == HAZARD_READ ? "reads" : "writes", name_of(f),
                           kind == HAZARD_WRITE_AFTER_READ ? "read" : "write");
}

static const char *no_fence(machine *m, const ls_finding *f, const access_record *mine, hazard kind) {
    if (kind == HAZARD_WRITE_AFTER_READ)
        return ls_arena_printf(&m->arena,
                               "%s writes '%s' after an ordinary read of it, without a proxy fence between "
                               "the two: fence.proxy.async is missing after the read",
                               units[mine->kind], name_of(f));
    return ls_arena_printf(&m->arena,
                           "%s %s '%s' without a proxy fence after the ordinary write: fence.proxy.async is "
                           "missing, so it may %s",
                           units[mine->kind], kind == HAZARD_READ ? "reads" : "writes", name_of(f),
                           kind == HAZARD_READ ? "read what was there before"
                                               : "be overwritten by the older value");
}

/* Two threads at an mbarrier, of which one begins or ends it. */
static const char *at_object(const access_record *other) {
    return other->strong
               ? "an mbarrier is initialised again or invalidated while another thread may still use it: "
                 "nothing orders the two"
               : "an mbarrier is used by a thread that nothing orders after its initialisation or "
                 "invalidation: a barrier is missing";
}

/* What the thread does, or has a unit do. */
static const char *does(const access_record *r) {
    static const char *const texts[][2] = {
        [AGENT_NONE] = {"reads", "writes"},
        [AGENT_COPY] = {"has it read", "starts a copy to"},
        [AGENT_BULK] = {"starts a bulk copy from", "starts a bulk copy to"},
        [AGENT_TENSOR] = {"starts a tensor copy from", "starts a tensor copy to"},
        [AGENT_WGMMA] = {"starts a wgmma of", "starts a wgmma to"},
        [AGENT_STORE] = {"has it read", "starts a store to"},
        [AGENT_TENSOR_UNIT] = {"starts a tcgen05 operation that reads",
                               "starts a tcgen05 operation that writes"},
        [AGENT_TENSOR_LOAD] = {"starts a tcgen05.ld of", "writes"},
        [AGENT_TENSOR_STORE] = {"reads", "starts a tcgen05.st to"},
        [AGENT_TENSOR_FREE] = {"reads", "gives back"}};
    return r->object ? "uses" : texts[r->kind][r->write];
}

void em_agent_race(warp *w, const mem_access *m, const access_record *mine, uint32_t lane,
                   const access_record *other, uint32_t other_lane, hazard kind, bool proxy,
                   uint64_t address) {
    machine *mc = w->machine;
    const agents *a = w->block->agents;
    const uint32_t *sites = mc->emulator->site_of_memory.items;
    const bool object = mine->object && other->object;
    const ls_rule rule = proxy ? LS_RULE_ASYNC_PROXY : object ? LS_RULE_ASYNC_MBARRIER : LS_RULE_RACE_SHARED;
    (void)m;
    ls_lock(&mc->lock);
    found *found_ = em_find_finding(mc, rule, sites[mine->site], sites[other->site], (uint32_t)kind);
    ls_finding *f = &found_->finding;
    if (!f->count++) {
        em_name_address(mc, LS_SPACE_SHARED, address, f);
        f->level = kind == HAZARD_SAME_WRITE                                     ? LS_NOTE
                   : proxy && (kind == HAZARD_WRITE_AFTER_READ || other->object) ? LS_WARNING
                                                                                 : LS_ERROR;
        const uint32_t per_block = a->warps * a->lanes;
        const bool one_block = mine->thread / per_block == other->thread / per_block;
        if (proxy)
            f->message = no_fence(mc, f, mine, kind);
        else if (object)
            f->message = at_object(other);
        else if (other->kind)
            f->message = not_waited(mc, f, mine, other, kind);
        else if (mine->kind)
            f->message = too_early(mc, f, mine, kind);
        else
            f->message = between_threads(mc, f, kind, one_block);
        if (rule == LS_RULE_RACE_SHARED && !one_block && kind != HAZARD_SAME_WRITE)
            f->help =
                "order blocks of a cluster by barrier.cluster, or by releases and acquires for the cluster: "
                "a fence, an arrival or a wait for the block (.cta, which is meant where nothing is "
                "written) says nothing to another block";
        em_say_other(f, other->kind
                            ? ls_arena_printf(&mc->arena, "the %s", strchr(units[other->kind], ' ') + 1)
                            : ls_arena_printf(&mc->arena, "the other %s", other->write ? "write" : "read"));
        em_tell_other(f, thread_at(a, other->thread + (other->kind ? other->lane : other_lane)), does(other));
        em_tell_thread(f, thread_at(a, mine->thread + lane), does(mine));
    }
    ls_unlock(&mc->lock);
}

void em_agent_say(warp *w, uint32_t lane, ls_rule rule, ls_severity level, uint32_t at, uint32_t other,
                  uint32_t variant, uint64_t address, const char *message, const char *other_message) {
    machine *mc = w->machine;
    ls_lock(&mc->lock);
    found *f = em_find_finding(mc, rule, at, other, variant);
    if (!f->finding.count++) {
        f->finding.level = level;
        f->finding.message = message;
        em_say_other(&f->finding, other_message);
        em_tell_thread(&f->finding, em_actor(mc, w->block->index, w->index, lane), NULL);
        em_name_address(mc, LS_SPACE_SHARED, address, &f->finding);
    }
    ls_unlock(&mc->lock);
}

void em_agent_unfinished(warp *w, const access_record *r) {
    machine *mc = w->machine;
    const uint32_t at = mc->emulator->site_of_memory.items[r->site];
    const char *text = ls_arena_printf(
        &mc->arena, "the block ends while %s may still be %s its shared memory: no thread has waited for it",
        units[r->kind], r->write ? "writing" : "reading");
    ls_lock(&mc->lock);
    found *f = em_find_finding(mc, LS_RULE_ASYNC_UNFINISHED, at, at, r->write);
    if (!f->finding.count++) {
        f->finding.level = LS_ERROR;
        f->finding.message = text;
        em_tell_thread(&f->finding, thread_at(w->block->agents, r->thread + r->lane), NULL);
    }
    ls_unlock(&mc->lock);
}

void em_agent_visited(block_run *b, const access_record *r, uint32_t lane, uint64_t address) {
    machine *mc = b->warps[0].machine;
    const uint32_t at = mc->emulator->site_of_memory.items[r->site];
    ls_lock(&mc->lock);
    found *f = em_find_finding(mc, LS_RULE_ASYNC_UNFINISHED, at, at, 4);
    if (!f->finding.count++) {
        f->finding.level = LS_ERROR;
        f->finding.message =
            "a block may have ended when another block of its cluster accesses its shared memory: "
            "a barrier of the cluster is missing before its end";
        em_tell_thread(&f->finding, thread_at(b->agents, r->thread + (r->kind ? r->lane : lane)), NULL);
        em_name_address(mc, LS_SPACE_SHARED, address, &f->finding);
    }
    ls_unlock(&mc->lock);
}
