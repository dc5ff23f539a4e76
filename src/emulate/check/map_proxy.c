/* Tensor maps and their proxy (check/map_proxy.h). A block knows of its own changes, and sees by a map's
 * bytes that others, or ordinary stores, have changed it since its last copy. */
#include "emulate/check/map_proxy.h"
#include "base/recover.h"
#include "emulate/check/agent_state.h"
#include "isa/tensor_map.h"

static uint64_t address_of(const warp *w, const mem_access *map, uint32_t lane) {
    uint64_t all[MAX_LANES];
    em_addresses(w, map, all);
    return all[lane];
}

static map_state *state_at(agents *a, uint64_t address, bool make) {
    for (uint32_t k = 0; k < a->maps.length; k++)
        if (a->maps.items[k].address == address) return &a->maps.items[k];
    if (!make) return NULL;
    LS_VEC_PUSH(&a->maps, (map_state){.address = address});
    return &a->maps.items[a->maps.length - 1];
}

void em_map_change(warp *w, const insn *i, const mem_access *map, uint32_t lane, bool released) {
    const uint64_t address = address_of(w, map, lane);
    if (!w->block->agents || map->space == LS_SPACE_SHARED || (address & WINDOW_MASK)) return;
    map_state *s = state_at(w->block->agents, address, true);
    *s = (map_state){.address = address,
                     .changed = true,
                     .released = released,
                     .thread = thread_number(w, lane),
                     .site = i->site};
}

void em_map_fence(warp *w, const mem_access *map, uint32_t lane) {
    agents *a = w->block->agents;
    if (!a) return;
    const uint64_t address = map ? address_of(w, map, lane) : 0;
    for (uint32_t k = 0; k < a->maps.length; k++) {
        map_state *s = &a->maps.items[k];
        if (!map) s->released |= s->thread == thread_number(w, lane);
        if (map && s->address == address) s->acquired = true, s->known = 0;
    }
}

static void say(warp *w, const insn *i, uint32_t lane, const map_state *s, const char *message) {
    machine *m = w->machine;
    ls_lock(&m->lock);
    found *f = em_find_finding(m, LS_RULE_ASYNC_PROXY, i->site, s->changed ? s->site : i->site, 7);
    if (!f->finding.count++) {
        f->finding.level = LS_ERROR;
        f->finding.message = message;
        if (s->changed) em_say_other(&f->finding, "where the map was changed");
        em_tell_thread(&f->finding, em_actor(m, w->block->index, w->index, lane), "starts a tensor copy");
        em_name_address(m, LS_SPACE_GLOBAL, s->address, &f->finding);
    }
    ls_unlock(&m->lock);
}

void em_map_use(warp *w, const insn *i, const mem_access *map, uint32_t lane, const uint64_t *word) {
    if (!w->block->agents) return;
    map_state *s = state_at(w->block->agents, address_of(w, map, lane), true);
    const uint64_t now = ls_hash_bytes((const char *)word, LS_TENSOR_WORDS * sizeof *word) | UINT64_C(1)
                                                                                                 << 32;
    if (s->changed && !s->released)
        say(w, i, lane, s,
            "a tensor copy uses a map that was changed without a release: "
            "fence.proxy.tensormap::generic.release is missing after the change");
    else if (s->changed && !s->acquired)
        say(w, i, lane, s,
            "a tensor copy may still use the map as it was before it was changed: "
            "fence.proxy.tensormap::generic.acquire for its address is missing");
    else if (s->known && s->known != now)
        say(w, i, lane, s,
            "a tensor copy may still use the map as it was at the previous copy: it has changed since, and "
            "fence.proxy.tensormap::generic.acquire for its address is missing");
    s->known = now;
}
