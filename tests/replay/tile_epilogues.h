/* Loops over tiles with an epilogue: a thread fills a ring, tile after tile, and two warps empty it, meet,
 * write what they have to shared memory, and one of their threads has it copied out: a right one, with up to
 * two changes. A tile may have no steps. */
#ifndef LS_TESTS_REPLAY_TILE_EPILOGUES_H
#define LS_TESTS_REPLAY_TILE_EPILOGUES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TILE_THREADS = 96 };

typedef struct {
    uint32_t tiles, stages, rounds;
    uint32_t left;                    /* groups that may stay open at the wait in a tile */
    bool waits, waits_where_steps;    /* for the last tile's copy; only if tiles have steps */
    bool meets_first, meets_second;   /* before and behind what is written */
    bool meets_where_steps;           /* the second time only if tiles have steps */
    bool fences, waits_at_end;        /* the writes for the copy; for the last copy */
    bool one_place;                   /* all tiles are copied to the same place */
    bool more_steps, more_by_tile;    /* of those who empty the ring, in all tiles or in every other one */
    bool gives_back, waits_for_stage; /* the ring's own */
    bool tested_last;                 /* a tile has a step at least: the inner loops are tested behind it */
} tile_epilogue;

static tile_epilogue make_tiles(uint64_t seed, uint32_t (*pick)(uint64_t *state, uint32_t below)) {
    uint64_t s = seed * 49979687 + 11;
    for (int i = 0; i < 4; i++) pick(&s, 2);
    tile_epilogue e = {.tiles = 1 + pick(&s, 3),
                       .stages = 1 + pick(&s, 3),
                       .rounds = pick(&s, 4),
                       .waits = true,
                       .meets_first = true,
                       .meets_second = true,
                       .fences = true,
                       .waits_at_end = true,
                       .gives_back = true,
                       .waits_for_stage = true,
                       .tested_last = !pick(&s, 4)};
    for (uint32_t changes = pick(&s, 3); changes--;) switch (pick(&s, 12)) {
        case 0: e.waits = false; break;
        case 1: e.waits_where_steps = true; break;
        case 2: e.meets_first = false; break;
        case 3: e.meets_second = false; break;
        case 4: e.meets_where_steps = true; break;
        case 5: e.fences = false; break;
        case 6: e.waits_at_end = false; break;
        case 7: e.one_place = true; break;
        case 8: e.left = 1; break;
        case 9: e.more_steps = true; break;
        case 10: e.more_by_tile = true; break;
        default: *(pick(&s, 2) ? &e.gives_back : &e.waits_for_stage) = false; break;
        }
    return e;
}

/* The steps of a tile, of who fills the ring or who empties it; where the text goes on. */
static char *write_steps(const tile_epilogue *e, bool side, char *at, const char *end) {
    const char *w = side ? "E" : "F";
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    if (!e->tested_last) PUT("%sSTEP: setp.ge.u32 %%p3, %%r9, %%r21; @%%p3 bra %sNEXT;\n", w, w);
    if (e->tested_last) PUT("%sSTEP:\n", w);
    PUT("shl.b32 %%r10, %%r6, 3; add.u32 %%r11, %%r3, %%r10; add.u32 %%r12, %%r4, %%r10; shl.b32 %%r13, "
        "%%r6, 7; add.u32 %%r13, %%r2, %%r13; xor.b32 %%r14, %%r7, 1;\n");
    if (!side && e->waits_for_stage)
        PUT("FWAIT: mbarrier.try_wait.parity.shared.b64 %%p4, [%%r12], %%r14; @!%%p4 bra FWAIT;\n");
    if (!side)
        PUT("mbarrier.arrive.expect_tx.shared.b64 %%d8, [%%r11], 128;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r13], [%%d1], 128, "
            "[%%r11];\n");
    if (side) {
        PUT("EWAIT: mbarrier.try_wait.parity.shared.b64 %%p4, [%%r11], %%r7; @!%%p4 bra EWAIT;\n"
            "add.u32 %%r19, %%r13, %%r17; ld.shared.u32 %%r23, [%%r19]; add.u32 %%r18, %%r18, %%r23;\n"
            "fence.proxy.async.shared::cta;\n");
        if (e->gives_back) PUT("mbarrier.arrive.shared.b64 %%d8, [%%r12];\n");
    }
    PUT("add.u32 %%r6, %%r6, 1; setp.eq.u32 %%p5, %%r6, %u; selp.u32 %%r6, 0, %%r6, %%p5; selp.u32 "
        "%%r24, 1, 0, %%p5; xor.b32 %%r7, %%r7, %%r24; add.u32 %%r9, %%r9, 1;\n",
        e->stages);
    if (e->tested_last)
        PUT("setp.lt.u32 %%p3, %%r9, %%r21; @%%p3 bra %sSTEP;\n", w);
    else
        PUT("bra %sSTEP;\n%sNEXT:\n", w, w);
    return at;
}

