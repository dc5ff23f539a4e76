/* What a reason for "unknown" says beside its text: whether more time might tell, and whether it hangs on
 * what the program has put into memory, so that no other form of the code is worth a look. */
#include "lockstep/ptx.h"
#include "lockstep/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* out[INDEX] = i for i = blockIdx.x * 32 + threadIdx.x; place is an array that the kernel only reads. */
#define KERNEL(INDEX)                                                                                        \
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 place) "  \
    "{\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<4>;\n"                                                \
    "ld.param.u64 %d1, [out]; ld.param.u64 %d2, [place]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"      \
    "mad.lo.s32 %r3, %r2, 32, %r1;\n" INDEX                                                                  \
    "mad.wide.s32 %d4, %r4, 4, %d1; st.global.u32 [%d4], %r3;\nret;\n}\n"

static void test_data(void **state) {
    (void)state;
    static const struct {
        const char *text;
        ls_verdict verdict;
        bool by_data;
    } cases[] = {
        {KERNEL("mov.u32 %r4, %r3;\n"), LS_PROVED, false},
        {KERNEL("mad.wide.s32 %d3, %r3, 4, %d2; ld.global.u32 %r4, [%d3];\n"), LS_UNKNOWN, true},
        {KERNEL("cvt.rn.f32.s32 %f1, %r3; sin.approx.f32 %f2, %f1; cvt.rni.s32.f32 %r4, %f2;\n"), LS_UNKNOWN,
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ls_diags *diags = ls_diags_new();
        ls_ptx_module *module = ls_ptx_parse(cases[i].text, strlen(cases[i].text), "k.ptx", diags);
        assert_non_null(module);
        ls_ir_function *ir =
            ls_ir_build(module, ls_ptx_find_function(module, "k"), &(ls_ir_options){.quiet = true}, diags);
        ls_verify_options options = {.block = {32, 1, 1}, .of_program = true};
        ls_verify_result *r = ls_verify(ir, &options);
        assert_int_equal(r->verdict, cases[i].verdict);
        assert_true(!r->reasons == (r->verdict == LS_PROVED));
        for (const ls_verify_note *n = r->reasons; n; n = n->next) {
            assert_int_equal(n->by_data, cases[i].by_data);
            assert_false(n->undecided);
        }
        ls_verify_free(r);
        ls_ir_free(ir);
        ls_ptx_module_free(module);
        ls_diags_free(diags);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
