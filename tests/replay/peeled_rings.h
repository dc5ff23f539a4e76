/* Rings of stages whose first steps stand in front of the loop, and whose last stage may be given back behind
 * it, as in the main loops of CUTLASS and FlashAttention-3: a right one, with up to two changes. One thread
 * fills the stages by bulk copies, the first ones without waiting; a warp reads them. */
#ifndef LS_TESTS_REPLAY_PEELED_RINGS_H
#define LS_TESTS_REPLAY_PEELED_RINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PEELED_BYTES = 128 };

typedef struct {
    uint32_t stages, ahead, peeled; /* steps of the producer and of the consumers in front of their loops */
    uint32_t lag;                   /* a stage is given back so many steps later … */
    uint32_t drained;               /* … and so many of them behind the loop */
    bool guarded;                   /* a launch with fewer steps than there are in front of the loop ends */
    uint32_t parity[3];             /* of the producer, and of the consumers in front of the loop and in it */
    uint32_t shift[3];              /* of the stages that they use, too */
    uint32_t drain_shift, empty_count, rounds;
    bool wait[3], arrive[2], fence[3], early[2], unguarded_step;
} peeled_ring;

static peeled_ring make_peeled(uint64_t seed, uint32_t (*pick)(uint64_t *state, uint32_t below)) {
    uint64_t s = seed * 15485863 + 7;
    for (int i = 0; i < 4; i++) pick(&s, 2);
    peeled_ring r = {.stages = 1 + pick(&s, 4),
                     .peeled = pick(&s, 4) ? 1 + pick(&s, 2) : 0,
                     .rounds = pick(&s, 9),
                     .guarded = true,
                     .empty_count = 32,
                     .parity = {1, 0, 0},
                     .wait = {true, true, true},
                     .arrive = {true, true},
                     .fence = {true, true, true}};
    r.ahead = pick(&s, 2) ? pick(&s, r.stages + 1) : 0;
    if (r.stages > 1 && pick(&s, 2)) r.lag = 1, r.drained = pick(&s, 2);
    for (uint32_t changes = pick(&s, 3); changes--;) switch (pick(&s, 18)) {
        case 0: r.guarded = false; break;
        case 1:
        case 2: r.parity[pick(&s, 3)] ^= 1; break;
        case 3:
        case 4: r.shift[pick(&s, 3)] = 1; break;
        case 5:
        case 6: r.wait[pick(&s, 3)] = false; break;
        case 7: r.arrive[pick(&s, 2)] = false; break;
        case 8:
        case 9: r.fence[pick(&s, 3)] = false; break;
        case 10: r.early[pick(&s, 2)] = true; break;
        case 11: r.empty_count += 1; break;
        case 12: r.empty_count -= 1; break;
        case 13: r.ahead = r.stages + 1; break; /* one step too many without waiting */
        case 14: r.drained += 1; break;
        case 15: r.drain_shift = 1; break;
        case 16: r.lag ^= 1; break;
        default: r.unguarded_step = true; break;
        }
    return r;
}

/* The stage of a step in %r9, its parity in %r10, and where its mbarriers and its place are. */
static int place_peeled(char *at, size_t size, const peeled_ring *r, const char *step, uint32_t shift,
                        uint32_t parity) {
    return snprintf(at, size,
                    "add.u32 %%r9, %s, %u; div.u32 %%r10, %%r9, %u; rem.u32 %%r9, %%r9, %u; xor.b32 %%r10, "
                    "%%r10, %u; and.b32 %%r10, %%r10, 1; shl.b32 %%r11, %%r9, 3; mad.lo.u32 %%r14, %%r9, %u, "
                    "%%r2; add.u32 %%r12, %%r3, %%r11; add.u32 %%r13, %%r4, %%r11;\n",
                    step, shift, r->stages, r->stages, parity, PEELED_BYTES);
}

static int fill_peeled(char *at, size_t size, const peeled_ring *r, uint32_t waits) {
    int n = place_peeled(at, size, r, "%r8", r->shift[0], r->parity[0]);
    if (waits)
        n += snprintf(at + n, size - (size_t)n,
                      "FILL%u: mbarrier.try_wait.parity.shared::cta.b64 %%p5, [%%r13], %%r10; @!%%p5 bra "
                      "FILL%u;\n",
                      waits, waits);
    return n + snprintf(at + n, size - (size_t)n,
                        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r12], %u;\ncp.async.bulk.shared::"
                        "cluster.global.mbarrier::complete_tx::bytes [%%r14], [%%d1], %u, [%%r12];\nadd.u32 "
                        "%%r8, %%r8, 1;\n",
                        PEELED_BYTES, PEELED_BYTES);
}

