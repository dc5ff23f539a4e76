/* Several threads on the obligations of one kernel (crew.h): kernels with more obligations than one thread is
 * left alone with, of which none, some or most fail. The verdict, the findings with their witnesses, and the
 * scope are the same however many threads there are and whoever was faster. */
#include "base/buf.h"
#include "lockstep/ptx.h"
#include "lockstep/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STORES = 20 };

/* Each store goes to 64 words of its own, all threads of a block to different ones, turned round by some;
 * where `wrong` has a bit, two threads go to each of half of them. */
static void print(uint32_t wrong, ls_buf *out) {
    ls_buf_puts(out, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
                     ".reg .b32 %r<20>;\n.shared .align 4 .b8 s[5120];\n"
                     "mov.u32 %r1, %tid.x; mov.u32 %r7, s;\n");
    for (uint32_t i = 0; i < STORES; i++) {
        ls_buf_printf(out, "mad.lo.s32 %%r3, %%r1, %u, %u; and.b32 %%r3, %%r3, 63;\n", wrong >> i & 1 ? 2 : 1,
                      3 * i + 1);
        ls_buf_printf(out,
                      "shl.b32 %%r3, %%r3, 2; add.s32 %%r4, %%r7, %%r3; st.shared.u32 [%%r4+%u], %%r1;\n",
                      256 * i);
    }
    ls_buf_puts(out, "ret;\n}\n");
}

static void tell(const ls_verify_result *r, ls_buf *out) {
    ls_buf_printf(out, "verdict %d\n", (int)r->verdict);
    for (const ls_finding *f = r->findings; f; f = f->next) {
        ls_buf_printf(out, "%s at %u:", f->message, f->place.line);
        for (const ls_actor *a = f->story->actors; a; a = a->next)
            ls_buf_printf(out, " thread %u of block %u", a->thread[0], a->block[0]);
        ls_buf_printf(out, " byte %llu", (unsigned long long)f->story->byte);
        for (const ls_field *v = f->story->values ? f->story->values->first : NULL; v; v = v->next)
            ls_buf_printf(out, " %s=%lld", v->key, (long long)v->value.integer);
        ls_buf_puts(out, "\n");
    }
    for (const ls_verify_note *n = r->reasons; n; n = n->next) ls_buf_printf(out, "unknown: %s\n", n->text);
    for (const ls_verify_note *n = r->scope; n; n = n->next) ls_buf_printf(out, "scope: %s\n", n->text);
}

static ls_verdict verify(const ls_ir_function *ir, uint32_t threads, ls_buf *out) {
    ls_verify_options options = {
        .block = {64, 1, 1}, .grid = {1, 1, 1}, .threads = threads, .timeout = 120, .benign_error = true};
    ls_verify_result *r = ls_verify(ir, &options);
    ls_verdict verdict = r->verdict;
    tell(r, out);
    ls_verify_free(r);
    return verdict;
}

static void check(uint32_t wrong) {
    ls_buf text = {0}, alone = {0};
    print(wrong, &text);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text.text, text.length, "k.ptx", diags);
    assert_non_null(module);
    ls_ir_function *ir =
        ls_ir_build(module, ls_ptx_find_function(module, "k"), &(ls_ir_options){.quiet = true}, diags);
    assert_int_equal(verify(ir, 1, &alone), wrong ? LS_REFUTED : LS_PROVED);
    for (uint32_t threads = 2; threads < 6; threads++) {
        ls_buf many = {0};
        verify(ir, threads, &many);
        assert_string_equal(ls_buf_text(&many), ls_buf_text(&alone));
        ls_buf_free(&many);
    }
    ls_ir_free(ir);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    ls_buf_free(&text);
    ls_buf_free(&alone);
}

static void all_hold(void **state) {
    (void)state;
    check(0);
}

static void some_fail(void **state) {
    (void)state;
    check(1u << 17);
    check(1u << 2 | 1u << 11);
}

static void most_fail(void **state) {
    (void)state;
    check(0x7ffff);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_hold), cmocka_unit_test(some_fail),
                                       cmocka_unit_test(most_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
