/* The gate: what is declared, at the edges of what GPUs have. */
#include "lockstep/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Whether a module with this inside is taken; where it is not, the message has `said` in it. */
static void check(const char *target, const char *text, const char *said) {
    char ptx[4096], message[1024];
    snprintf(ptx, sizeof ptx, ".version 8.5\n.target %s\n.address_size 64\n%s\n", target, text);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(ptx, strlen(ptx), "t.ptx", diags);
    if (!said) {
        assert_non_null(module);
    } else {
        assert_null(module);
        assert_true(ls_diags_count(diags) > 0);
        const ls_diag *first = ls_diags_at(diags, 0);
        assert_true(first->line >= 4);
        snprintf(message, sizeof message, "%s", first->message);
        if (!strstr(message, said)) fail_msg("'%s' is not in '%s'", said, message);
    }
    ls_ptx_module_free(module);
    ls_diags_free(diags);
}

static void shared_memory_by_architecture(void **state) {
    (void)state;
    check("sm_90a", ".shared .b8 s[232448];", NULL);
    check("sm_90a", ".shared .b8 s[232449];", "at most 232448 of shared memory");
    check("sm_75", ".shared .b8 s[232448];", NULL); /* PTX for sm_75 runs on an H100, too */
    check("sm_120a", ".shared .b8 s[101377];", "at most 101376");
    check("sm_90", ".shared .b8 s[4294967296];", "shared memory");
    check("sm_90", ".shared .b64 s[65536][65536][65536];", "shared memory");
    check("sm_90", ".entry k() { .shared .b8 s[200000]; { .shared .b8 t[200000]; } ret; }",
          "more than 232448 bytes of shared memory");
    check("sm_90", ".shared .b8 s[200000];\n.shared .b8 t[200000];", NULL); /* of different kernels */
}

static void other_memories(void **state) {
    (void)state;
    check("sm_90", ".const .b8 c[65536];", NULL);
    check("sm_90", ".const .b8 c[65536];\n.const .b8 d;", "more than 65536 bytes of constant memory");
    check("sm_90", ".entry k() { .local .b8 l[524288]; ret; }", NULL);
    check("sm_90", ".entry k() { .local .b8 l[524289]; ret; }", "local memory");
    check("sm_90", ".entry k() { .local .b8 l[524287]; { .param .b64 p; } ret; }", "local memory");
    check("sm_90", ".entry k() { { .param .b8 p[500000]; } { .param .b8 p[500000]; } ret; }", NULL);
    check("sm_90", ".func f(.param .b8 p[524289]) { ret; }", "local memory");
    check("sm_90", ".func (.param .b8 r[524289]) f() { ret; }", "local memory");
    check("sm_90", ".entry k(.param .b8 p[32764]) { ret; }", NULL);
    check("sm_90", ".entry k(.param .b8 p[32765]) { ret; }", "32764");
    check("sm_90", ".entry k(.param .b8 p[32763], .param .b16 q) { ret; }", "bytes of parameters");
    check("sm_90", ".global .b8 g[281474976710656];", "global memory");
    check("sm_90", ".global .b8 g[200000000000];\n.global .b8 h[200000000000];", "global memory");
}

static void alignments_and_counts(void **state) {
    (void)state;
    check("sm_90", ".shared .align 65536 .b8 s[16];", NULL);
    check("sm_90", ".shared .align 131072 .b8 s[16];", "alignment");
    check("sm_90", ".global .align 2147483648 .b8 s[16];", "alignment");
    check("sm_90", ".entry k(.param .align 1073741824 .b8 p[16]) { ret; }", "alignment");
    check("sm_90", ".entry k(.param .u64 .ptr .global .align 1073741824 p) { ret; }", "alignment");
    check("sm_90", ".entry k() { .reg .b32 %r<16777216>; ret; }", NULL);
    check("sm_90", ".entry k() { .reg .b32 %r<16777217>; ret; }", "registers");
    check("sm_90", ".entry k() .maxntid 1024, 1, 1 { ret; }", NULL);
    check("sm_90", ".entry k() .reqntid 1025 { ret; }", "at most 1024");
    check("sm_90", ".entry k() .maxntid 65536, 65536, 1 { ret; }", "at most 1024");
}

static void launches(void **state) {
    (void)state;
    char text[128];
    const uint32_t one[3] = {1, 1, 1}, unknown[3] = {0, 0, 0};
    static const struct {
        uint32_t grid[3], block[3];
        bool good;
    } rows[] = {{{1, 1, 1}, {1024, 1, 1}, true},         {{1, 1, 1}, {1025, 1, 1}, false},
                {{1, 1, 1}, {32, 32, 1}, true},          {{1, 1, 1}, {32, 32, 2}, false},
                {{1, 1, 1}, {1, 1, 65}, false},          {{0x7fffffff, 1, 1}, {1, 1, 1}, true},
                {{0x80000000u, 1, 1}, {1, 1, 1}, false}, {{1, 65536, 1}, {1, 1, 1}, false},
                {{1, 1, 65536}, {1, 1, 1}, false},       {{1, 1, 1}, {65536, 65536, 1}, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_int_equal(!ls_launch_limits(rows[k].grid, rows[k].block, text, sizeof text), rows[k].good);
    assert_null(ls_launch_limits(unknown, one, text, sizeof text));
    assert_null(ls_launch_limits(one, unknown, text, sizeof text));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_by_architecture),
        cmocka_unit_test(other_memories),
        cmocka_unit_test(alignments_and_counts),
        cmocka_unit_test(launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
