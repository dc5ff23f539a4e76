/* Random programs and random control flow. Each function is built twice, as decoded (registers, calls and
 * memory as they are) and in full (inlined, promoted, SSA, gated), and both are run: they must store the
 * same. Dominators, post-dominators, frontiers, control dependence, loops and reducibility are compared with
 * what their definitions give by search. */
#include "base/buf.h"
#include "machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* --- A generator of PTX ----------------------------------------------------------------------------------
 */
typedef struct {
    uint64_t state;
    ls_buf text;
    uint32_t blocks;
    bool dynamic_local; /* the depot is also indexed: nothing of it may be promoted */
    bool overlapping;   /* accesses of several widths to the same bytes */
    bool is_function;
    uint32_t functions; /* that may be called: f0 … */
} generator;

static uint32_t pick(generator *g, uint32_t below) {
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->state >> 33) % below;
}

static void guard(generator *g) {
    ls_buf_puts(&g->text, "    ");
    if (pick(g, 4) == 0) ls_buf_printf(&g->text, "@%s%%p%u ", pick(g, 2) ? "!" : "", pick(g, 4));
}

/* The carry flag does not outlive a call, so it is read right where it was written. */
static void put_carry(generator *g) {
    ls_buf_printf(&g->text, "    add.cc.u32 %%r%u, %%r%u, -3;\n", pick(g, 8), pick(g, 8));
    guard(g);
    ls_buf_printf(&g->text, "addc.cc.u32 %%r%u, %%r%u, -1;\n", pick(g, 8), pick(g, 8));
    ls_buf_printf(&g->text, "    addc.u32 %%r%u, %%r%u, %%r%u;\n", pick(g, 8), pick(g, 8), pick(g, 8));
}

static void put_arithmetic(generator *g) {
    static const char *const ops[] = {"add.u32", "sub.s32", "mul.lo.u32", "and.b32", "xor.b32"};
    if (pick(g, 8) == 0) {
        put_carry(g);
        return;
    }
    guard(g);
    ls_buf_printf(&g->text, "%s %%r%u, %%r%u, ", ops[pick(g, 5)], pick(g, 8), pick(g, 8));
    if (pick(g, 2))
        ls_buf_printf(&g->text, "%%r%u;\n", pick(g, 8));
    else
        ls_buf_printf(&g->text, "%d;\n", (int)pick(g, 9) - 3);
}

static void put_move(generator *g) {
    guard(g);
    switch (pick(g, 4)) {
    case 0: ls_buf_printf(&g->text, "mov.u32 %%r%u, %u;\n", pick(g, 8), pick(g, 20)); break;
    case 1: ls_buf_printf(&g->text, "mov.u32 %%r%u, %%r%u;\n", pick(g, 8), pick(g, 8)); break;
    case 2: ls_buf_printf(&g->text, "mov.u32 %%r%u, %%tid.x;\n", pick(g, 8)); break;
    default:
        ls_buf_printf(&g->text, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", pick(g, 8), pick(g, 8), pick(g, 8),
                      pick(g, 4));
    }
}

static void put_compare(generator *g) {
    static const char *const compares[] = {"eq", "ne", "lt", "ge"};
    ls_buf_puts(&g->text, "    and.b32 %r9, %r");
    ls_buf_printf(&g->text, "%u, 7;\n", pick(g, 8));
    guard(g);
    if (pick(g, 4) == 0)
        ls_buf_printf(&g->text, "setp.%s.u32 %%p%u|%%p%u, %%r9, %u;\n", compares[pick(g, 4)], pick(g, 2),
                      2 + pick(g, 2), pick(g, 8));
    else
        ls_buf_printf(&g->text, "setp.%s.u32 %%p%u, %%r9, %u;\n", compares[pick(g, 4)], pick(g, 4),
                      pick(g, 8));
}

