/* Random small kernels of what is easily got wrong: scopes, strong accesses, atomic operations of several
 * sizes, barriers that some go round, early returns, operations of lanes with masks, arithmetic that wraps
 * around, traps. Each is verified and run in the emulator under several schedules. What the emulator's
 * checkers report there must not have been proved; so the verifier is held against an execution, not against
 * itself.
 *
 *     replay_test_random                     a few hundred: what CI runs
 *     LOCKSTEP_KERNELS=100000 replay_test_random   the soak; LOCKSTEP_SEED says where it starts */
#include "base/buf.h"
#include "launch/args.h"
#include "lockstep/ptx.h"
#include "lockstep/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { USUAL = 300, REGISTERS = 64 };

typedef struct {
    ls_buf out;
    uint64_t state;
    uint32_t next, label; /* register, label */
} writer;

static uint32_t draw(writer *w, uint32_t below) {
    w->state ^= w->state << 13;
    w->state ^= w->state >> 7;
    w->state ^= w->state << 17;
    return (uint32_t)(w->state >> 33) % below;
}

#define WORDS(...)                                                                                           \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static const char *one_of(writer *w, const char *const *words, size_t count) {
    return words[draw(w, (uint32_t)count)];
}

/* --- Pieces ----------------------------------------------------------------------------------------------
 */

/* %r1: threadIdx.x, %r2: blockIdx.x, %r3: the thread's number in the grid, %r4: a parameter. */
static uint32_t new_register(writer *w) {
    return w->next < REGISTERS - 1 ? w->next++ : REGISTERS - 1;
}

/* A number below 64 in a register, or some that is larger by one. */
static uint32_t index_of(writer *w) {
    static const char *const factors[] = {"2654435761", "16777619", "1664525", "2", "3"};
    uint32_t r = new_register(w), from = 1 + draw(w, 3);
    switch (draw(w, 8)) {
    case 0: ls_buf_printf(&w->out, "mov.u32 %%r%u, %u;\n", r, draw(w, 4)); break;
    case 1: ls_buf_printf(&w->out, "shr.u32 %%r%u, %%r%u, 1;\n", r, from); break;
    case 2: ls_buf_printf(&w->out, "xor.b32 %%r%u, %%r%u, %u;\n", r, from, 1 + draw(w, 3)); break;
    case 3: ls_buf_printf(&w->out, "add.u32 %%r%u, %%r%u, %u;\n", r, from, draw(w, 3)); break;
    case 4:
        ls_buf_printf(&w->out, "mul.lo.u32 %%r%u, %%r%u, %s;\nshr.u32 %%r%u, %%r%u, %u;\n", r, from,
                      one_of(w, factors, 3), r, r, 26 + draw(w, 2));
        break;
    case 5:
        ls_buf_printf(&w->out, "mul.lo.u32 %%r%u, %%r%u, %s;\nand.b32 %%r%u, %%r%u, %u;\n", r, from,
                      one_of(w, factors, 5), r, r, draw(w, 2) ? 31 : 63);
        break;
    default: ls_buf_printf(&w->out, "mov.u32 %%r%u, %%r%u;\n", r, from); break;
    }
    return r;
}

/* The address of an element in %rd. */
static uint32_t address_of(writer *w, bool shared, uint32_t bytes) {
    uint32_t i = index_of(w), d = new_register(w);
    ls_buf_printf(&w->out, "mul.wide.u32 %%d%u, %%r%u, %u;\nadd.s64 %%d%u, %%d%u, %%d%u;\n", d, i, bytes, d,
                  d, shared ? 3 : draw(w, 2) + 1);
    return d;
}

static void write_access(writer *w) {
    bool shared = draw(w, 2), wide = !draw(w, 5);
    const char *space = shared ? "shared" : "global", *reg = wide ? "%d" : "%r";
    const char *scope = one_of(w, WORDS("cta", "gpu", "sys"));
    uint32_t at = address_of(w, shared, wide ? 8 : 4), v = wide ? 4 : 1 + draw(w, 3), bits = wide ? 64 : 32;
    uint32_t into = wide ? 5 : new_register(w);
    switch (draw(w, 9)) {
    case 0:
        ls_buf_printf(&w->out, "atom.%s.%s.add.u%u %s%u, [%%d%u], %s%u;\n", scope, space, bits, reg, into, at,
                      reg, v);
        break;
    case 1:
        ls_buf_printf(&w->out, "red.%s.%s.add.u%u [%%d%u], %s%u;\n", scope, space, bits, at, reg, v);
        break;
    case 2:
        ls_buf_printf(&w->out, "st.relaxed.%s.%s.u%u [%%d%u], %s%u;\n", scope, space, bits, at, reg, v);
        break;
    case 3:
        ls_buf_printf(&w->out, "ld.relaxed.%s.%s.u%u %s%u, [%%d%u];\n", scope, space, bits, reg, into, at);
        break;
    case 4: ls_buf_printf(&w->out, "st.volatile.%s.u%u [%%d%u], %s%u;\n", space, bits, at, reg, v); break;
    case 5: ls_buf_printf(&w->out, "ld.volatile.%s.u%u %s%u, [%%d%u];\n", space, bits, reg, into, at); break;
    case 6: ls_buf_printf(&w->out, "ld.%s.u%u %s%u, [%%d%u];\n", space, bits, reg, into, at); break;
    default: ls_buf_printf(&w->out, "st.%s.u%u [%%d%u], %s%u;\n", space, bits, at, reg, v); break;
    }
}

