/* The emulator's checkers, a row each: what it is called (lockstep/checkers.def) and what it does at a
 * launch, at a block and its warps, at an access and at the end. Decoding asks for the bits (decode/memory.c:
 * which accesses are looked at; decode/undefined.c: which registers; decode/decode.c: which loops are
 * counted); bounds and alignment are looked at by every access itself (access.c), where it is on or off is a
 * matter of what is said. */
#include "emulate/check/checkers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- State -------------------------------------------------------------------------------------------------
 */

static void barrier_warp(const machine *m, warp *w) {
    (void)m;
    w->loop_counts = ls_xcalloc(MAX_COUNTED_LOOPS * MAX_LANES, sizeof *w->loop_counts);
}

static void barrier_release(const machine *m, block_run *b) {
    for (uint32_t n = 0; b->warps && n < m->warps_per_block; n++) free(b->warps[n].loop_counts);
}

/* A bit for each byte of local memory. */
static size_t bits_of_local(const block_run *b) {
    return b->local_bytes / 8 + 8;
}

static bool bounds_block(machine *m, block_run *b) {
    if (m->emulator->has_gaps) b->gaps = em_reserve(bits_of_local(b));
    return true;
}

static void bounds_release(const machine *m, block_run *b) {
    (void)m;
    if (b->gaps) munmap(b->gaps, bits_of_local(b));
}

static bool uninit_block(machine *m, block_run *b) {
    if (m->emulator->has_locals) b->undefined = em_reserve(bits_of_local(b));
    return em_race_block(m, b);
}

static void uninit_release(const machine *m, block_run *b) {
    if (b->undefined) munmap(b->undefined, bits_of_local(b));
    b->undefined = NULL;
    em_race_release(m, b);
}

/* --- The table ---------------------------------------------------------------------------------------------
 */

#define CHECKER(id, name, rule, about) [LS_CHECKER_##id] = {name, 1u << LS_CHECKER_##id, rule, about},
static const ls_emu_checker names[] = {
#include "lockstep/checkers.def"
};
#undef CHECKER

typedef struct {
    bool (*launch)(machine *m);
    bool (*block)(machine *m, block_run *b);
    void (*warp)(const machine *m, warp *w);
    void (*release)(const machine *m, block_run *b);
    access_hook access[2]; /* to global, to shared memory */
    void (*end)(machine *m, ls_emu_result *r);
} hooks;

static const hooks table[LS_CHECKER_COUNT] = {
    [LS_CHECKER_RACE] = {.launch = em_race_launch,
                         .block = em_race_block,
                         .warp = em_race_warp,
                         .release = em_race_release,
                         .access = {em_race_anywhere, em_race_shared}},
    [LS_CHECKER_BARRIER] = {.warp = barrier_warp, .release = barrier_release},
    [LS_CHECKER_BOUNDS] = {.block = bounds_block, .release = bounds_release},
    [LS_CHECKER_ALIGN] = {0},
    [LS_CHECKER_UNINIT] = {.launch = em_race_launch,
                           .block = uninit_block,
                           .warp = em_race_warp,
                           .release = uninit_release,
                           .access = {em_race_anywhere, em_race_shared}},
    [LS_CHECKER_BANK] = {.access = {NULL, em_count_bank}, .end = em_bank_findings},
    [LS_CHECKER_COALESCE] = {.access = {em_count_sectors, NULL}, .end = em_coalescing_findings},
    [LS_CHECKER_DIVERGE] = {.end = em_branch_findings},
};

#define EACH_ON(m, h)                                                                                        \
    for (uint32_t k_ = 0; k_ < LS_CHECKER_COUNT; k_++)                                                       \
        for (const hooks *h = (m)->options.checks >> k_ & 1 ? &table[k_] : NULL; h; h = NULL)

/* An access meets each hook once, also where two checkers share it. */
static void add_access(machine *m, const hooks *h) {
    for (int shared = 0; shared < 2; shared++) {
        access_hook hook = h->access[shared], *at = m->access_hooks[shared];
        while (*at && *at != hook) at++;
        *at = hook;
    }
}

bool em_checkers_launch(machine *m) {
    EACH_ON(m, h) {
        add_access(m, h);
        if (h->launch && !h->launch(m)) return false;
    }
    return true;
}

bool em_checkers_block(machine *m, block_run *b) {
    EACH_ON(m, h) if (h->block && !h->block(m, b)) return false;
    return true;
}

void em_checkers_warp(const machine *m, warp *w) {
    EACH_ON(m, h) if (h->warp) h->warp(m, w);
}

void em_checkers_release(const machine *m, block_run *b) {
    EACH_ON(m, h) if (h->release) h->release(m, b);
}

void em_checkers_end(machine *m, ls_emu_result *r) {
    EACH_ON(m, h) if (h->end) h->end(m, r);
}

void em_check_access(warp *w, const mem_access *m, ls_ptx_space space, const uint64_t *address,
                     uint64_t mask) {
    const access_hook *hook = w->machine->access_hooks[space == LS_SPACE_SHARED];
    for (; *hook; hook++)
        if (!m->spared || (*hook != em_race_anywhere && *hook != em_race_shared))
            (*hook)(w, m, address, mask);
}

/* --- Names -------------------------------------------------------------------------------------------------
 */

const ls_emu_checker *ls_emu_checkers(void) {
    return names;
}

/* The word's bits; false where there is no such checker. */
static bool bits_of(const char *word, size_t length, uint32_t *bits) {
    for (uint32_t k = 0; k < LS_CHECKER_COUNT; k++) {
        if (strlen(names[k].name) != length || memcmp(names[k].name, word, length)) continue;
        *bits |= names[k].bit;
        return true;
    }
    return false;
}

size_t ls_emu_checks_parse(const char *list, uint32_t *checks, const char **wrong) {
    bool all = !strcmp(list, "all"), alone = all || !strcmp(list, "none");
    *checks = all ? LS_CHECK_ALL : 0;
    if (wrong) *wrong = list;
    if (!*list) return 1;
    for (size_t n; *list && !alone; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if (bits_of(list, n, checks)) continue;
        if (wrong) *wrong = list;
        return n ? n : 1;
    }
    return 0;
}