static void put_local(generator *g) {
    static const char *const bases[] = {"%rdl", "%rdg"};
    static const char *const spaces[] = {".local", ""};
    uint32_t which = pick(g, 2), at = pick(g, 8) * 4;
    guard(g);
    switch (g->overlapping && pick(g, 2) ? 7 : pick(g, 8)) {
    case 0:
    case 1:
    case 2:
        ls_buf_printf(&g->text, "st%s.u32 [%s+%u], %%r%u;\n", spaces[which], bases[which], at, pick(g, 8));
        break;
    case 3:
    case 4:
    case 5:
        ls_buf_printf(&g->text, "ld%s.u32 %%r%u, [%s+%u];\n", spaces[which], pick(g, 8), bases[which], at);
        break;
    case 6:
        if (pick(g, 2))
            ls_buf_printf(&g->text, "st%s.v2.u32 [%s+%u], {%%r%u, %%r%u};\n", spaces[which], bases[which],
                          at & 24u, pick(g, 8), pick(g, 8));
        else
            ls_buf_printf(&g->text, "ld%s.v2.u32 {%%r%u, %%r%u}, [%s+%u];\n", spaces[which], pick(g, 4),
                          4 + pick(g, 4), bases[which], at & 24u);
        break;
    default: { /* bytes of their own; in some programs other widths overlap them */
        static const char *const types[] = {"u8", "s8", "u16", "u32"};
        uint32_t width = g->overlapping ? pick(g, 4) : pick(g, 2);
        at = 32 + (g->overlapping ? (width < 2    ? pick(g, 3)
                                     : width == 2 ? pick(g, 2) * 2
                                                  : 0)
                                  : pick(g, 4) * 4);
        if (pick(g, 2))
            ls_buf_printf(&g->text, "st%s.%s [%s+%u], %%r%u;\n", spaces[which], types[width], bases[which],
                          at, pick(g, 8));
        else
            ls_buf_printf(&g->text, "ld%s.%s %%r%u, [%s+%u];\n", spaces[which], types[width], pick(g, 8),
                          bases[which], at);
    }
    }
}

static void put_dynamic(generator *g) {
    const char *base = g->dynamic_local ? "%rdl" : "%rds";
    ls_buf_printf(&g->text, "    and.b32 %%r9, %%r%u, 7;\n    mul.wide.u32 %%rd8, %%r9, 4;\n", pick(g, 8));
    ls_buf_printf(&g->text, "    add.u64 %%rd8, %%rd8, %s;\n", base);
    guard(g);
    const char *space = g->dynamic_local ? "local" : "shared";
    if (pick(g, 2))
        ls_buf_printf(&g->text, "st.%s.u32 [%%rd8+4], %%r%u;\n", space, pick(g, 8));
    else
        ls_buf_printf(&g->text, "ld.%s.u32 %%r%u, [%%rd8+4];\n", space, pick(g, 8));
}

/* Pointers that move: %rd0 … %rd2 point into the input buffers. */
static void put_pointer(generator *g) {
    ls_buf_printf(&g->text, "    and.b32 %%r9, %%r%u, 7;\n    sub.s32 %%r9, %%r9, 3;\n", pick(g, 8));
    guard(g);
    switch (pick(g, 6)) {
    case 0:
        ls_buf_printf(&g->text, "add.u64 %%rd%u, %%rd%u, %u;\n", pick(g, 3), pick(g, 3), pick(g, 5) * 4);
        break;
    case 1: ls_buf_printf(&g->text, "mov.u64 %%rd%u, %%rd%u;\n", pick(g, 3), pick(g, 3)); break;
    case 2:
        ls_buf_printf(&g->text, "selp.b64 %%rd%u, %%rd%u, %%rd%u, %%p%u;\n", pick(g, 3), pick(g, 3),
                      pick(g, 3), pick(g, 4));
        break;
    case 3:
        ls_buf_printf(&g->text, "mad.wide.s32 %%rd%u, %%r9, %d, %%rd%u;\n", pick(g, 3), (int)pick(g, 7) - 2,
                      pick(g, 3));
        break;
    case 4:
        ls_buf_printf(&g->text, "ld.u32 %%r%u, [%%rd%u+%u];\n", pick(g, 8), pick(g, 3), pick(g, 4) * 4);
        break;
    default: ls_buf_printf(&g->text, "ld.global.u32 %%r%u, [%%rd%u];\n", pick(g, 8), pick(g, 3));
    }
}