/* A step of the consumers, in front of the loop or in it. */
static int read_peeled(char *at, size_t size, const peeled_ring *r, uint32_t number, bool in_loop) {
    char give[500], *to = give;
    const uint32_t which = 1 + in_loop;
    *give = 0;
    if (r->arrive[in_loop] && (in_loop || number >= r->lag)) {
        to += snprintf(to, 60, "sub.u32 %%r21, %%r8, %u;\n", r->lag);
        to += place_peeled(to, 400, r, "%r21", r->shift[which], 0);
        if (in_loop && r->lag && !r->peeled)
            snprintf(to, 90,
                     "setp.ne.u32 %%p6, %%r8, 0; @%%p6 mbarrier.arrive.shared::cta.b64 _, [%%r13];\n");
        else
            snprintf(to, 90, "mbarrier.arrive.shared::cta.b64 _, [%%r13];\n");
    }
    int n = 0;
#define ADD(...) n += snprintf(at + n, size - (size_t)n, __VA_ARGS__)
    if (r->early[in_loop]) ADD("%s", give);
    n += place_peeled(at + n, size - (size_t)n, r, "%r8", r->shift[which], r->parity[which]);
    if (r->wait[which])
        ADD("READ%u: mbarrier.try_wait.parity.shared::cta.b64 %%p5, [%%r12], %%r10; @!%%p5 bra READ%u;\n",
            number, number);
    ADD("mad.lo.u32 %%r15, %%r5, 4, %%r14; ld.shared.u32 %%r16, [%%r15]; add.u32 %%r18, %%r18, %%r16;\n");
    if (r->fence[which]) ADD("fence.proxy.async.shared::cta;\n");
    if (!r->early[in_loop]) ADD("%s", give);
    ADD("add.u32 %%r8, %%r8, 1;\n");
#undef ADD
    return n;
}

static void write_peeled(const peeled_ring *r, char *text, size_t length) {
    char *at = text, *end = text + length;
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT(".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
        ".param .u32 n) {\n.reg .pred %%p<9>; .reg .b32 %%r<32>; .reg .b64 %%d<16>;\n"
        ".shared .align 128 .b8 s[%u]; .shared .align 8 .b8 f[%u]; .shared .align 8 .b8 e[%u];\n",
        r->stages * PEELED_BYTES, r->stages * 8, r->stages * 8);
    PUT("ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [out]; ld.param.u32 %%r20, [n]; mov.u32 %%r1, %%tid.x; "
        "mov.u32 %%r2, s; mov.u32 %%r3, f; mov.u32 %%r4, e; and.b32 %%r5, %%r1, 31; mov.u32 %%r18, 0; "
        "mov.u32 %%r8, 0; setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra READY;\n");
    for (uint32_t i = 0; i < r->stages; i++)
        PUT("mbarrier.init.shared::cta.b64 [%%r3+%u], 1; mbarrier.init.shared::cta.b64 [%%r4+%u], %u;\n",
            8 * i, 8 * i, r->empty_count);
    PUT("fence.mbarrier_init.release.cluster;\nREADY: bar.sync 0;\n");
    const uint32_t least = r->peeled > r->drained ? r->peeled : r->drained;
    if (r->guarded) PUT("setp.lt.s32 %%p3, %%r20, %u; @%%p3 bra END;\n", least);
    PUT("setp.ge.u32 %%p2, %%r1, 32; @%%p2 bra CONSUMER;\nsetp.ne.u32 %%p1, %%r1, 0; @%%p1 bra END;\n");
    for (uint32_t k = 0; k < r->ahead; k++) {
        if (!r->unguarded_step) PUT("setp.ge.s32 %%p3, %%r8, %%r20; @%%p3 bra END;\n");
        at += fill_peeled(at, (size_t)(end - at), r, 0);
    }
    PUT("PRODUCER: setp.ge.s32 %%p3, %%r8, %%r20; @%%p3 bra END;\n");
    at += fill_peeled(at, (size_t)(end - at), r, r->wait[0]);
    PUT("bra PRODUCER;\nCONSUMER:\n");
    for (uint32_t k = 0; k < r->peeled; k++) at += read_peeled(at, (size_t)(end - at), r, k, false);
    PUT("NEXT: setp.ge.s32 %%p3, %%r8, %%r20; @%%p3 bra DONE;\n");
    at += read_peeled(at, (size_t)(end - at), r, 9, true);
    PUT("bra NEXT;\nDONE:\n");
    for (uint32_t k = 0; k < r->drained; k++) {
        PUT("sub.u32 %%r21, %%r8, %u;\n", r->drained - k);
        at += place_peeled(at, (size_t)(end - at), r, "%r21", r->drain_shift, 0);
        PUT("mbarrier.arrive.shared::cta.b64 _, [%%r13];\n");
    }
    PUT("mul.wide.u32 %%d5, %%r1, 4; add.s64 %%d6, %%d2, %%d5; st.global.u32 [%%d6], %%r18;\nEND: ret;\n}\n");
#undef PUT
}

#endif
