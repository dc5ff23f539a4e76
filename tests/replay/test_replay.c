/* Replay: what the verifier finds happens in the emulator; what does not happen there is no longer called
 * refuted; and what was only suspected is, where it happens. */
#include "lockstep/ptx.h"
#include "lockstep/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    const char *body; /* of a kernel with parameters p, q (pointers) and n (32 bits) */
    uint32_t block, grid;
    ls_verdict without, with; /* verdicts without and with replay */
    const char *note;         /* how the first finding's note begins; NULL: there is no finding */
} example;

#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                                        \
    ".extern .func (.param .b32 r) elsewhere (.param .b32 a);\n"                                             \
    ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n) {\n"                                     \
    ".shared .align 4 .b8 s[4096];\n"                                                                        \
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<20>;\n"                                                \
    "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.param.u32 %r1, [n];\n"                                 \
    "cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;\n"                                            \
    "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n"                                    \
    "mad.lo.s32 %r5, %r3, %r4, %r2; mul.wide.s32 %d3, %r5, 4;\n"                                             \
    "add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;\n"

static const example examples[] = {
    /* p[id / 2] = id */
    {"shr.u32 %r6, %r5, 1; mul.wide.u32 %d6, %r6, 4; add.s64 %d6, %d1, %d6; st.global.u32 [%d6], %r5; ret;\n",
     64, 4, LS_REFUTED, LS_REFUTED, "confirmed"},
    /* p[id] = id; p[id + n] = id, in a grid of any size: only where n is a distance of two threads */
    {"st.global.u32 [%d4], %r5; mul.wide.s32 %d6, %r1, 4; add.s64 %d6, %d4, %d6; st.global.u32 [%d6], 7; "
     "ret;\n",
     0, 0, LS_REFUTED, LS_REFUTED, "confirmed"},
    /* p[q[id]] = id: q's contents are the witness's */
    {"ld.global.u32 %r6, [%d5]; mul.wide.u32 %d6, %r6, 4; add.s64 %d6, %d1, %d6; st.global.u32 [%d6], %r5; "
     "ret;\n",
     64, 1, LS_REFUTED, LS_REFUTED, "confirmed"},
    /* if (cluster_ctarank == 3) s[0] = tid: the rank is 0 in a launch without clusters; the verifier takes it
     * for an input */
    {"mov.u32 %r6, %cluster_ctarank; setp.ne.u32 %p1, %r6, 3; @%p1 bra END; st.shared.u32 [s], %r2;\n"
     "END: ret;\n",
     32, 1, LS_REFUTED, LS_UNKNOWN, NULL},
    /* if (laneid == 3) s[0] = tid: one thread of a warp */
    {"mov.u32 %r6, %laneid; setp.ne.u32 %p1, %r6, 3; @%p1 bra END; st.shared.u32 [s], %r2;\nEND: ret;\n", 32,
     1, LS_PROVED, LS_PROVED, NULL},
    /* s[tid] = tid / 2; p[s[tid]] = id: hangs on memory that the kernel writes, so that it is only suspected
     */
    {"mul.wide.u32 %d6, %r2, 4; mov.u64 %d7, s; add.s64 %d7, %d7, %d6; shr.u32 %r7, %r2, 1; "
     "st.shared.u32 [%d7], %r7; bar.sync 0; ld.shared.u32 %r6, [%d7]; mul.wide.u32 %d6, %r6, 4; "
     "add.s64 %d6, %d1, %d6; st.global.u32 [%d6], %r5; ret;\n",
     64, 1, LS_UNKNOWN, LS_REFUTED, "confirmed"},
    /* p[p[id]] = id: what is loaded is what was there at the start */
    {"ld.global.u32 %r6, [%d4]; mul.wide.u32 %d6, %r6, 4; add.s64 %d6, %d1, %d6; st.global.u32 [%d6], %r5; "
     "ret;\n",
     64, 1, LS_REFUTED, LS_REFUTED, "confirmed"},
    /* if (tid < n) barrier */
    {"setp.ge.s32 %p1, %r2, %r1; @%p1 bra END; bar.sync 0; st.shared.u32 [s], 1; bar.sync 0;\nEND: bar.sync "
     "0; "
     "ret;\n",
     64, 1, LS_REFUTED, LS_REFUTED, "confirmed"},
    /* s[tid] = 0; atomic on s[0]: the owner's own atomic comes first */
    {"mul.wide.u32 %d6, %r2, 4; mov.u64 %d7, s; add.s64 %d7, %d7, %d6; st.shared.u32 [%d7], 0; "
     "red.shared.add.u32 "
     "[s], 1; ret;\n",
     32, 1, LS_REFUTED, LS_REFUTED, "confirmed"},
    /* the same with a read */
    {"mul.wide.u32 %d6, %r2, 4; mov.u64 %d7, s; add.s64 %d7, %d7, %d6; ld.shared.u32 %r6, [%d7]; "
     "red.shared.add.u32 [s], 1; st.global.u32 [%d4], %r6; ret;\n",
     32, 1, LS_REFUTED, LS_REFUTED, "confirmed"},
    /* what the emulator does not run leaves the finding as it is */
    {"{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r5; call.uni (b), elsewhere, (a); ld.param.b32 %r7, "
     "[b]; "
     "} st.global.u32 [%d1], %r5; ret;\n",
     64, 1, LS_REFUTED, LS_REFUTED, "not replayed: 'call.uni'"},
    /* an offset of gigabytes */
    {"mul.wide.s32 %d6, %r5, 1073741824; add.s64 %d6, %d6, %d1; mul.wide.s32 %d7, %r2, -1073741824; add.s64 "
     "%d7, "
     "%d6, %d7; add.s64 %d7, %d7, 805306368; st.global.u32 [%d7], %r5; ret;\n",
     64, 1, LS_REFUTED, LS_REFUTED, "not replayed: it needs more memory"},
    /* s[tid] = s[tid + n]: n is a number, though an address is computed with it */
    {"mul.wide.u32 %d6, %r2, 4; mov.u64 %d7, s; add.s64 %d7, %d7, %d6; mul.wide.u32 %d8, %r1, 4; add.s64 "
     "%d8, %d7, "
     "%d8; ld.shared.u32 %r6, [%d8]; st.shared.u32 [%d7], %r6; ret;\n",
     64, 1, LS_REFUTED, LS_REFUTED, "confirmed"},
    /* nothing is wrong with p[id] = id */
    {"st.global.u32 [%d4], %r5; ret;\n", 64, 4, LS_PROVED, LS_PROVED, NULL},
};

static ls_verify_result *verify(const example *e, bool replay) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s}\n", HEAD, e->body);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, strlen(text), "k.ptx", diags);
    assert_non_null(module);
    ls_ir_function *ir =
        ls_ir_build(module, ls_ptx_find_function(module, "k"), &(ls_ir_options){.quiet = true}, diags);
    assert_non_null(ir);
    ls_verify_options options = {.block = {e->block, 1, 1}, .grid = {e->grid, 1, 1}, .pure_externals = true};
    ls_verify_result *r = ls_verify(ir, &options);
    if (replay) ls_replay_findings(r, ir, &options, 5);
    ls_ir_free(ir);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    return r;
}

static void test_examples(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        ls_verify_result *r = verify(e, false);
        if (r->verdict != e->without) fail_msg("example %zu: verdict %d", i, r->verdict);
        ls_verify_free(r);
        r = verify(e, true);
        if (r->verdict != e->with) fail_msg("example %zu: verdict %d with replay", i, r->verdict);
        const char *note = r->findings ? r->findings->story->confirmed : NULL;
        if (!note != !e->note || (note && strncmp(note, e->note, strlen(e->note))))
            fail_msg("example %zu: '%s'", i, note ? note : "no finding");
        ls_verify_free(r);
    }
}

/* A replay that shows nothing is a reason for "unknown" with the finding's words. */
static void test_what_did_not_happen_is_possible(void **state) {
    (void)state;
    ls_verify_result *r = verify(&examples[3], true);
    assert_null(r->findings);
    assert_non_null(r->reasons);
    assert_non_null(strstr(r->reasons->text, "possible write-write race on 's'"));
    assert_non_null(strstr(r->reasons->text, "did not happen"));
    ls_verify_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples),
                                       cmocka_unit_test(test_what_did_not_happen_is_possible)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