static void write_condition(writer *w) {
    ls_buf_printf(&w->out, "setp.%s.u32 %%p1, %%r%u, %u;\n", one_of(w, WORDS("lt", "ge", "eq", "ne")),
                  1 + draw(w, 4), one_of(w, WORDS("a", "b"))[0] == 'a' ? 16 * (1 + draw(w, 4)) : draw(w, 40));
}

static void write_lanes(writer *w) {
    const char *mask = one_of(w, WORDS("0xffffffff", "0xffffffff", "0xffff", "0xffff0000", "0x55555555"));
    uint32_t r = new_register(w);
    switch (draw(w, 3)) {
    case 0: ls_buf_printf(&w->out, "bar.warp.sync %s;\n", mask); break;
    case 1: ls_buf_printf(&w->out, "shfl.sync.bfly.b32 %%r%u, %%r1, 1, 31, %s;\n", r, mask); break;
    default: ls_buf_printf(&w->out, "vote.sync.ballot.b32 %%r%u, %%p0, %s;\n", r, mask); break;
    }
}

static void write_statements(writer *w, uint32_t count, uint32_t depth);

static void write_statement(writer *w, uint32_t depth) {
    uint32_t l;
    switch (draw(w, depth < 2 ? 12 : 8)) {
    case 0: ls_buf_puts(&w->out, "bar.sync 0;\n"); break;
    case 1: write_lanes(w); break;
    case 8:
        write_condition(w);
        ls_buf_puts(&w->out, "@%p1 ret;\n");
        break;
    case 9:
        write_condition(w);
        if (!draw(w, 4)) ls_buf_puts(&w->out, "@%p1 trap;\n");
        break;
    case 10:
        l = w->label++;
        write_condition(w);
        ls_buf_printf(&w->out, "@%%p1 bra J%u;\n", l);
        write_statements(w, 1 + draw(w, 2), depth + 1);
        ls_buf_printf(&w->out, "J%u:\n", l);
        break;
    case 11: /* three rounds, or fewer */
        l = w->label++;
        ls_buf_printf(&w->out, "mov.u32 %%k%u, 0;\nL%u:\n", l & 7, l);
        write_statements(w, 1 + draw(w, 2), 2);
        write_condition(w);
        ls_buf_printf(
            &w->out,
            "@%%p1 bra E%u;\nadd.u32 %%k%u, %%k%u, 1;\nsetp.lt.u32 %%p2, %%k%u, 3;\n@%%p2 bra L%u;\nE%u:\n",
            l, l & 7, l & 7, l & 7, l, l);
        break;
    default: write_access(w); break;
    }
}

static void write_statements(writer *w, uint32_t count, uint32_t depth) {
    for (uint32_t i = 0; i < count; i++) write_statement(w, depth);
}

static void write_kernel(writer *w) {
    ls_buf_puts(&w->out, ".version 8.0\n.target sm_80\n.address_size 64\n"
                         ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n) {\n"
                         ".shared .align 8 .b8 s[4096];\n");
    ls_buf_printf(&w->out, ".reg .pred %%p<4>; .reg .b32 %%r<%u>; .reg .b32 %%k<8>; .reg .b64 %%d<%u>;\n",
                  REGISTERS, REGISTERS);
    ls_buf_puts(&w->out, "ld.param.u64 %d1, [p];\nld.param.u64 %d2, [q];\nld.param.u32 %r4, [n];\n"
                         "cvta.to.global.u64 %d1, %d1;\ncvta.to.global.u64 %d2, %d2;\nmov.u64 %d3, s;\n"
                         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r5, %ntid.x;\n"
                         "mad.lo.u32 %r3, %r2, %r5, %r1;\ncvt.u64.u32 %d4, %r3;\nsetp.gt.u32 %p0, %r1, 3;\n");
    w->next = 6;
    w->label = 0;
    write_statements(w, 2 + draw(w, 5), 0);
    ls_buf_puts(&w->out, "st.global.u32 [%d2+8192], 1;\nret;\n}\n");
}