static void put_call(generator *g) {
    if (!g->functions || pick(g, 6) == 0) {
        ls_buf_printf(&g->text,
                      "    {\n    .param .b32 pa;\n    .param .b32 pr;\n    st.param.b32 [pa+0], %%r%u;\n"
                      "    call.uni (pr), outside, (pa);\n    ld.param.b32 %%r%u, [pr+0];\n    }\n",
                      pick(g, 8), pick(g, 8));
        return;
    }
    ls_buf_printf(&g->text,
                  "    {\n    .param .b32 pa;\n    .param .b64 pp;\n    .param .b32 pr;\n"
                  "    st.param.b32 [pa+0], %%r%u;\n",
                  pick(g, 8));
    if (pick(g, 3))
        ls_buf_printf(&g->text, "    st.param.b64 [pp+0], %%rd%u;\n", pick(g, 3));
    else
        ls_buf_puts(&g->text, "    st.param.b64 [pp+0], %rdg;\n");
    guard(g);
    ls_buf_printf(&g->text, "call (pr), f%u, (pa, pp);\n    ld.param.b32 %%r%u, [pr+0];\n    }\n",
                  pick(g, g->functions), pick(g, 8));
}

static void put_statement(generator *g) {
    if (g->overlapping && pick(g, 3) == 0) {
        put_local(g);
        return;
    }
    switch (pick(g, 12)) {
    case 0:
    case 1:
    case 2: put_arithmetic(g); break;
    case 3: put_move(g); break;
    case 4:
    case 5: put_compare(g); break;
    case 6:
    case 7: put_local(g); break;
    case 8: put_dynamic(g); break;
    case 9: put_pointer(g); break;
    case 10:
        if (pick(g, 3) == 0)
            put_call(g);
        else
            put_pointer(g);
        break;
    default:
        guard(g);
        ls_buf_printf(&g->text, "st.global.u32 [%%rdo+%u], %%r%u;\n", pick(g, 4) * 4, pick(g, 8));
    }
}

static void put_branch(generator *g, uint32_t at) {
    uint32_t to = pick(g, g->blocks);
    switch (pick(g, 10)) {
    case 0: ls_buf_printf(&g->text, "    bra B%u;\n", to); break;
    case 1:
        ls_buf_printf(&g->text,
                      "    and.b32 %%r9, %%r%u, 3;\n    T%u: .branchtargets B%u, B%u, B%u, B%u;\n    brx.idx "
                      "%%r9, T%u;\n",
                      pick(g, 8), at, pick(g, g->blocks), pick(g, g->blocks), to, to, at);
        break;
    case 2:
        if (pick(g, 2)) ls_buf_printf(&g->text, "    @%%p%u ret;\n", pick(g, 4));
        break;
    case 3: break;
    default: ls_buf_printf(&g->text, "    @%s%%p%u bra B%u;\n", pick(g, 2) ? "!" : "", pick(g, 4), to);
    }
}

/* A callee starts with everything defined: expanded in a loop, its registers and variables are still those of
 * the last time round, which PTX leaves open. A kernel runs once and may read what nothing has written. */
static void put_definitions(generator *g) {
    static const uint8_t bytes[] = {32, 33, 34, 35, 36, 40, 44}; /* the rest is read only where written */
    for (uint32_t i = 1; i < 10; i++) ls_buf_printf(&g->text, "    mov.u32 %%r%u, 0;\n", i);
    for (uint32_t i = 0; i < 4; i++) ls_buf_printf(&g->text, "    setp.ne.u32 %%p%u, %%r1, 0;\n", i);
    for (uint32_t i = 0; i < 8; i++) ls_buf_printf(&g->text, "    st.local.u32 [%%rdl+%u], %%r1;\n", i * 4);
    for (uint32_t i = 0; i < sizeof bytes; i++)
        ls_buf_printf(&g->text, "    st.local.u8 [%%rdl+%u], %%r1;\n", bytes[i]);
    ls_buf_puts(&g->text, "    st.param.b32 [r+0], %r0;\n");
}

