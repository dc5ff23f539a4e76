/* Random kernels of clusters of two blocks: threads write and read their own shared memory and the other
 * block's, before, between and behind the halves of the cluster's barrier, in a loop or in none. Half of them
 * are of a pattern that is right in the beginning and then changed; the others are of any order. */
#ifndef CLUSTER_HALVES_H
#define CLUSTER_HALVES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { HALVES_THREADS = 32, MOST_STEPS = 24 };

typedef enum {
    STEP_WRITE,      /* its own word */
    STEP_READ,       /* its neighbour's word */
    STEP_PEER_READ,  /* the other block's */
    STEP_PEER_WRITE, /* … in an array that is for this */
    STEP_READ_GIVEN, /* … which the block reads then */
    STEP_ARRIVE,
    STEP_RELAXED,
    STEP_FENCED, /* a fence, and a relaxed arrival */
    STEP_WAIT,
    STEP_BLOCK, /* bar.sync */
    STEP_COMPUTE,
    STEP_COUNT
} halves_step;

typedef struct {
    uint8_t steps[MOST_STEPS];
    uint32_t count, loop_from, rounds; /* from there to the last step but two it goes round */
} halves;

static const uint8_t HALVES_PATTERN[] = {
    STEP_WRITE,      STEP_ARRIVE,  STEP_COMPUTE, STEP_WAIT,  STEP_PEER_READ, STEP_READ,
    STEP_FENCED,     STEP_COMPUTE, STEP_WAIT,    STEP_WRITE, STEP_ARRIVE,    STEP_WAIT,
    STEP_PEER_WRITE, STEP_ARRIVE,  STEP_COMPUTE, STEP_WAIT,  STEP_READ_GIVEN};

/* Arrivals and waits by turns, so that nothing hangs, and a whole barrier at the end. */
static void mend_turns(halves *h) {
    bool arrived = false;
    for (uint32_t i = 0; i < h->count; i++) {
        const bool wait = h->steps[i] == STEP_WAIT;
        const bool arrival = h->steps[i] >= STEP_ARRIVE && h->steps[i] <= STEP_FENCED;
        if ((wait && !arrived) || (arrival && arrived)) h->steps[i] = STEP_COMPUTE;
        if (i + 3 == h->count || i + 1 == h->loop_from) /* before the loop begins, and where it ends */
            h->steps[i] = arrived && !wait ? STEP_WAIT : wait ? STEP_WAIT : STEP_COMPUTE;
        if (h->steps[i] == STEP_WAIT) arrived = false;
        if (h->steps[i] >= STEP_ARRIVE && h->steps[i] <= STEP_FENCED) arrived = true;
    }
}

static halves make_halves(uint64_t seed, uint32_t (*pick)(uint64_t *state, uint32_t below)) {
    uint64_t s = seed * 32452843 + 3;
    for (int i = 0; i < 4; i++) pick(&s, 2);
    halves h = {.count = sizeof HALVES_PATTERN};
    const bool pattern = seed % 2;
    for (uint32_t i = 0; i < h.count; i++)
        h.steps[i] = pattern ? HALVES_PATTERN[i] : (uint8_t)pick(&s, STEP_COUNT);
    for (uint32_t changes = pattern ? pick(&s, 3) : 0; changes--;) {
        const uint32_t at = pick(&s, h.count), other = pick(&s, h.count);
        const uint8_t step = h.steps[at];
        h.steps[at] = pick(&s, 2) ? h.steps[other] : (uint8_t)pick(&s, STEP_COUNT);
        if (h.steps[at] == h.steps[other]) h.steps[other] = step;
    }
    h.steps[h.count++] = STEP_COMPUTE; /* where the loop ends */
    h.steps[h.count++] = STEP_ARRIVE;
    h.steps[h.count++] = STEP_WAIT;
    h.rounds = pick(&s, 3);
    h.loop_from = h.rounds ? 1 + pick(&s, 6) : h.count;
    mend_turns(&h);
    return h;
}

static void write_halves(const halves *h, char *text, size_t size) {
    static const char *const TEXT[STEP_COUNT] = {
        [STEP_WRITE] = "st.shared.u32 [%r3], %r1;\n",
        [STEP_READ] = "ld.shared.u32 %r8, [%r4]; add.u32 %r9, %r9, %r8;\n",
        [STEP_PEER_READ] = "ld.shared::cluster.u32 %r8, [%r6]; add.u32 %r9, %r9, %r8;\n",
        [STEP_PEER_WRITE] = "st.shared::cluster.u32 [%r7], %r1;\n",
        [STEP_READ_GIVEN] = "ld.shared.u32 %r8, [%r5]; add.u32 %r9, %r9, %r8;\n",
        [STEP_ARRIVE] = "barrier.cluster.arrive.aligned;\n",
        [STEP_RELAXED] = "barrier.cluster.arrive.relaxed.aligned;\n",
        [STEP_FENCED] = "fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed.aligned;\n",
        [STEP_WAIT] = "barrier.cluster.wait.aligned;\n",
        [STEP_BLOCK] = "bar.sync 0;\n",
        [STEP_COMPUTE] = "add.u32 %r9, %r9, 3;\n"};
    char *at = text, *end = text + size;
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT(".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
        ".param .u32 n)\n.reqnctapercluster 2, 1, 1\n{\n.reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 "
        "%%d<8>;\n.shared .align 4 .b8 s[128]; .shared .align 4 .b8 g[128];\nld.param.u64 %%d2, [out]; "
        "mov.u32 "
        "%%r1, %%tid.x; mov.u32 %%r2, %%cluster_ctarank; xor.b32 %%r10, %%r2, 1; shl.b32 %%r11, %%r1, 2; "
        "xor.b32 "
        "%%r12, %%r11, 124; mov.u32 %%r3, s; add.u32 %%r4, %%r3, %%r12; add.u32 %%r3, %%r3, %%r11; mov.u32 "
        "%%r5, "
        "g; add.u32 %%r13, %%r5, %%r12; add.u32 %%r5, %%r5, %%r11; mov.u32 %%r9, 0; mov.u32 %%r14, 0;\n"
        "mapa.shared::cluster.u32 %%r6, %%r4, %%r10; mapa.shared::cluster.u32 %%r7, %%r13, %%r10;\n");
    for (uint32_t i = 0; i < h->count; i++) {
        if (i == h->loop_from) PUT("AGAIN:\n");
        PUT("%s", TEXT[h->steps[i]]);
        if (h->rounds && i + 3 == h->count)
            PUT("add.u32 %%r14, %%r14, 1; setp.lt.u32 %%p1, %%r14, %u; @%%p1 bra AGAIN;\n", h->rounds + 1);
    }
    PUT("shl.b32 %%r15, %%r2, 7; add.u32 %%r15, %%r15, %%r11; cvt.u64.u32 %%d3, %%r15; add.s64 %%d3, %%d2, "
        "%%d3; "
        "st.global.u32 [%%d3], %%r9;\nret;\n}\n");
#undef PUT
}

#endif
