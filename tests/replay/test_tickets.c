/* Random programs with mbarriers, and with clusters, of several families: a ring of stages that bulk copies
 * fill, between a producer and consumers; and the shapes of libcu++, in which all threads arrive, wait for
 * the state of their arrival or for a parity, and have cp.async join a phase; and phases in no loop, in one
 * of which some threads drop out, or to which copies arrive by themselves; and rings that matrix units read
 * (product_rings.h); and rings whose first and last steps stand around the loop (peeled_rings.h); and loops
 * over tiles with an epilogue (tile_epilogues.h); and blocks of a cluster that meet by halves
 * (cluster_halves.h). They are right in the beginning and then changed at
 * some places: counts, bytes, parities, stages, fences, waits and arrivals that are left out or come too
 * early, numbers of iterations that differ. Each is verified and run in the emulator, in several orders and
 * with copies that end early and late: what goes wrong there must not be proved. LOCKSTEP_KERNELS is the
 * number of programs, LOCKSTEP_SEED the first of them, LOCKSTEP_FAMILY a pattern for the names of the tests
 * that are run. */
#include "cluster_halves.h"
#include "lockstep/emulate.h"
#include "lockstep/ptx.h"
#include "lockstep/verify.h"
#include "meetings.h"
#include "named_rings.h"
#include "peeled_rings.h"
#include "product_rings.h"
#include "tile_epilogues.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 64, TILE = 128, BUFFER = 1 << 16, LENGTH = 8000 };

typedef struct {
    uint32_t stages, rounds[2], full_count, empty_count, bytes, parity[2], guard, shift[2];
    bool fence, init_fence, barrier, wait_empty, wait_full, arrive, early, data;
    bool carried;   /* stage and phase go from one round to the next, as CUTLASS has them … */
    uint32_t wraps; /* … up to so many stages */
    uint32_t lanes; /* of the consumers that arrive */
    bool elected;   /* the producer is the lane that elect.sync elects, and a warp's number is shuffled */
    const char *met, *met_early; /* where one lane arrives for the warp: what its lanes meet at in front of
                                  * that … … and in front of the reads */
} ring;

static const char MEET[] = "bar.warp.sync 0xffffffff;\n";

