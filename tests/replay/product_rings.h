/* Rings of stages that bulk copies fill and matrix units read, as CUTLASS's warp-specialised products have
 * them: a right one, with up to two changes. One or two groups of four warps multiply what is in a stage,
 * wait for all products but the last ones, and give a stage back; the first product may stand in front of the
 * loop. */
#ifndef LS_TESTS_REPLAY_PRODUCT_RINGS_H
#define LS_TESTS_REPLAY_PRODUCT_RINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { A_BYTES = 2048, B_BYTES = 256, STAGE_BYTES = A_BYTES + B_BYTES };

typedef struct {
    uint32_t groups, stages, rounds, left,
        lag;           /* left: products that are not waited for; lag: of the release */
    uint32_t arriving; /* groups of which a thread arrives … */
    bool all;          /* … or all of its threads do */
    uint32_t parity[2], empty_count, shift, offset;
    bool swizzled, by_stores, fence, commit, commit_first, wait, last_wait, wait_full, wait_empty, early,
        half, prologue, twice, data, behind, peeled, peeled_wait;
} product_ring;

static product_ring make_products(uint64_t seed, uint32_t (*pick)(uint64_t *state, uint32_t below)) {
    uint64_t s = seed * 32452843 + 3;
    for (int i = 0; i < 4; i++) pick(&s, 2);
    product_ring r = {.groups = 1 + pick(&s, 2),
                      .stages = 1 + pick(&s, 3),
                      .rounds = pick(&s, 7),
                      .all = pick(&s, 2),
                      .parity = {1, 0},
                      .by_stores = pick(&s, 4) == 0,
                      .swizzled = pick(&s, 3) == 0,
                      .prologue = pick(&s, 4) == 0,
                      .twice = pick(&s, 4) == 0,
                      .data = pick(&s, 2),
                      .behind = pick(&s, 4) == 0,
                      .fence = true,
                      .commit = true,
                      .wait = true,
                      .last_wait = true,
                      .wait_full = true,
                      .wait_empty = true};
    if (r.stages > 1 && pick(&s, 2)) r.left = r.lag = 1;
    r.peeled = r.lag && seed % 2;
    r.peeled_wait = seed % 11 != 3;
    if (r.twice) r.left *= 2;
    r.arriving = r.groups;
    r.empty_count = r.groups * (r.all ? 128 : 1);
    for (uint32_t changes = pick(&s, 3); changes--;) switch (pick(&s, 16)) {
        case 0: r.left += 1; break;
        case 1: r.lag = 1 - r.lag; break;
        case 2: r.commit = false; break;
        case 3: r.commit_first = true; break;
        case 4: r.wait = false; break;
        case 5: r.last_wait = false; break;
        case 6: r.wait_full = false; break;
        case 7: r.wait_empty = false; break;
        case 8: r.early = true; break;
        case 9: r.half = true, r.behind = false; break;
        case 10: r.fence = false; break;
        case 11: /* of one of two groups nobody says that it is done */
            r.arriving = 1;
            r.empty_count = r.all ? 128 : 1;
            break;
        case 12: r.shift = 1; break;
        case 13: r.offset = 16 + 16 * pick(&s, 2); break; /* beyond the end of the stage */
        case 14: r.parity[pick(&s, 2)] ^= 1; break;
        default: r.empty_count += 1; break;
        }
    return r;
}

/* The stage of a round in %r9, its parity in %r10, and where its mbarriers and its place are. */
static int place_products(char *at, size_t size, const product_ring *r, const char *round, uint32_t shift,
                          uint32_t parity) {
    return snprintf(at, size,
                    "add.u32 %%r9, %s, %u; div.u32 %%r10, %%r9, %u; rem.u32 %%r9, %%r9, %u; xor.b32 %%r10, "
                    "%%r10, %u; and.b32 %%r10, %%r10, 1; shl.b32 %%r11, %%r9, 3; mad.lo.u32 %%r14, %%r9, %u, "
                    "%%r2; add.u32 %%r12, %%r3, %%r11; add.u32 %%r13, %%r4, %%r11;\n",
                    round, shift, r->stages, r->stages, parity, STAGE_BYTES);
}

