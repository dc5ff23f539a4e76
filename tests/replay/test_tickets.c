/* Random programs with bulk copies and mbarriers: a ring of stages between a producer and consumers, right in
 * the beginning and then changed at some places: counts, bytes, parities, stages, fences, waits and arrivals
 * that are left out or come too early, numbers of iterations that differ. Each is verified and run in the
 * emulator, in several orders and with copies that end early and late: what goes wrong there must not be
 * proved. LOCKSTEP_KERNELS is the number of programs, LOCKSTEP_SEED the first of them. */
#include "lockstep/emulate.h"
#include "lockstep/ptx.h"
#include "lockstep/verify.h"

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
} ring;

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
              .wraps = stages};
    for (uint32_t changes = pick(&s, 3); changes--;) switch (pick(&s, 17)) {
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
        " mov.u32 %%r3, f; mov.u32 %%r4, e;\nsetp.ne.u32 %%p1, %%r1, 0; @%%p1 bra READY;\n");
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
    char arrive[200] = "";
    if (r->arrive)
        snprintf(arrive, sizeof arrive,
                 "%ssetp.lt.u32 %%p6, %%r5, %u; @%%p6 mbarrier.arrive.shared::cta.b64 _, [%%r13];\n", fence,
                 r->lanes);
    if (r->early) PUT("%s", arrive);
    PUT("add.u32 %%r15, %%r14, %%r7; ld.shared.u32 %%r16, [%%r15]; mul.wide.u32 %%d7, %%r8, %u; add.s64 "
        "%%d7, %%d6, %%d7; "
        "st.global.u32 [%%d7], %%r16;\n",
        TILE);
    if (!r->early) PUT("%s", arrive);
    at += next_stage(at, (size_t)(end - at), r);
    PUT("bra NEXT;\nEND: ret;\n}\n");
#undef PUT
}

/* An error in some order. */
static bool goes_wrong(const ls_ptx_module *module, const ring *r, ls_diags *diags) {
    static const ls_emu_schedule orders[] = {LS_SCHEDULE_RR, LS_SCHEDULE_REVERSE, LS_SCHEDULE_RANDOM};
    bool wrong = false;
    for (size_t i = 0; i < sizeof orders / sizeof *orders && !wrong; i++) {
        ls_emulator *emulator = ls_emulator_new(module, diags);
        struct {
            uint64_t in, out;
            uint32_t n, none;
        } params = {ls_emulator_alloc(emulator, BUFFER, "in"), ls_emulator_alloc(emulator, BUFFER, "out"),
                    r->rounds[1], 0};
        ls_emu_launch launch = {.kernel = "k",
                                .grid = {1, 1, 1},
                                .block = {THREADS, 1, 1},
                                .params = &params,
                                .params_size = sizeof params};
        ls_emu_result *result = ls_emulator_run(emulator, &launch,
                                                &(ls_emu_options){.checks = LS_CHECK_RACE | LS_CHECK_BARRIER,
                                                                  .threads = 1,
                                                                  .schedule = orders[i],
                                                                  .seed = 1,
                                                                  .timeout = 5});
        wrong = result->status != LS_EMU_DONE;
        for (uint32_t k = 0; k < result->finding_count; k++) wrong |= result->findings[k].level == LS_ERROR;
        ls_emu_result_free(result);
        ls_emulator_free(emulator);
    }
    return wrong;
}

static void test_what_goes_wrong_is_not_proved(void **state) {
    (void)state;
    const char *count = getenv("LOCKSTEP_KERNELS"), *seed = getenv("LOCKSTEP_SEED");
    uint64_t first = seed ? strtoull(seed, NULL, 10) : 1,
             last = first + (count ? strtoull(count, NULL, 10) : 40);
    uint32_t proved = 0, wrong = 0, failed = 0;
    for (uint64_t n = first; n < last; n++) {
        char text[LENGTH];
        ring r = make(n);
        write_text(&r, text);
        ls_diags *diags = ls_diags_new();
        ls_ptx_module *module = ls_ptx_parse(text, strlen(text), "k.ptx", diags);
        if (!module) print_error("%s\n", text);
        assert_non_null(module);
        ls_ir_function *ir =
            ls_ir_build(module, ls_ptx_find_function(module, "k"), &(ls_ir_options){.quiet = true}, diags);
        ls_verify_result *v =
            ls_verify(ir, &(ls_verify_options){.block = {THREADS, 1, 1}, .grid = {1, 1, 1}});
        bool bad = goes_wrong(module, &r, diags);
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
    assert_true(count || (proved >= 5 && wrong >= 10)); /* else the programs test nothing */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_goes_wrong_is_not_proved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