static uint32_t pick(uint64_t *state, uint32_t below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* A right one with up to two changes. */
static ring make(uint64_t seed) {
    uint64_t s = seed * 7919 + 1;
    for (int i = 0; i < 4; i++) pick(&s, 2);
    uint32_t stages = 1 + pick(&s, 3), rounds = pick(&s, 8);
    ring r = {.stages = stages,
              .rounds = {rounds, rounds},
              .full_count = 1,
              .empty_count = 32,
              .bytes = TILE,
              .parity = {1, 0},
              .guard = 0,
              .fence = true,
              .init_fence = true,
              .barrier = true,
              .wait_empty = true,
              .wait_full = true,
              .arrive = true,
              .lanes = 32,
              .data = pick(&s, 2),
              .carried = pick(&s, 2),
              .wraps = stages,
              .elected = seed % 3 == 1,
              .met = "",
              .met_early = ""};
    if (seed % 5 == 2) { /* one lane gives the stage back for all */
        r.lanes = r.empty_count = 1;
        r.met = MEET;
    }
    for (uint32_t changes = pick(&s, 3); changes--;) switch (pick(&s, 20)) {
        case 0: r.full_count = 2; break;
        case 1: r.empty_count = 31 + 2 * pick(&s, 2); break;
        case 2: r.bytes = TILE - 16 + 32 * pick(&s, 2); break;
        case 3: r.parity[0] ^= 1; break;
        case 4: r.parity[1] ^= 1; break;
        case 5: r.guard = stages + pick(&s, 2); break; /* no wait in the first rounds: right with `stages` */
        case 6: r.fence = false; break;
        case 7: r.init_fence = false; break;
        case 8: r.barrier = false; break;
        case 9: r.wait_empty = false; break;
        case 10: r.wait_full = false; break;
        case 11: r.arrive = false; break;
        case 12: r.early = true; break;
        case 13:
            r.lanes = 31;
            r.empty_count = 31;
            break;
        case 14: r.rounds[pick(&s, 2)] += 1; break;
        case 15: r.wraps = stages > 1 ? stages - pick(&s, 2) : stages; break;
        case 16: r.met = ""; break;
        case 17: r.met_early = MEET; break;
        case 18: r.met = *r.met ? "shfl.sync.idx.b32 %r26, %r5, 0, 31, 0xffffffff;\n" : ""; break;
        default: r.shift[pick(&s, 2)] = 1; break;
        }
    return r;
}

/* Its text: stage %r9 and phase %r10 of round %r8, shifted by so many. */
static int stage_of(char *out, size_t size, const ring *r, uint32_t shift, uint32_t parity) {
    int length = 0;
    if (r->carried)
        length = snprintf(out, size, "mov.u32 %%r9, %%r22; mov.u32 %%r10, %%r23;\n");
    else
        length = snprintf(out, size,
                          "add.u32 %%r9, %%r8, %u; div.u32 %%r10, %%r9, %u; rem.u32 %%r9, %%r9, %u; "
                          "xor.b32 %%r10, %%r10, %u; and.b32 %%r10, %%r10, 1;\n",
                          shift, r->stages, r->stages, parity);
    return length + snprintf(out + length, size - (size_t)length,
                             "shl.b32 %%r11, %%r9, 3; mad.lo.u32 %%r14, %%r9, %u, %%r2;\n"
                             "add.u32 %%r12, %%r3, %%r11; add.u32 %%r13, %%r4, %%r11;\n",
                             TILE);
}

/* Before the first round, and at the end of each. */
static int start_stage(char *out, size_t size, const ring *r, uint32_t shift, uint32_t parity) {
    return snprintf(out, size, "mov.u32 %%r22, %u; mov.u32 %%r23, %u;\n", shift % r->stages,
                    (shift / r->stages ^ parity) & 1);
}

static int next_stage(char *out, size_t size, const ring *r) {
    return snprintf(out, size,
                    "add.u32 %%r8, %%r8, 1; add.u32 %%r22, %%r22, 1; setp.eq.u32 %%p7, %%r22, %u; selp.u32 "
                    "%%r22, 0, %%r22, %%p7; selp.u32 %%r24, 1, 0, %%p7; xor.b32 %%r23, %%r23, %%r24;\n",
                    r->wraps);
}

static void write_text(const ring *r, char *text) {
    char *at = text, *end = text + LENGTH;
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT(".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
        ".param .u32 n) {\n"
        ".reg .pred %%p<9>; .reg .b32 %%r<32>; .reg .b64 %%d<16>;\n.shared .align 128 .b8 s[%u]; .shared "
        ".align 8 .b8 "
        "f[%u]; .shared .align 8 .b8 e[%u];\n",
        r->stages * TILE, r->stages * 8, r->stages * 8);
    PUT("ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [out]; ld.param.u32 %%r20, [n]; mov.u32 %%r1, %%tid.x; "
        "mov.u32 %%r2, s;"
        " mov.u32 %%r3, f; mov.u32 %%r4, e;\n");
    if (r->elected)
        PUT("elect.sync %%r24|%%p8, 0xffffffff; shr.u32 %%r25, %%r1, 5; shfl.sync.idx.b32 %%r25, %%r25, 0, "
            "31, "
            "0xffffffff; setp.eq.u32 %%p7, %%r25, 0; and.pred %%p8, %%p8, %%p7; not.pred %%p1, %%p8;\n");
    else
        PUT("setp.ne.u32 %%p1, %%r1, 0;\n");
    PUT("@%%p1 bra READY;\n");
    for (uint32_t i = 0; i < r->stages; i++)
        PUT("mbarrier.init.shared::cta.b64 [%%r3+%u], %u; mbarrier.init.shared::cta.b64 [%%r4+%u], %u;\n",
            8 * i, r->full_count, 8 * i, r->empty_count);
    PUT("%sREADY:\n%s", r->init_fence ? "fence.mbarrier_init.release.cluster;\n" : "",
        r->barrier ? "bar.sync 0;\n" : "");
    PUT("mov.u32 %%r8, 0; setp.gt.u32 %%p2, %%r1, 31; @%%p2 bra CONSUMER;\n@%%p1 bra END;\n");
    at += start_stage(at, (size_t)(end - at), r, r->shift[0], r->parity[0]);
    PUT("PRODUCER:\n");
    if (r->data)
        PUT("add.u32 %%r21, %%r20, %u; setp.ge.s32 %%p3, %%r8, %%r21; @%%p3 bra END;\n",
            r->rounds[0] - r->rounds[1]);
    else
        PUT("setp.ge.u32 %%p3, %%r8, %u; @%%p3 bra END;\n", r->rounds[0]);
    at += stage_of(at, (size_t)(end - at), r, r->shift[0], r->parity[0]);
    if (r->wait_empty)
        PUT("setp.lt.u32 %%p4, %%r8, %u; @%%p4 bra FREE;\nWAIT0: mbarrier.try_wait.parity.shared::cta.b64 "
            "%%p5, [%%r13], %%r10; "
            "@!%%p5 bra WAIT0;\nFREE:\n",
            r->guard);
    PUT("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r12], %u;\nmul.wide.u32 %%d4, %%r8, %u; add.s64 "
        "%%d4, %%d1, %%d4;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r14], [%%d4], %u, [%%r12];\n",
        r->bytes, TILE, TILE);
    at += next_stage(at, (size_t)(end - at), r);
    PUT("bra PRODUCER;\n");
    PUT("CONSUMER: add.u32 %%r5, %%r1, -32; shl.b32 %%r6, %%r5, 2; xor.b32 %%r7, %%r6, 124; cvt.u64.u32 "
        "%%d5, %%r6; add.s64 "
        "%%d6, %%d2, %%d5;\n");
    at += start_stage(at, (size_t)(end - at), r, r->shift[1], r->parity[1]);
    PUT("NEXT:\n");
    if (r->data)
        PUT("setp.ge.s32 %%p3, %%r8, %%r20; @%%p3 bra END;\n");
    else
        PUT("setp.ge.u32 %%p3, %%r8, %u; @%%p3 bra END;\n", r->rounds[1]);
    at += stage_of(at, (size_t)(end - at), r, r->shift[1], r->parity[1]);
    if (r->wait_full)
        PUT("WAIT1: mbarrier.try_wait.parity.shared::cta.b64 %%p5, [%%r12], %%r10; @!%%p5 bra WAIT1;\n");
    const char *fence = r->fence ? "fence.proxy.async.shared::cta;\n" : "";
    char arrive[280] = "";
    if (r->arrive)
        snprintf(arrive, sizeof arrive,
                 "%s%ssetp.lt.u32 %%p6, %%r5, %u; @%%p6 mbarrier.arrive.shared::cta.b64 _, [%%r13];\n", fence,
                 r->met, r->lanes);
    if (r->early) PUT("%s", arrive);
    PUT("%s", r->met_early);
    PUT("add.u32 %%r15, %%r14, %%r7; ld.shared.u32 %%r16, [%%r15]; mul.wide.u32 %%d7, %%r8, %u; add.s64 "
        "%%d7, %%d6, %%d7; "
        "st.global.u32 [%%d7], %%r16;\n",
        TILE);
    if (!r->early) PUT("%s", arrive);
    at += next_stage(at, (size_t)(end - at), r);
    PUT("bra NEXT;\nEND: ret;\n}\n");
#undef PUT
}

/* --- As libcu++ has it ------------------------------------------------------------------------------------
 */

typedef struct {
    uint32_t stages, wraps, rounds, counts[2], lanes, shift, parity[2], phases;
    bool copies; /* cp.async in a ring of stages, each with two mbarriers; else plain stores and states */
    bool noinc;  /* … whose copies arrive by themselves */
    bool join, late_join, wait_free, wait_full, free_first, barrier, data, read_first, other_token;
} block_ring;

/* A right one with up to two changes. */
static block_ring make_block(uint64_t seed) {
    uint64_t s = seed * 104729 + 5;
    for (int i = 0; i < 4; i++) pick(&s, 2);
    uint32_t stages = 1 + pick(&s, 3);
    block_ring r = {.stages = stages,
                    .wraps = stages,
                    .rounds = pick(&s, 7),
                    .counts = {THREADS, THREADS},
                    .lanes = THREADS,
                    .parity = {1, 0},
                    .phases = 2,
                    .copies = pick(&s, 2),
                    .noinc = pick(&s, 3) == 0,
                    .join = true,
                    .wait_free = true,
                    .wait_full = true,
                    .barrier = true,
                    .data = pick(&s, 2)};
    for (uint32_t changes = pick(&s, 3); changes--;) switch (pick(&s, 14)) {
        case 0: r.counts[pick(&s, 2)] = THREADS - 1 + 2 * pick(&s, 2); break;
        case 1: r.lanes = THREADS - 1 - pick(&s, 2); break;
        case 2: r.shift = 1; break;
        case 3: r.parity[pick(&s, 2)] ^= 1; break;
        case 4: r.phases = 1 + 2 * pick(&s, 2); break; /* too few, or one more than is needed */
        case 5: r.join = false; break;
        case 6: r.late_join = true; break;
        case 7: r.wait_free = false; break;
        case 8: r.wait_full = false; break;
        case 9: r.free_first = true; break;
        case 10: r.barrier = false; break;
        case 11: r.read_first = true; break;
        case 12: r.other_token = true; break;
        default: r.wraps = stages > 1 ? stages - 1 : 1; break;
        }
    return r;
}

/* A round of copies: wait for the stage to be free, copy, join, arrive; wait for it to be full, read, give it
 * back. */
static int copy_round(char *at, size_t size, const block_ring *r) {
    const char *join = !r->join   ? ""
                       : r->noinc ? "cp.async.mbarrier.arrive.noinc.shared.b64 [%r12];\n"
                                  : "cp.async.mbarrier.arrive.shared.b64 [%r12];\n";
    const char *fill = r->noinc && r->join ? "" : "mbarrier.arrive.shared.b64 %d8, [%r12];\n";
    const char *read = "ld.shared.u32 %r16, [%r17]; add.u32 %r18, %r18, %r16;\n";
    const char *give = "@%p6 mbarrier.arrive.shared.b64 %d9, [%r13];\n";
    return snprintf(
        at, size,
        "shl.b32 %%r11, %%r22, 3; add.u32 %%r12, %%r3, %%r11; add.u32 %%r13, %%r4, %%r11;\n"
        "add.u32 %%r19, %%r22, %u; rem.u32 %%r19, %%r19, %u;\n"
        "mad.lo.u32 %%r14, %%r22, 256, %%r2; add.u32 %%r15, %%r14, %%r6;\n"
        "mad.lo.u32 %%r14, %%r19, 256, %%r2; add.u32 %%r17, %%r14, %%r7;\n%s"
        "mul.wide.u32 %%d4, %%r8, 256; add.s64 %%d4, %%d1, %%d4; add.s64 %%d4, %%d4, %%d5;\n"
        "cp.async.ca.shared.global [%%r15], [%%d4], 4;\n%s%s%s%s%s%s%s%s",
        r->shift, r->stages,
        r->wait_free ? "WAIT0: mbarrier.test_wait.parity.shared.b64 %p5, [%r13], %r24; @!%p5 bra WAIT0;\n"
                     : "",
        r->late_join ? "" : join, fill, r->late_join ? join : "", r->read_first ? read : "",
        r->wait_full ? "WAIT1: mbarrier.test_wait.parity.shared.b64 %p5, [%r12], %r23; @!%p5 bra WAIT1;\n"
                     : "",
        r->free_first ? give : "", r->read_first ? "" : read, r->free_first ? "" : give);
}

/* A round of stores: write, and so many phases, the last but one of which is read behind. */
static int store_round(char *at, size_t size, const block_ring *r) {
    int length = snprintf(
        at, size, "add.u32 %%r15, %%r2, %%r6; add.u32 %%r17, %%r2, %%r7; st.shared.u32 [%%r15], %%r8;\n");
    for (uint32_t n = 0; n < r->phases; n++) {
        bool reads = n == 0, waits = n ? r->wait_free : r->wait_full;
        length +=
            snprintf(at + length, size - (size_t)length, "%smbarrier.arrive.shared.b64 %%d%u, [%%r3];\n",
                     n == 0 && r->lanes < THREADS ? "@%p6 " : "", 8 + n);
        if (reads && r->read_first)
            length += snprintf(at + length, size - (size_t)length,
                               "ld.shared.u32 %%r16, [%%r17]; add.u32 %%r18, %%r18, %%r16;\n");
        if (waits)
            length +=
                snprintf(at + length, size - (size_t)length,
                         "WAIT%u: mbarrier.test_wait.shared.b64 %%p5, [%%r3], %%d%u; @!%%p5 bra WAIT%u;\n", n,
                         8 + (r->other_token ? 0 : n), n);
        if (reads && !r->read_first)
            length += snprintf(at + length, size - (size_t)length,
                               "ld.shared.u32 %%r16, [%%r17]; add.u32 %%r18, %%r18, %%r16;\n");
    }
    return length;
}

static void write_block(const block_ring *r, char *text) {
    char *at = text, *end = text + LENGTH;
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT(".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
        ".param .u32 n) {\n"
        ".reg .pred %%p<9>; .reg .b32 %%r<32>; .reg .b64 %%d<16>;\n.shared .align 128 .b8 s[%u]; .shared "
        ".align 8 .b8 "
        "f[%u]; .shared .align 8 .b8 e[%u];\n",
        r->stages * 256, r->stages * 8, r->stages * 8);
    PUT("ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [out]; ld.param.u32 %%r20, [n]; mov.u32 %%r1, %%tid.x; "
        "mov.u32 %%r2, s;"
        " mov.u32 %%r3, f; mov.u32 %%r4, e; setp.lt.u32 %%p6, %%r1, %u; setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra "
        "READY;\n",
        r->lanes);
    for (uint32_t i = 0; i < r->stages; i++)
        PUT("mbarrier.init.shared.b64 [%%r3+%u], %u; mbarrier.init.shared.b64 [%%r4+%u], %u;\n", 8 * i,
            r->counts[0], 8 * i, r->counts[1]);
    PUT("READY:\n%s", r->barrier ? "bar.sync 0;\n" : "");
    PUT("mov.u32 %%r8, 0; mov.u32 %%r18, 0; mov.u64 %%d9, 0; mov.u32 %%r22, 0; mov.u32 %%r23, %u; mov.u32 "
        "%%r24, %u; shl.b32 %%r6, %%r1, "
        "2; xor.b32 %%r7, %%r6, 252; cvt.u64.u32 %%d5, %%r6;\nNEXT:\n",
        r->parity[1], r->parity[0]);
    if (r->data)
        PUT("setp.ge.s32 %%p3, %%r8, %%r20; @%%p3 bra END;\n");
    else
        PUT("setp.ge.u32 %%p3, %%r8, %u; @%%p3 bra END;\n", r->rounds);
    at += (r->copies ? copy_round : store_round)(at, (size_t)(end - at), r);
    PUT("add.u32 %%r8, %%r8, 1; add.u32 %%r22, %%r22, 1; setp.eq.u32 %%p7, %%r22, %u; @!%%p7 bra NEXT;\n"
        "mov.u32 %%r22, 0; xor.b32 %%r23, %%r23, 1; xor.b32 %%r24, %%r24, 1; bra NEXT;\n"
        "END: add.s64 %%d6, %%d2, %%d5; st.global.u32 [%%d6], %%r18; ret;\n}\n",
        r->wraps);
#undef PUT
}

/* --- Threads that leave -----------------------------------------------------------------------------------
 */

/* Phases one after the other, in no loop. In each all threads fill their element and read another one's
 * behind it; in one of them the upper threads go. */
typedef struct {
    uint32_t phases, count, upper, leaves;
    bool copies; /* cp.async, which arrives without an increment; else stores */
    bool parity; /* waits name a parity; else a state */
    bool drops, goes, again, barrier, store_behind, second_arrival;
    uint32_t read_first, no_wait, reuse; /* the phase in which; beyond: none */
} leavers;

/* A right one with up to two changes. */
static leavers make_leavers(uint64_t seed) {
    uint64_t s = seed * 15485863 + 11;
    for (int i = 0; i < 4; i++) pick(&s, 2);
    uint32_t phases = 1 + pick(&s, 3);
    leavers r = {.phases = phases,
                 .count = THREADS,
                 .upper = 16 + 16 * pick(&s, 3),
                 .leaves = pick(&s, phases + 1),
                 .copies = pick(&s, 2),
                 .parity = pick(&s, 2),
                 .drops = true,
                 .goes = true,
                 .barrier = true,
                 .read_first = 9,
                 .no_wait = 9,
                 .reuse = 9};
    r.parity |= r.copies; /* which give no state */
    for (uint32_t changes = pick(&s, 3); changes--;) switch (pick(&s, 10)) {
        case 0: r.count = THREADS - 1 + 2 * pick(&s, 2); break;
        case 1: r.drops = false; break;
        case 2: r.goes = false; break;
        case 3: r.again = true; break;
        case 4: r.barrier = false; break;
        case 5: r.store_behind = true; break;
        case 6: r.second_arrival = true; break;
        case 7: r.read_first = pick(&s, phases); break;
        case 8: r.no_wait = pick(&s, phases); break;
        default: r.reuse = pick(&s, phases); break;
        }
    return r;
}

static void write_leavers(const leavers *r, char *text) {
    char *at = text, *end = text + LENGTH;
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT(".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
        ".param .u32 "
        "n) {\n.reg .pred %%p<9>; .reg .b32 %%r<32>; .reg .b64 %%d<16>;\n.shared .align 128 .b8 s[1024]; "
        ".shared .align "
        "8 .b8 f[8];\nld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [out]; mov.u32 %%r1, %%tid.x; mov.u32 "
        "%%r2, s; mov.u32 "
        "%%r3, f; mov.u32 %%r18, 0; shl.b32 %%r6, %%r1, 2; xor.b32 %%r7, %%r6, 252; cvt.u64.u32 %%d5, %%r6; "
        "add.s64 %%d4, "
        "%%d1, %%d5; add.s64 %%d6, %%d2, %%d5; add.u32 %%r15, %%r2, %%r6; add.u32 %%r17, %%r2, %%r7;\n"
        "setp.ge.u32 %%p6, %%r1, %u; setp.ne.u32 %%p1, %%r1, 0; @!%%p1 mbarrier.init.shared.b64 [%%r3], "
        "%u;\n%s",
        r->upper, r->count, r->barrier ? "bar.sync 0;\n" : "");
    for (uint32_t k = 0; k < r->phases; k++) {
        uint32_t place = 256 * (r->reuse == k && k ? k - 1 : k);
        if (r->copies)
            PUT("cp.async.ca.shared.global [%%r15+%u], [%%d4], 4;\n", place);
        else
            PUT("st.shared.u32 [%%r15+%u], %%r1;\n", place);
        if (r->leaves == k) {
            PUT("@!%%p6 bra STAY;\n");
            if (r->copies) PUT("cp.async.wait_all;\n");
            PUT("mbarrier.%s.shared.b64 %%d8, [%%r3];\n", r->drops ? "arrive_drop" : "arrive");
            if (r->again) PUT("st.shared.u32 [%%r15+%u], %%r3;\n", place);
            PUT("%sSTAY:\n", r->goes ? "bra END;\n" : "");
        }
        if (r->copies && r->store_behind) PUT("st.shared.u32 [%%r15+768], %%r1;\n");
        if (r->copies)
            PUT("cp.async.mbarrier.arrive.noinc.shared.b64 [%%r3];\n");
        else
            PUT("mbarrier.arrive.shared.b64 %%d9, [%%r3];\n");
        if (r->second_arrival && k == 0) PUT("mbarrier.arrive.shared.b64 %%d10, [%%r3];\n");
        char read[160];
        snprintf(read, sizeof read, "ld.shared.u32 %%r16, [%%r17+%u]; add.u32 %%r18, %%r18, %%r16;\n",
                 r->copies && r->store_behind && k + 1 == r->phases ? 768 : place);
        if (r->read_first == k) PUT("%s", read);
        if (r->no_wait != k && r->parity)
            PUT("WAIT%u: mbarrier.test_wait.parity.shared.b64 %%p5, [%%r3], %u; @!%%p5 bra WAIT%u;\n", k,
                k & 1, k);
        else if (r->no_wait != k)
            PUT("WAIT%u: mbarrier.test_wait.shared.b64 %%p5, [%%r3], %%d9; @!%%p5 bra WAIT%u;\n", k, k);
        if (r->read_first != k) PUT("%s", read);
    }
    PUT("st.global.u32 [%%d6], %%r18;\nEND: ret;\n}\n");
#undef PUT
}

/* --- All ---------------------------------------------------------------------------------------------------
 */

/* What a program is run with. */
typedef struct {
    uint32_t rounds, threads, blocks;
    bool any_rounds; /* what is proved is run with other numbers of rounds, too */
} given;

/* An error in some order. */
static bool goes_wrong(const ls_ptx_module *module, const given *with, ls_diags *diags) {
    static const ls_emu_schedule orders[] = {LS_SCHEDULE_RR, LS_SCHEDULE_REVERSE, LS_SCHEDULE_RANDOM};
    bool wrong = false;
    for (size_t i = 0; i < sizeof orders / sizeof *orders && !wrong; i++) {
        ls_emulator *emulator = ls_emulator_new(module, diags);
        struct {
            uint64_t in, out;
            uint32_t n, none;
        } params = {ls_emulator_alloc(emulator, BUFFER, "in"), ls_emulator_alloc(emulator, BUFFER, "out"),
                    with->rounds, 0};
        ls_emu_launch launch = {.kernel = "k",
                                .grid = {with->blocks, 1, 1},
                                .block = {with->threads, 1, 1},
                                .params = &params,
                                .params_size = sizeof params};
        ls_emu_result *result = ls_emulator_run(emulator, &launch,
                                                &(ls_emu_options){.checks = LS_CHECK_RACE | LS_CHECK_BARRIER,
                                                                  .threads = 1,
                                                                  .schedule = orders[i],
                                                                  .seed = 1,
                                                                  .timeout = 20,
                                                                  .timeout_in_cpu_time = true});
        wrong = result->status != LS_EMU_DONE;
        for (uint32_t k = 0; k < result->finding_count; k++) wrong |= result->findings[k].level == LS_ERROR;
        ls_emu_result_free(result);
        ls_emulator_free(emulator);
    }
    return wrong;
}

/* The same with other numbers of rounds, where it was proved for all of them. */
static bool goes_wrong_later(const ls_ptx_module *module, given with, ls_diags *diags) {
    enum { MOST_ROUNDS = 9 };
    bool wrong = false;
    for (with.rounds = 0; with.rounds <= MOST_ROUNDS && !wrong; with.rounds++)
        wrong = goes_wrong(module, &with, diags);
    return wrong;
}

/* least: proofs without which the programs would test nothing. */
static void try(given (*write)(uint64_t seed, char *text), uint32_t least) {
    const char *count = getenv("LOCKSTEP_KERNELS"), *seed = getenv("LOCKSTEP_SEED");
    uint64_t first = seed ? strtoull(seed, NULL, 10) : 1,
             last = first + (count ? strtoull(count, NULL, 10) : 30);
    uint32_t proved = 0, wrong = 0, failed = 0;
    for (uint64_t n = first; n < last; n++) {
        char text[LENGTH];
        const given with = write(n, text);
        ls_diags *diags = ls_diags_new();
        ls_ptx_module *module = ls_ptx_parse(text, strlen(text), "k.ptx", diags);
        if (!module) print_error("%s\n", text);
        assert_non_null(module);
        ls_ir_function *ir =
            ls_ir_build(module, ls_ptx_find_function(module, "k"), &(ls_ir_options){.quiet = true}, diags);
        ls_verify_result *v =
            ls_verify(ir, &(ls_verify_options){.block = {with.threads, 1, 1}, .grid = {with.blocks, 1, 1}});
        bool bad = goes_wrong(module, &with, diags);
        if (v->verdict == LS_PROVED && with.any_rounds && !bad) bad = goes_wrong_later(module, with, diags);
        proved += v->verdict == LS_PROVED;
        wrong += bad;
        if (bad && v->verdict == LS_PROVED) {
            print_error("seed %llu goes wrong and is proved:\n%s\n", (unsigned long long)n, text);
            failed++;
        }
        if (getenv("LOCKSTEP_SHOW"))
            print_message("%llu: %s, %s%s%s\n", (unsigned long long)n, ls_verdict_name(v->verdict),
                          bad ? "goes wrong" : "runs", v->reasons ? ": " : "",
                          v->reasons ? v->reasons->text : "");
        ls_verify_free(v);
        ls_ir_free(ir);
        ls_ptx_module_free(module);
        ls_diags_free(diags);
    }
    print_message("%llu programs: %u proved, %u go wrong\n", (unsigned long long)(last - first), proved,
                  wrong);
    assert_int_equal(failed, 0);
    assert_true(count || (proved >= least && wrong >= 6)); /* else the programs test nothing */
}

static given ring_of(uint64_t seed, char *text) {
    ring r = make(seed);
    write_text(&r, text);
    return (given){r.rounds[1], THREADS, 1, false};
}

static given block_of(uint64_t seed, char *text) {
    block_ring r = make_block(seed);
    write_block(&r, text);
    return (given){r.rounds, THREADS, 1, false};
}

static given leavers_of(uint64_t seed, char *text) {
    leavers r = make_leavers(seed);
    write_leavers(&r, text);
    return (given){0, THREADS, 1, false};
}

static given products_of(uint64_t seed, char *text) {
    product_ring r = make_products(seed, pick);
    write_products(&r, text, LENGTH);
    return (given){r.rounds, 128 * r.groups + 32, 1, true};
}

static given halves_of(uint64_t seed, char *text) {
    const halves h = make_halves(seed, pick);
    write_halves(&h, text, LENGTH);
    return (given){0, HALVES_THREADS, 2, false};
}

static given peeled_of(uint64_t seed, char *text) {
    const peeled_ring r = make_peeled(seed, pick);
    write_peeled(&r, text, LENGTH);
    return (given){r.rounds, THREADS, 1, true};
}

static given named_of(uint64_t seed, char *text) {
    const named_ring r = make_named(seed, pick);
    write_named(&r, text, LENGTH);
    return (given){r.rounds, 64 * r.warps, 1, true};
}

static given tiles_of(uint64_t seed, char *text) {
    const tile_epilogue e = make_tiles(seed, pick);
    write_tiles(&e, text, LENGTH);
    return (given){e.rounds, TILE_THREADS, 1, !e.tested_last};
}

static given meeting_of(uint64_t seed, char *text) {
    const meeting m = make_meeting(seed, pick);
    write_meeting(&m, text, LENGTH);
    return (given){(uint32_t)seed % 4, m.members + 32, 1, true};
}

static void test_meetings_of_some_warps(void **state) {
    (void)state;
    try(meeting_of, 4);
}

static void test_tiles_with_epilogues(void **state) {
    (void)state;
    try(tiles_of, 2);
}

static void test_named_barriers(void **state) {
    (void)state;
    try(named_of, 4);
}

static void test_steps_around_loops(void **state) {
    (void)state;
    try(peeled_of, 4);
}

static void test_halves_of_cluster_barriers(void **state) {
    (void)state;
    try(halves_of, 3);
}

static void test_rings_that_matrix_units_read(void **state) {
    (void)state;
    try(products_of, 2);
}

static void test_threads_that_leave(void **state) {
    (void)state;
    try(leavers_of, 4);
}

static void test_rings_of_bulk_copies(void **state) {
    (void)state;
    try(ring_of, 4);
}

static void test_barriers_and_pipelines_of_libcu(void **state) {
    (void)state;
    try(block_of, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rings_of_bulk_copies),
                                       cmocka_unit_test(test_rings_that_matrix_units_read),
                                       cmocka_unit_test(test_barriers_and_pipelines_of_libcu),
                                       cmocka_unit_test(test_threads_that_leave),
                                       cmocka_unit_test(test_steps_around_loops),
                                       cmocka_unit_test(test_tiles_with_epilogues),
                                       cmocka_unit_test(test_named_barriers),
                                       cmocka_unit_test(test_meetings_of_some_warps),
                                       cmocka_unit_test(test_halves_of_cluster_barriers)};
    cmocka_set_test_filter(getenv("LOCKSTEP_FAMILY")); /* NULL: all */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
