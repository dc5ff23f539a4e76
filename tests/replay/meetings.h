/* Some of the block's warps meet at a barrier of theirs (bar.sync ID, COUNT) that has several ways to it, of
 * which one waits for the others' arrivals at an mbarrier: a right one, with up to two changes. The members
 * write, meet, and read what another member wrote. */
#ifndef LS_TESTS_REPLAY_MEETINGS_H
#define LS_TESTS_REPLAY_MEETINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Which way a thread takes depends on a bit of the argument, its warp, loaded data that is the same for all,
 * or its own. */
enum { BY_ARGUMENT, BY_WARP, BY_DATA, BY_OWN_DATA, MEETING_CONDITIONS };
/* Where the barrier is: behind both ways, at the end of each of them, or of one alone. */
enum { BEHIND, ON_BOTH, ON_WAITING, ON_OTHER, MEETING_PLACES };

typedef struct {
    uint32_t members; /* threads; a warp more belongs to the block … */
    uint32_t first;   /* … in front of them or behind */
    uint32_t condition, place, count;
    uint32_t ways;     /* that lie one behind the other, each with a condition of its own */
    bool arrives;      /* the others, at the mbarriers */
    bool other_number; /* on the second way */
    bool reads_early, writes_late;
} meeting;

static meeting make_meeting(uint64_t seed, uint32_t (*pick)(uint64_t *state, uint32_t below)) {
    uint64_t s = seed * 67867967 + 5;
    for (int i = 0; i < 4; i++) pick(&s, 2);
    const uint32_t members = 64;
    meeting m = {.members = members,
                 .first = pick(&s, 2) ? 32 : 0,
                 .condition = pick(&s, 3) ? BY_ARGUMENT : BY_DATA,
                 .place = BEHIND,
                 .count = members,
                 .ways = 1 + pick(&s, 2),
                 .arrives = true};
    for (uint32_t changes = pick(&s, 3); changes--;) switch (pick(&s, 9)) {
        case 0:
        case 1: m.condition = pick(&s, MEETING_CONDITIONS); break;
        case 2:
        case 3: m.place = pick(&s, MEETING_PLACES); break;
        case 4: m.count += pick(&s, 2) ? 32 : -32u; break;
        case 5: m.arrives = false; break;
        case 6: m.other_number = true; break;
        case 7: m.reads_early = true; break;
        default: m.writes_late = true; break;
        }
    return m;
}

static void write_meeting(const meeting *m, char *text, size_t length) {
    static const char *const conditions[MEETING_CONDITIONS] = {"shr.u32 %r8, %r20, ", "shr.u32 %r8, %r4, ",
                                                               "shr.u32 %r8, %r10, ", "shr.u32 %r8, %r11, "};
    const bool ends = m->place == ON_BOTH, waiting = ends || m->place == ON_WAITING;
    char *at = text, *end = text + length;
#define PUT(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    PUT(".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
        ".param .u32 n) {\n.reg .pred %%p<9>; .reg .b32 %%r<32>; .reg .b64 %%d<16>;\n"
        ".shared .align 128 .b8 s[512];\n.shared .align 8 .b8 full[16];\n");
    PUT("ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [out]; ld.param.u32 %%r20, [n]; mov.u32 %%r1, %%tid.x;\n"
        "shr.u32 %%r4, %%r1, 5; mul.wide.u32 %%d5, %%r1, 4; add.s64 %%d6, %%d2, %%d5; add.s64 %%d7, %%d1, "
        "%%d5;\nld.global.u32 %%r10, [%%d1]; ld.global.u32 %%r11, [%%d7]; mov.u32 %%r3, full;\n"
        "setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra MADE;\n"
        "mbarrier.init.shared.b64 [%%r3], 32; mbarrier.init.shared.b64 [%%r3+8], 32;\nMADE: bar.sync 0;\n");
    PUT("sub.u32 %%r5, %%r1, %u; setp.ge.u32 %%p2, %%r5, %u; @%%p2 bra OTHERS;\n", m->first, m->members);
    PUT("mov.u32 %%r2, s; shl.b32 %%r6, %%r5, 2; add.u32 %%r14, %%r2, %%r6; sub.u32 %%r7, 252, %%r6; add.u32 "
        "%%r15, %%r2, %%r7; mov.u32 %%r16, 0;\n");
    if (m->reads_early) PUT("ld.shared.u32 %%r16, [%%r15];\n");
    for (uint32_t w = 0; w < m->ways; w++) {
        PUT("%s%u; and.b32 %%r8, %%r8, 1; setp.eq.u32 %%p3, %%r8, 0; @%%p3 bra OTHER%u;\n",
            conditions[m->condition], w, w);
        PUT("WAIT%u: mbarrier.try_wait.parity.shared.b64 %%p4, [%%r3+%u], 0; @!%%p4 bra WAIT%u;\n", w, 8 * w,
            w);
        PUT("st.shared.u32 [%%r14], %%r1;\n");
        if (waiting && w + 1 == m->ways) PUT("bar.sync 1, %u;\n", m->count);
        PUT("bra JOIN%u;\nOTHER%u: st.shared.u32 [%%r14], %%r20;\n", w, w);
        if ((ends || m->place == ON_OTHER) && w + 1 == m->ways)
            PUT("bar.sync %u, %u;\n", m->other_number ? 2 : 1, m->count);
        PUT("JOIN%u:\n", w);
    }
    if (m->place == BEHIND) PUT("bar.sync 1, %u;\n", m->count);
    if (m->writes_late) PUT("st.shared.u32 [%%r14], %%r6;\n");
    PUT("ld.shared.u32 %%r17, [%%r15]; add.u32 %%r16, %%r16, %%r17; st.global.u32 [%%d6], %%r16; ret;\n");
    PUT("OTHERS:\n");
    for (uint32_t w = 0; w < m->ways && m->arrives; w++) {
        PUT("%s%u; and.b32 %%r8, %%r8, 1; setp.eq.u32 %%p3, %%r8, 0; @%%p3 bra PAST%u;\n",
            conditions[m->condition], w, w);
        PUT("mbarrier.arrive.shared.b64 %%d8, [%%r3+%u];\nPAST%u:\n", 8 * w, w);
    }
    PUT("END: ret;\n}\n");
#undef PUT
}

#endif