/* Rows of 128 bytes where it is swizzled: of A four pieces of 16 rows, which are read twice. */
static const char *product_of(const product_ring *r) {
    static char text[600];
    const uint64_t fields = r->swizzled ? UINT64_C(1) << 62 | UINT64_C(16) << 32 | UINT64_C(1) << 16
                                        : UINT64_C(16) << 32 | UINT64_C(8) << 16;
    snprintf(
        text, sizeof text,
        "add.u32 %%r15, %%r14, %u; bfe.u32 %%r16, %%r15, 4, 14; cvt.u64.u32 %%d7, %%r16; or.b64 %%d7, "
        "%%d7, %llu;\nadd.u32 %%r15, %%r14, %u; bfe.u32 %%r16, %%r15, 4, 14; cvt.u64.u32 %%d8, %%r16; "
        "or.b64 %%d8, %%d8, %llu;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%%f0, %%f1, %%f2, %%f3}, %%d7, %%d8, 1, 1, "
        "1, 0, 0;\n",
        r->swizzled ? 0 : r->offset, (unsigned long long)fields, A_BYTES + r->offset,
        (unsigned long long)(UINT64_C(16) << 32 | UINT64_C(8) << 16));
    return text;
}

static void write_products(const product_ring *r, char *text, size_t length) {
    char *at = text, *end = text + length;
    const char *commit = r->commit ? "wgmma.commit_group.sync.aligned;\n" : "";
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT(".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
        ".param .u32 n) {\n.reg .pred %%p<9>; .reg .b32 %%r<32>; .reg .b64 %%d<16>; .reg .f32 %%f<4>;\n"
        ".shared .align 128 .b8 s[%u]; .shared .align 8 .b8 f[%u]; .shared .align 8 .b8 e[%u];\n",
        r->stages * STAGE_BYTES, r->stages * 8, r->stages * 8);
    PUT("ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [out]; ld.param.u32 %%r20, [n]; mov.u32 %%r1, %%tid.x; "
        "mov.u32 %%r2, s; mov.u32 %%r3, f; mov.u32 %%r4, e; mov.f32 %%f0, 0f00000000; mov.f32 %%f1, %%f0; "
        "mov.f32 %%f2, %%f0; mov.f32 %%f3, %%f0; and.b32 %%r5, %%r1, 127; setp.ne.u32 %%p1, %%r1, 0; @%%p1 "
        "bra READY;\n");
    for (uint32_t i = 0; i < r->stages; i++)
        PUT("mbarrier.init.shared::cta.b64 [%%r3+%u], %u; mbarrier.init.shared::cta.b64 [%%r4+%u], %u;\n",
            8 * i, r->by_stores ? 32 : 1, 8 * i, r->empty_count);
    PUT("fence.mbarrier_init.release.cluster;\nREADY: bar.sync 0;\n");
    if (r->peeled) PUT("setp.lt.s32 %%p3, %%r20, 1; @%%p3 bra END;\n");
    PUT("mov.u32 %%r8, 0; setp.lt.u32 %%p2, %%r1, "
        "%u; "
        "@%%p2 bra CONSUMER;\n",
        128 * r->groups);
    if (!r->by_stores) PUT("setp.ne.u32 %%p1, %%r5, 0; @%%p1 bra END;\n");
    PUT("PRODUCER: setp.ge.s32 %%p3, %%r8, %%r20; @%%p3 bra END;\n");
    at += place_products(at, (size_t)(end - at), r, "%r8", 0, r->parity[0]);
    if (r->wait_empty)
        PUT("WAIT0: mbarrier.try_wait.parity.shared::cta.b64 %%p5, [%%r13], %%r10; @!%%p5 bra WAIT0;\n");
    if (r->by_stores) {
        PUT("mad.lo.u32 %%r15, %%r5, 64, %%r14;\n");
        for (uint32_t k = 0; k < 64; k += 4) PUT("st.shared.u32 [%%r15+%u], %%r8;\n", k);
        PUT("mad.lo.u32 %%r15, %%r5, 8, %%r14; st.shared.u32 [%%r15+2048], %%r8; st.shared.u32 [%%r15+2052], "
            "%%r8;\n%smbarrier.arrive.shared::cta.b64 _, [%%r12];\n",
            r->fence ? "fence.proxy.async.shared::cta;\n" : "");
    } else {
        PUT("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r12], %u;\ncp.async.bulk.shared::cluster.global."
            "mbarrier::complete_tx::bytes [%%r14], [%%d1], %u, [%%r12];\n",
            STAGE_BYTES, STAGE_BYTES);
    }
    PUT("add.u32 %%r8, %%r8, 1; bra PRODUCER;\nCONSUMER:\n");
    if (r->half) PUT("setp.ge.u32 %%p4, %%r1, 64; @%%p4 bra END;\n");
    if (r->prologue) PUT("%s", commit); /* an empty group is one, too */
    if (r->peeled) {
        at += place_products(at, (size_t)(end - at), r, "%r8", r->shift, r->parity[1]);
        if (r->wait_full && r->peeled_wait)
            PUT("WAIT2: mbarrier.try_wait.parity.shared::cta.b64 %%p5, [%%r12], %%r10; @!%%p5 bra WAIT2;\n");
        PUT("%s%smov.u32 %%r8, 1;\n", product_of(r), commit);
    }
    PUT("NEXT: setp.ge.s32 %%p3, %%r8, %%r20; @%%p3 bra DONE;\n");
    at += place_products(at, (size_t)(end - at), r, "%r8", r->shift, r->parity[1]);
    if (r->wait_full)
        PUT("WAIT1: mbarrier.try_wait.parity.shared::cta.b64 %%p5, [%%r12], %%r10; @!%%p5 bra WAIT1;\n");
    for (int k = 0; k < 1 + r->twice; k++)
        PUT("%s%s%s", r->commit_first ? commit : "", product_of(r), r->commit_first ? "" : commit);
    char arrive[700] = "";
    int n = 0;
    if (r->lag)
        n += snprintf(arrive, sizeof arrive,
                      "setp.eq.u32 %%p6, %%r8, 0; @%%p6 bra KEEP; sub.u32 %%r21, %%r8, 1;\n");
    else
        n += snprintf(arrive, sizeof arrive, "mov.u32 %%r21, %%r8;\n");
    n += place_products(arrive + n, sizeof arrive - (size_t)n, r, "%r21", 0, 0);
    if (!r->all)
        n += snprintf(arrive + n, sizeof arrive - (size_t)n, "setp.ne.u32 %%p4, %%r5, 0; @%%p4 bra KEEP;\n");
    if (r->arriving < r->groups)
        n +=
            snprintf(arrive + n, sizeof arrive - (size_t)n, "setp.ge.u32 %%p7, %%r1, 128; @%%p7 bra KEEP;\n");
    snprintf(arrive + n, sizeof arrive - (size_t)n, "mbarrier.arrive.shared::cta.b64 _, [%%r13];\nKEEP:\n");
    if (r->early) PUT("%s", arrive);
    if (r->wait) PUT("wgmma.wait_group.sync.aligned %u;\n", r->left);
    if (!r->early) PUT("%s", arrive);
    PUT("add.u32 %%r8, %%r8, 1; bra NEXT;\nDONE:\n%s",
        r->last_wait ? "wgmma.wait_group.sync.aligned 0;\n" : "");
    PUT("mul.wide.u32 %%d5, %%r1, 4; add.s64 %%d6, %%d2, %%d5; st.global.f32 [%%d6], %%f0;\nEND:\n");
    if (r->behind)
        PUT("bar.sync 0; mad.lo.u32 %%r15, %%r5, 4, %%r2; setp.ge.u32 %%p4, %%r1, 32; @%%p4 bra LEAVE; "
            "st.shared.u32 [%%r15], %%r8;\nLEAVE:\n");
    PUT("ret;\n}\n");
#undef PUT
}

#endif