/* What is behind them. */
static char *write_epilogue(const tile_epilogue *e, char *at, const char *end) {
    if (e->waits)
        PUT("@%%p1 bra READ;\n%scp.async.bulk.wait_group.read %u;\nREAD:\n",
            e->waits_where_steps ? "@%p2 bra READ;\n" : "", e->left);
    if (e->meets_first) PUT("bar.sync 1, 64;\n");
    PUT("st.shared.u32 [%%r15], %%r18;\n");
    if (e->fences) PUT("fence.proxy.async.shared::cta;\n");
    if (e->meets_second && e->meets_where_steps) PUT("@%%p2 bra MET;\n");
    if (e->meets_second) PUT("bar.sync 1, 64;\nMET:\n");
    PUT("@%%p1 bra COPIED;\nshl.b32 %%r25, %%r8, 8; cvt.u64.u32 %%d5, %%r25; add.s64 %%d6, %%d2, "
        "%s;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%%d6], [%%r5], 256;\n"
        "cp.async.bulk.commit_group;\nCOPIED:\n",
        e->one_place ? "0" : "%d5");
    return at;
#undef PUT
}

static void write_tiles(const tile_epilogue *e, char *text, size_t length) {
    char *at = text, *end = text + length;
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT(".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
        ".param .u32 n) {\n.reg .pred %%p<9>; .reg .b32 %%r<40>; .reg .b64 %%d<16>;\n"
        ".shared .align 128 .b8 s[384];\n.shared .align 128 .b8 tile[256];\n.shared .align 8 .b8 full[24];\n"
        ".shared .align 8 .b8 empty[24];\n");
    PUT("ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [out]; ld.param.u32 %%r20, [n]; mov.u32 %%r1, %%tid.x;\n"
        "cvta.to.global.u64 %%d1, %%d1; cvta.to.global.u64 %%d2, %%d2; mov.u32 %%r2, s; mov.u32 %%r3, full; "
        "mov.u32 %%r4, empty; mov.u32 %%r5, tile;\nsetp.ne.u32 %%p1, %%r1, 0; @%%p1 bra MADE;\n");
    for (uint32_t k = 0; k < e->stages; k++)
        PUT("mbarrier.init.shared.b64 [%%r3+%u], 1; mbarrier.init.shared.b64 [%%r4+%u], 64;\n", 8 * k, 8 * k);
    PUT("fence.mbarrier_init.release.cluster;\nMADE: bar.sync 0;\n"
        "mov.u32 %%r6, 0; mov.u32 %%r7, 0; mov.u32 %%r8, 0; setp.eq.u32 %%p2, %%r20, 0;\n"
        "setp.lt.u32 %%p3, %%r1, 64; @%%p3 bra EMPTIES;\nsetp.ne.u32 %%p3, %%r1, 64; @%%p3 bra END;\n");
    for (int side = 0; side < 2; side++) { /* who fills, and who empties */
        const char *w = side ? "E" : "F";
        if (side)
            PUT("EMPTIES: shl.b32 %%r16, %%r1, 2; add.u32 %%r15, %%r5, %%r16; and.b32 %%r17, %%r16, 127;\n");
        PUT("%sTILE: setp.ge.u32 %%p3, %%r8, %u; @%%p3 bra %sEND;\n", w, e->tiles, w);
        PUT("mov.u32 %%r9, 0; mov.u32 %%r18, 0; mov.u32 %%r21, %%r20;\n");
        if (side && e->more_steps) PUT("add.u32 %%r21, %%r21, 1;\n");
        if (side && e->more_by_tile) PUT("and.b32 %%r22, %%r8, 1; add.u32 %%r21, %%r21, %%r22;\n");
        at = write_steps(e, side, at, end);
        if (side) at = write_epilogue(e, at, end);
        PUT("add.u32 %%r8, %%r8, 1; bra %sTILE;\n%sEND:\n", w, w);
        if (!side) PUT("bra END;\n");
    }
    if (e->waits_at_end) PUT("@%%p1 bra END; cp.async.bulk.wait_group.read 0;\n");
    PUT("END: ret;\n}\n");
#undef PUT
}

#endif