static void put_body(generator *g) {
    ls_buf_puts(&g->text,
                "{\n    .local .align 8 .b8 depot[64];\n    .shared .align 4 .b8 sh[64];\n"
                "    .reg .b32 %r<10>;\n    .reg .b64 %rd<10>;\n    .reg .pred %p<4>;\n"
                "    .reg .b64 %rdl, %rdg, %rds, %rdo;\n"
                "    mov.u64 %rdl, depot;\n    cvta.local.u64 %rdg, %rdl;\n    mov.u64 %rds, sh;\n");
    if (g->is_function)
        ls_buf_puts(&g->text,
                    "    ld.param.u32 %r0, [a];\n    ld.param.u64 %rd0, [p];\n    mov.u64 %rd1, %rd0;\n"
                    "    mov.u64 %rd2, %rd0;\n    mov.u64 %rdo, 4096;\n");
    else
        ls_buf_puts(&g->text,
                    "    ld.param.u64 %rdo, [out];\n    ld.param.u64 %rd0, [in];\n"
                    "    ld.param.u64 %rd1, [other];\n    mov.u64 %rd2, %rd0;\n    ld.param.u32 %r0, [n];\n"
                    "    mov.u32 %r1, %tid.x;\n");
    if (g->is_function) put_definitions(g);
    for (uint32_t b = 0; b < g->blocks; b++) {
        ls_buf_printf(&g->text, "B%u:\n", b);
        for (uint32_t i = pick(g, 6); i-- > 0;) put_statement(g);
        put_branch(g, b);
    }
    if (g->is_function)
        ls_buf_puts(&g->text, "    st.param.b32 [r+0], %r3;\n");
    else
        ls_buf_puts(&g->text, "    st.global.u32 [%rdo], %r3;\n    st.global.u32 [%rdo+4], %r5;\n");
    ls_buf_puts(&g->text, "    ret;\n}\n");
}

static void put_program(generator *g) {
    ls_buf_puts(&g->text, ".version 7.5\n.target sm_75\n.address_size 64\n"
                          ".extern .func (.param .b32 r) outside (.param .b32 a);\n");
    uint32_t functions = pick(g, 3);
    for (g->functions = 0; g->functions < functions; g->functions++) {
        g->is_function = true;
        g->blocks = 1 + pick(g, 4);
        g->dynamic_local = pick(g, 3) == 0;
        g->overlapping = pick(g, 3) == 0;
        ls_buf_printf(&g->text, ".func (.param .b32 r) f%u (.param .b32 a, .param .b64 p)\n", g->functions);
        put_body(g);
    }
    g->is_function = false;
    g->blocks = 1 + pick(g, 14);
    g->dynamic_local = pick(g, 3) == 0;
    g->overlapping = pick(g, 3) == 0;
    ls_buf_puts(&g->text, ".visible .entry k(.param .u64 .ptr .global .align 4 out, .param .u64 .ptr .global "
                          ".align 4 in, .param .u64 other, .param .u32 n)\n");
    put_body(g);
}

/* Programs in which the difference between threads spreads slowly: %r0 … %r3 and %p0, %p1 are computed from
 * each other only, so they differ between threads only where control flow makes them. */
static void put_slow_statement(generator *g) {
    uint32_t half = pick(g, 3) ? 0 : 4;
    switch (pick(g, 4)) {
    case 0:
        ls_buf_printf(&g->text, "    and.b32 %%r9, %%r%u, 7;\n", half + pick(g, 4));
        ls_buf_printf(&g->text, "    setp.%s.u32 %%p%u, %%r9, %u;\n", pick(g, 2) ? "lt" : "eq",
                      half / 2 + pick(g, 2), pick(g, 8));
        break;
    case 1: ls_buf_printf(&g->text, "    mov.u32 %%r%u, %u;\n", half + pick(g, 4), pick(g, 5)); break;
    default:
        ls_buf_printf(&g->text, "    add.u32 %%r%u, %%r%u, %u;\n", half + pick(g, 4), half + pick(g, 4),
                      1 + pick(g, 4));
    }
}