/* --- One kernel ------------------------------------------------------------------------------------------
 */

typedef struct {
    uint32_t kernels, proved, refuted, unknown, wrong_runs;
} tally;

static bool is_wrong(const ls_emu_result *r) {
    bool wrong = r->status == LS_EMU_TRAPPED || r->status == LS_EMU_STUCK;
    for (uint32_t i = 0; i < r->finding_count; i++) {
        ls_rule rule = r->findings[i].rule;
        wrong |= r->findings[i].level == LS_ERROR &&
                 (rule == LS_RULE_RACE_SHARED || rule == LS_RULE_RACE_GLOBAL || rule == LS_RULE_ASSERT ||
                  rule == LS_RULE_BARRIER_DIVERGENCE);
    }
    return wrong;
}

static bool goes_wrong(const ls_ptx_module *module, const ls_ptx_function *f, uint32_t block, uint32_t grid,
                       ls_emu_schedule schedule, ls_diags *diags) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_emulator *emulator = ls_emulator_new(module, diags);
    ls_emu_launch l = {.kernel = "k", .grid = {grid, 1, 1}, .block = {block, 1, 1}};
    const char *specs[] = {"u32[8192]", "u32[8192]", "u32=17"};
    ls_emu_args args;
    bool wrong = false;
    if (emulator && ls_emu_args_make(emulator, f, l.grid, l.block, 0, specs, 3, NULL, &arena, &args, diags)) {
        l.params = args.params;
        l.params_size = args.params_size;
        ls_emu_options how = {.checks = LS_CHECK_RACE | LS_CHECK_BARRIER,
                              .threads = 1,
                              .schedule = schedule,
                              .seed = 7,
                              .timeout = 5};
        ls_emu_result *r = ls_emulator_run(emulator, &l, &how);
        wrong = r && is_wrong(r);
        ls_emu_result_free(r);
    }
    ls_emulator_free(emulator);
    ls_arena_free(&arena);
    return wrong;
}

static void try_kernel(uint64_t seed, tally *sum) {
    writer w = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
    for (int i = 0; i < 8; i++) draw(&w, 2);
    write_kernel(&w);
    const char *text = ls_buf_text(&w.out);
    uint32_t block = draw(&w, 3) ? 64 : 40, grid = 1 + draw(&w, 2);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, strlen(text), "k.ptx", diags);
    if (!module) fail_msg("seed %llu does not parse:\n%s", (unsigned long long)seed, text);
    const ls_ptx_function *f = ls_ptx_find_function(module, "k");
    ls_ir_function *ir = ls_ir_build(module, f, &(ls_ir_options){.quiet = true}, diags);
    assert_non_null(ir);
    ls_verify_options how = {.block = {block, 1, 1}, .grid = {grid, 1, 1}, .timeout = 4};
    ls_verify_result *r = ls_verify(ir, &how);
    sum->kernels++;
    sum->proved += r->verdict == LS_PROVED;
    sum->refuted += r->verdict == LS_REFUTED;
    sum->unknown += r->verdict == LS_UNKNOWN;
    bool wrong = false;
    for (int s = LS_SCHEDULE_RR; s <= LS_SCHEDULE_RANDOM && !wrong; s++)
        wrong = goes_wrong(module, f, block, grid, (ls_emu_schedule)s, diags);
    sum->wrong_runs += wrong;
    if (wrong && r->verdict == LS_PROVED)
        fail_msg("seed %llu is proved for blocks of %u in a grid of %u, and goes wrong there:\n%s",
                 (unsigned long long)seed, block, grid, text);
    ls_verify_free(r);
    ls_ir_free(ir);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    ls_buf_free(&w.out);
}

static void test_nothing_wrong_is_proved(void **state) {
    (void)state;
    const char *count = getenv("LOCKSTEP_KERNELS"), *seed = getenv("LOCKSTEP_SEED");
    uint64_t kernels = count ? strtoull(count, NULL, 10) : USUAL, first = seed ? strtoull(seed, NULL, 10) : 1;
    tally sum = {0};
    for (uint64_t i = 0; i < kernels; i++) {
        try_kernel(first + i, &sum);
        if (count && sum.kernels % 1000 == 0)
            printf("%u kernels: %u proved, %u refuted, %u unknown; %u go wrong in the emulator\n",
                   sum.kernels, sum.proved, sum.refuted, sum.unknown, sum.wrong_runs);
    }
    printf("%u kernels: %u proved, %u refuted, %u unknown; %u go wrong in the emulator\n", sum.kernels,
           sum.proved, sum.refuted, sum.unknown, sum.wrong_runs);
    assert_true(sum.proved > 0 && sum.wrong_runs > 0); /* both are met with, or nothing is tried */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_wrong_is_proved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
