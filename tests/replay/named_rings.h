/* Warps that hand memory to each other by named barriers, at which some of them arrive and go on (bar.arrive)
 * and others wait (bar.sync), as in FlashAttention-3: a right one, with up to two changes. Two groups of
 * warps take turns at the same memory, or one writes what the other one reads. */
#ifndef LS_TESTS_REPLAY_NAMED_RINGS_H
#define LS_TESTS_REPLAY_NAMED_RINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { NAMED_MOST = 2 };

typedef struct {
    uint32_t warps; /* of each group */
    uint32_t rounds;
    uint32_t count[NAMED_MOST];   /* of the barriers, in threads */
    uint32_t number[NAMED_MOST];  /* of the barriers */
    uint32_t members[NAMED_MOST]; /* threads of each group that come */
    uint32_t more[NAMED_MOST];    /* rounds of each group beyond the others */
    bool by_register;             /* the numbers are in registers, by group */
    bool turns;                   /* both write */
    bool first;                   /* the second group says that the memory is free */
    bool waits[NAMED_MOST], arrives[NAMED_MOST], early[NAMED_MOST], syncs[NAMED_MOST];
    bool always;        /* the last round says that the memory is free, too */
    bool block_barrier; /* one of the block has the same number */
} named_ring;

static named_ring make_named(uint64_t seed, uint32_t (*pick)(uint64_t *state, uint32_t below)) {
    uint64_t s = seed * 49979687 + 11;
    for (int i = 0; i < 4; i++) pick(&s, 2);
    const uint32_t warps = 1 + pick(&s, 2);
    named_ring r = {.warps = warps,
                    .rounds = pick(&s, 7),
                    .count = {64 * warps, 64 * warps},
                    .number = {1, 2},
                    .members = {32 * warps, 32 * warps},
                    .by_register = pick(&s, 3) == 0,
                    .turns = pick(&s, 2),
                    .first = true,
                    .waits = {true, true},
                    .arrives = {true, true}};
    for (uint32_t changes = pick(&s, 3); changes--;) switch (pick(&s, 14)) {
        case 0: r.count[pick(&s, 2)] += 32; break;
        case 1: r.count[pick(&s, 2)] -= 32; break;
        case 2: r.number[pick(&s, 2)] = 1 + pick(&s, 3); break;
        case 3: r.members[pick(&s, 2)] -= 32 * pick(&s, 2) + 16 * pick(&s, 2); break;
        case 4: r.more[pick(&s, 2)] = 1; break;
        case 5: r.first = false; break;
        case 6: r.waits[pick(&s, 2)] = false; break;
        case 7: r.arrives[pick(&s, 2)] = false; break;
        case 8:
        case 9: r.early[pick(&s, 2)] = true; break;
        case 10: r.syncs[pick(&s, 2)] = true; break;
        case 11: r.always = true; break;
        case 12: r.block_barrier = true; break;
        default: r.count[0] = r.count[1] = 32 * r.warps; break;
        }
    return r;
}

/* The group's own barrier is the one it waits at; the other group's is where it arrives. */
static int named_barrier(char *at, size_t size, const named_ring *r, const char *what, uint32_t which) {
    if (r->by_register)
        return snprintf(at, size, "mov.u32 %%r22, %u; mul.lo.u32 %%r22, %%r22, %%r23; %s %%r22, %u;\n",
                        r->number[which], what, r->count[which]);
    return snprintf(at, size, "%s %u, %u;\n", what, r->number[which], r->count[which]);
}

static void write_group(char **to, char *end, const named_ring *r, uint32_t group) {
    char *at = *to, give[200] = "";
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    if (r->members[group] < 32 * r->warps)
        PUT("setp.ge.u32 %%p4, %%r5, %u; @%%p4 bra END;\n", r->members[group]);
    if (group && r->first) at += named_barrier(at, (size_t)(end - at), r, "bar.arrive", 0);
    if (r->more[group]) PUT("add.u32 %%r20, %%r20, 1;\n");
    PUT("NEXT%u: setp.ge.s32 %%p3, %%r8, %%r20; @%%p3 bra END;\n", group);
    if (r->waits[group]) at += named_barrier(at, (size_t)(end - at), r, "bar.sync", group);
    if (r->arrives[group])
        named_barrier(give, sizeof give, r, r->syncs[group] ? "bar.sync" : "bar.arrive", 1 - group);
    if (r->early[group]) PUT("%s", give);
    if (!group || r->turns) PUT("st.shared.u32 [%%r14], %%r8;\n");
    if (group || r->turns)
        PUT("ld.shared.u32 %%r16, [%s]; add.u32 %%r18, %%r18, %%r16;\n", r->turns ? "%r14" : "%r15");
    PUT("add.u32 %%r8, %%r8, 1;\n");
    if (!r->early[group]) {
        if (group && !r->always) PUT("setp.ge.s32 %%p3, %%r8, %%r20; @%%p3 bra END;\n");
        PUT("%s", give);
    }
    PUT("bra NEXT%u;\n", group);
#undef PUT
    *to = at;
}

static void write_named(const named_ring *r, char *text, size_t length) {
    char *at = text, *end = text + length;
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT(".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
        ".param .u32 n) {\n.reg .pred %%p<9>; .reg .b32 %%r<32>; .reg .b64 %%d<16>;\n"
        ".shared .align 128 .b8 s[%u];\n",
        128 * r->warps);
    PUT("ld.param.u64 %%d2, [out]; ld.param.u32 %%r20, [n]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, s; "
        "and.b32 %%r5, %%r1, %u; mov.u32 %%r18, 0; mov.u32 %%r8, 0; mov.u32 %%r23, 1;\n"
        "shl.b32 %%r6, %%r5, 2; add.u32 %%r14, %%r2, %%r6; sub.u32 %%r7, %u, %%r6; add.u32 %%r15, %%r2, "
        "%%r7;\n",
        32 * r->warps - 1, 128 * r->warps - 4);
    PUT("mul.wide.u32 %%d5, %%r1, 4; add.s64 %%d6, %%d2, %%d5;\n");
    if (r->by_register) PUT("shr.u32 %%r23, %%r1, 10; add.u32 %%r23, %%r23, 1;\n");
    if (r->block_barrier) PUT("bar.sync %u;\n", r->number[0]);
    PUT("setp.ge.u32 %%p2, %%r1, %u; @%%p2 bra SECOND;\n", 32 * r->warps);
    write_group(&at, end, r, 0);
    PUT("SECOND:\n");
    write_group(&at, end, r, 1);
    PUT("END: st.global.u32 [%%d6], %%r18; ret;\n}\n");
#undef PUT
}

#endif