static void put_slow_program(generator *g) {
    g->blocks = 2 + pick(g, 9);
    ls_buf_puts(&g->text, ".version 7.5\n.target sm_75\n.address_size 64\n"
                          ".visible .entry k(.param .u64 .ptr .global .align 4 out, .param .u32 n)\n{\n"
                          "    .reg .b32 %r<10>;\n    .reg .b64 %rdo;\n    .reg .pred %p<4>;\n"
                          "    ld.param.u64 %rdo, [out];\n    ld.param.u32 %r0, [n];\n"
                          "    mov.u32 %r4, %tid.x;\n    setp.eq.u32 %p2, %r4, 1;\n"
                          "    setp.eq.u32 %p3, %r4, 2;\n    setp.eq.u32 %p0, %r0, 3;\n"
                          "    setp.ne.u32 %p1, %r0, 3;\n");
    for (uint32_t i = 1; i < 8; i++)
        if (i != 4) ls_buf_printf(&g->text, "    mov.u32 %%r%u, %u;\n", i, i);
    for (uint32_t b = 0; b < g->blocks; b++) {
        ls_buf_printf(&g->text, "B%u:\n", b);
        for (uint32_t i = 1 + pick(g, 4); i-- > 0;) put_slow_statement(g);
        if (pick(g, 5))
            ls_buf_printf(&g->text, "    @%%p%u bra B%u;\n", pick(g, 3) ? pick(g, 2) : 2 + pick(g, 2),
                          pick(g, g->blocks));
        else if (pick(g, 4) == 0)
            ls_buf_printf(&g->text, "    bra B%u;\n", pick(g, g->blocks));
    }
    for (uint32_t i = 0; i < 8; i++)
        ls_buf_printf(&g->text, "    st.global.u32 [%%rdo+%u], %%r%u;\n", i * 4, i);
    ls_buf_puts(&g->text, "    ret;\n}\n");
}

static ls_ptx_module *random_module(uint64_t seed, bool slow, ls_buf *text) {
    generator g = {.state = mixed(seed + 1)};
    if (slow)
        put_slow_program(&g);
    else
        put_program(&g);
    *text = g.text;
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text->text, text->length, "random.ptx", diags);
    if (!module)
        print_message("seed %llu: %s\n%s\n", (unsigned long long)seed, ls_diags_at(diags, 0)->message,
                      text->text);
    ls_diags_free(diags);
    return module;
}

/* --- Equivalence -----------------------------------------------------------------------------------------
 */

/* Stores that both made before one of them ran out of steps. */
static bool same_trace(const machine *a, const machine *b) {
    uint32_t common = a->trace_length < b->trace_length ? a->trace_length : b->trace_length;
    if (!a->ran_out && !b->ran_out && a->trace_length != b->trace_length) return false;
    return memcmp(a->trace, b->trace, common * sizeof *a->trace) == 0;
}

static uint32_t environment(const char *name, uint32_t otherwise) {
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static void test_same_results(void **state) {
    (void)state;
    machine total = {0};
    uint32_t finished = 0, stored = 0, count = environment("LOCKSTEP_IR_RANDOM", 800),
             first = environment("LOCKSTEP_IR_SEED", 0);
    for (uint32_t seed = first; seed < first + count; seed++) {
        ls_buf text = {0};
        ls_ptx_module *module = random_module(seed, false, &text);
        assert_non_null(module);
        const ls_ptx_function *kernel = ls_ptx_find_function(module, "k");
        ls_ir_options plain = {.stage = LS_IR_CFG, .no_inline = true, .no_promote = true, .quiet = true};
        ls_ir_options full = {.quiet = true};
        ls_ir_function *before = ls_ir_build(module, kernel, &plain, NULL);
        ls_ir_function *after = ls_ir_build(module, kernel, &full, NULL);
        char *wrong = ls_ir_check(after);
        assert_null(wrong);
        for (uint64_t tid = 0; tid < 3; tid++) {
            machine a, b;
            run_machine(&a, module, before, false, 2000, tid);
            run_machine(&b, module, after, true, 2000, tid);
            bool fine = same_trace(&a, &b) && !a.wrong[0] && !b.wrong[0];
            if (!fine) {
                char *dump = ls_ir_dump(after, LS_DUMP_GSA);
                fprintf(stderr, "seed %u, tid %u: %s%s\n%s\n%s\n", seed, (unsigned)tid, a.wrong, b.wrong,
                        text.text, dump);
                free(dump);
            }
            assert_true(fine);
            finished += !a.ran_out && !b.ran_out;
            stored += b.trace_length;
            total.gates_checked += b.gates_checked, total.accesses_checked += b.accesses_checked;
            total.etas_read += b.etas_read, total.priors_read += b.priors_read;
        }
        ls_ir_free(before), ls_ir_free(after);
        ls_ptx_module_free(module);
        ls_buf_free(&text);
    }
    print_message("%u runs to the end, %u stores, %u gates, %u accesses, %u η, %u priors\n", finished, stored,
                  total.gates_checked, total.accesses_checked, total.etas_read, total.priors_read);
    /* The test is worth nothing if the programs do nothing. */
    assert_true(finished > count / 2 && stored > count && total.gates_checked > count &&
                total.accesses_checked > count);
    assert_true(total.etas_read > 0 && total.priors_read > 0);
}

/* --- Uniform values (003, Figure 10) ---------------------------------------------------------------------
 */

static bool any_divergent(ls_ir_block *const *branches, uint32_t count, const bool *divergent) {
    for (uint32_t i = 0; i < count; i++)
        if (divergent[ls_ir_branch_predicate(branches[i], NULL)->id]) return true;
    return false;
}

static bool instr_diverges(const ls_ir_instr *in, uint32_t result, const bool *divergent) {
    bool yes = in->guard.value && divergent[in->guard.value->id];
    for (uint32_t s = 0; s < in->src_count; s++) {
        yes |= in->src[s].value && divergent[in->src[s].value->id];
        yes |= in->call && in->src[s].kind == LS_IR_OBJECT && in->src[s].role != LS_ROLE_CALLEE;
    }
    for (uint32_t a = 0; a < in->access_count; a++) /* memory of its own is not the same in all threads */
        yes |= in->accesses[a].space != LS_SPACE_GLOBAL && in->accesses[a].space != LS_SPACE_PARAM;
    return yes || (in->prior && in->prior[result] && divergent[in->prior[result]->id]);
}

static bool diverges(const ls_ir_value *value, const bool *divergent) {
    switch (value->kind) {
    case LS_VALUE_SREG: return true;
    case LS_VALUE_INSTR: return instr_diverges(value->instr, value->result, divergent);
    case LS_VALUE_ETA:
        return divergent[value->eta.value->id] ||
               any_divergent(value->eta.loop->exit_branches, value->eta.loop->exit_branch_count, divergent);
    case LS_VALUE_PHI: {
        bool yes = any_divergent(value->block->gate_branches, value->block->gate_branch_count, divergent);
        for (uint32_t i = 0; i < value->block->pred_count; i++) yes |= divergent[value->phi->args[i]->id];
        return yes;
    }
    default: return false;
    }
}

/* The paper's simple analysis, over gates and η, as a later layer would write it. */
static bool *find_divergent(const ls_ir_function *f) {
    bool *divergent = calloc(f->value_count + 1, 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < f->value_count; i++)
            if (!divergent[i] && diverges(f->values[i], divergent)) divergent[i] = changed = true;
    }
    return divergent;
}

/* What the analysis calls uniform is the same in threads of different numbers. A predicate that is missing in
 * a gate or among those of a loop's end would be seen here. */
static void test_uniform_values(void **state) {
    (void)state;
    uint32_t compared = 0, etas = 0, uniform_etas = 0;
    for (uint32_t seed = 50000; seed < 50000 + environment("LOCKSTEP_IR_RANDOM", 800); seed++) {
        ls_buf text = {0};
        ls_ptx_module *module = random_module(seed, true, &text);
        ls_ir_options full = {.quiet = true};
        ls_ir_function *f = ls_ir_build(module, ls_ptx_find_function(module, "k"), &full, NULL);
        bool *divergent = find_divergent(f);
        ls_intmap seen = {0};
        for (uint64_t tid = 0; tid < 5 && !f->irreducible_count; tid++) {
            frame *frames[16] = {0};
            machine m = {.fuel = 3000, .tid = tid, .next_tag = 0x1000, .divergent = divergent, .seen = &seen};
            run_function(&m, module, f, true, frames, 0, NULL, NULL);
            if (m.wrong[0]) {
                char *dump = ls_ir_dump(f, LS_DUMP_GSA);
                fprintf(stderr, "seed %u, tid %u: %s\n%s\n", seed, (unsigned)tid, m.wrong, dump);
                free(dump);
            }
            assert_int_equal(m.wrong[0], 0);
            compared += m.uniform_compared;
        }
        for (uint32_t i = 0; i < f->value_count; i++) {
            etas += f->values[i]->kind == LS_VALUE_ETA;
            uniform_etas += f->values[i]->kind == LS_VALUE_ETA && !divergent[i];
        }
        ls_intmap_free(&seen);
        free(divergent);
        ls_ir_free(f);
        ls_ptx_module_free(module);
        ls_buf_free(&text);
    }
    print_message("%u uniform values compared; %u of %u η uniform\n", compared, uniform_etas, etas);
    assert_true(compared > 10000 && uniform_etas > 0 && uniform_etas < etas);
}

/* --- Definitions by search -------------------------------------------------------------------------------
 */

/* Blocks that can be reached from `from` without passing `without`; backwards where asked. */
static void reach(const ls_ir_function *f, const ls_ir_block *from, const ls_ir_block *without,
                  bool backwards, bool *seen) {
    const ls_ir_block *stack[256];
    uint32_t depth = 0;
    memset(seen, 0, f->block_count);
    if (from == without) return;
    seen[from->id] = true, stack[depth++] = from;
    while (depth) {
        const ls_ir_block *block = stack[--depth];
        uint32_t count = backwards ? block->pred_count : block->succ_count;
        for (uint32_t i = 0; i < count; i++) {
            const ls_ir_block *next = backwards ? block->preds[i] : block->succs[i];
            if (next == without || seen[next->id]) continue;
            seen[next->id] = true, stack[depth++] = next;
        }
    }
}

typedef struct {
    bool dom[64][64], pdom[64][64]; /* [a][b]: a dominates b */
} relations;

static void find_relations(const ls_ir_function *f, relations *r) {
    bool seen[64];
    for (uint32_t a = 0; a < f->block_count; a++) {
        reach(f, f->entry, f->blocks[a], false, seen);
        for (uint32_t b = 0; b < f->block_count; b++) r->dom[a][b] = !seen[b];
        reach(f, f->exit, f->blocks[a], true, seen);
        for (uint32_t b = 0; b < f->block_count; b++) r->pdom[a][b] = !seen[b];
    }
}

static bool all_can_exit(const ls_ir_function *f) {
    for (uint32_t i = 0; i < f->block_count; i++)
        if (f->blocks[i]->never_exits) return false;
    return f->exit->pred_count > 0;
}

static bool is_control_dependent(const ls_ir_block *block, const ls_ir_block *branch, uint32_t succ) {
    for (uint32_t i = 0; i < block->control_count; i++)
        if (block->control[i].block == branch && block->control[i].succ == succ) return true;
    return false;
}

static void compare_dominance(const ls_ir_function *f, const relations *r) {
    bool exits = all_can_exit(f);
    for (uint32_t a = 0; a < f->block_count; a++)
        for (uint32_t b = 0; b < f->block_count; b++) {
            if (f->exit->pred_count || b != f->exit->id)
                assert_int_equal(ls_ir_dominates(f->blocks[a], f->blocks[b]), r->dom[a][b]);
            if (exits) assert_int_equal(ls_ir_postdominates(f->blocks[a], f->blocks[b]), r->pdom[a][b]);
        }
}

/* b is in the frontier of a where a dominates a predecessor of b but not b itself (or is b). */
static void compare_frontiers(const ls_ir_function *f, const relations *r) {
    for (uint32_t a = 0; a < f->block_count; a++)
        for (uint32_t b = 0; b < f->block_count; b++) {
            bool expected = false, found = false;
            for (uint32_t p = 0; p < f->blocks[b]->pred_count; p++)
                expected |= r->dom[a][f->blocks[b]->preds[p]->id] && (a == b || !r->dom[a][b]);
            for (uint32_t i = 0; i < f->blocks[a]->frontier_count; i++)
                found |= f->blocks[a]->frontier[i] == f->blocks[b];
            assert_int_equal(found, expected);
        }
}

static void compare_control(const ls_ir_function *f, const relations *r) {
    if (!all_can_exit(f)) return;
    for (uint32_t a = 0; a < f->block_count; a++)
        for (uint32_t s = 0; f->blocks[a]->succ_count > 1 && s < f->blocks[a]->succ_count; s++)
            for (uint32_t b = 0; b < f->block_count; b++) {
                bool expected = r->pdom[b][f->blocks[a]->succs[s]->id] && !(a != b && r->pdom[b][a]);
                assert_int_equal(is_control_dependent(f->blocks[b], f->blocks[a], s), expected);
            }
}

static void compare_loops(const ls_ir_function *f, const relations *r) {
    uint32_t headers = 0;
    for (uint32_t h = 0; h < f->block_count; h++) {
        const ls_ir_block *header = f->blocks[h];
        bool members[64] = {false}, any = false;
        for (uint32_t p = 0; p < header->pred_count; p++) {
            bool seen[64];
            const ls_ir_block *latch = header->preds[p];
            if (!r->dom[h][latch->id]) continue;
            any = members[h] = true;
            reach(f, latch, header, true, seen);
            for (uint32_t b = 0; b < f->block_count && latch != header; b++) members[b] |= seen[b];
        }
        assert_int_equal(header->is_loop_header, any);
        if (!any) continue;
        headers++;
        const ls_ir_loop *loop = header->loop;
        assert_ptr_equal(loop->header, header);
        for (uint32_t b = 0; b < f->block_count; b++)
            assert_int_equal(ls_ir_loop_contains(loop, f->blocks[b]), members[b]);
    }
    assert_int_equal(f->loop_count, headers);
}

/* Reducible: without back edges (to a dominator of their source) nothing goes in circles. */
static bool is_reducible(const ls_ir_function *f, const relations *r) {
    uint32_t left = f->block_count;
    bool gone[64] = {false};
    for (bool progress = true; progress;) {
        progress = false;
        for (uint32_t b = 0; b < f->block_count; b++) {
            bool free_to_go = !gone[b];
            for (uint32_t p = 0; free_to_go && p < f->blocks[b]->pred_count; p++) {
                uint32_t pred = f->blocks[b]->preds[p]->id;
                free_to_go = gone[pred] || r->dom[b][pred];
            }
            if (!free_to_go) continue;
            gone[b] = progress = true;
            left--;
        }
    }
    return left == 0;
}

static void test_control_flow(void **state) {
    (void)state;
    uint32_t irreducible = 0, loops = 0;
    for (uint32_t seed = 0; seed < 1000; seed++) {
        ls_buf text = {0};
        ls_ptx_module *module = random_module(seed, false, &text);
        assert_non_null(module);
        ls_ir_options plain = {.stage = LS_IR_CFG, .quiet = true};
        ls_ir_function *f = ls_ir_build(module, ls_ptx_find_function(module, "k"), &plain, NULL);
        static relations r;
        if (f->block_count <= 64) {
            find_relations(f, &r);
            compare_dominance(f, &r);
            compare_frontiers(f, &r);
            compare_control(f, &r);
            compare_loops(f, &r);
            assert_int_equal(f->irreducible_count == 0, is_reducible(f, &r));
        }
        irreducible += f->irreducible_count > 0, loops += f->loop_count;
        ls_ir_free(f);
        ls_ptx_module_free(module);
        ls_buf_free(&text);
    }
    assert_true(irreducible > 20 && loops > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_results),
                                       cmocka_unit_test(test_uniform_values),
                                       cmocka_unit_test(test_control_flow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
