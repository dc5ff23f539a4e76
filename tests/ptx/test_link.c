/* Linking of modules that were compiled apart (ptx/link.h): the result is one module that parses. */
#include "ptx/link.h"

#include "lockstep/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const first =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    "\t.file 1 \"a.cu\"\n"
    ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
    ".extern .global .align 4 .u32 counter;\n"
    ".global .align 4 .u32 hidden = 1;\n"
    ".weak .func (.param .b32 r) same(.param .b32 a)\n"
    "{\n .reg .b32 %r;\n ld.param.b32 %r, [a];\n st.param.b32 [r], %r;\n ret;\n}\n"
    ".visible .entry kernel(.param .u64 p)\n"
    "{\n .reg .b32 %r<4>;\n .reg .b64 %d;\n .loc 1 7 3\n"
    " ld.param.u64 %d, [p];\n ld.global.u32 %r0, [counter];\n"
    " { .param .b32 a; st.param.b32 [a], %r0; .param .b32 q;\n"
    " call.uni (q), twice, (a); ld.param.b32 %r1, [q]; }\n"
    " ld.global.u32 %r2, [hidden];\n add.s32 %r3, %r1, %r2;\n"
    " st.global.u32 [%d], %r3;\n ret;\n}\n";
static const char *const second =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    "\t.file 1 \"b.cu\"\n\t.file 2 \"b.h\"\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".global .align 4 .u32 hidden = 10;\n"
    ".weak .func (.param .b32 r) same(.param .b32 a)\n"
    "{\n .reg .b32 %r;\n ld.param.b32 %r, [a];\n st.param.b32 [r], %r;\n ret;\n}\n"
    ".visible .func (.param .b32 r) twice(.param .b32 a)\n"
    "{\n .reg .b32 %r<4>;\n .loc 2 9 1\n ld.param.b32 %r0, [a];\n"
    " ld.global.u32 %r1, [hidden];\n mad.lo.s32 %r2, %r0, 2, %r1;\n"
    " st.param.b32 [r], %r2;\n ret;\n}\n";

static uint32_t times(const char *text, const char *what) {
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) n++;
    return n;
}

static void modules_become_one(void **state) {
    (void)state;
    const char *const texts[] = {first, second};
    ls_buf linked = {0};
    ls_ptx_link(texts, 2, &linked);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(linked.text, linked.length, "linked", diags);
    if (!module || ls_diags_errors(diags))
        fail_msg("%s\n%s", ls_diags_count(diags) ? ls_diags_at(diags, 0)->message : "", linked.text);
    assert_int_equal(times(linked.text, ".version"), 1);
    assert_non_null(strstr(linked.text, ".version 8.0\n.target sm_90a\n"));
    assert_int_equal(times(linked.text, ".weak .func"), 1);
    /* Each has its own hidden variable, and the files have numbers of their own. */
    assert_non_null(strstr(linked.text, "[hidden__1]"));
    assert_non_null(strstr(linked.text, "[hidden__2]"));
    assert_non_null(strstr(linked.text, ".file 2 \"b.cu\""));
    assert_non_null(strstr(linked.text, ".loc 3 9 1"));
    assert_non_null(strstr(linked.text, "[counter]"));
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    ls_buf_free(&linked);
}

/* Broken text does no harm: it is the parser that says what is wrong. */
static void broken_text_is_passed_on(void **state) {
    (void)state;
    static const char *const texts[] = {".version", ".func (", "}", "/* no end", ".visible .entry k( {{{",
                                        ""};
    ls_buf linked = {0};
    ls_ptx_link(texts, sizeof texts / sizeof *texts, &linked);
    ls_buf_free(&linked);
}

static void note(void *context, ls_link_problem problem, const char *name) {
    ls_buf_printf(context, "%s %s\n", problem == LS_LINK_SEVERAL ? "several" : "undefined", name);
}

/* What nobody defines, and what two define for everybody; not what each has for itself, weak definitions,
 * shared memory of the launch, or what the device has of itself. */
static void problems_are_told(void **state) {
    (void)state;
    static const char *const third = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                     ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                                     ".extern .shared .align 4 .b8 buffer[];\n"
                                     ".visible .global .align 4 .u32 counter = 7;\n"
                                     ".global .align 4 .u32 hidden = 10;\n";
    const char *const whole[] = {first, second}, *const alone[] = {first},
                      *const more[] = {first, second, third};
    ls_buf said = {0};
    ls_ptx_link_check(whole, 2, note, &said);
    assert_string_equal(ls_buf_text(&said), "");
    ls_ptx_link_check(alone, 1, note, &said);
    assert_string_equal(ls_buf_text(&said), "undefined twice\nundefined counter\n");
    ls_buf_free(&said);
    ls_ptx_link_check(more, 3, note, &said);
    assert_string_equal(ls_buf_text(&said), "several counter\n");
    ls_buf_free(&said);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(modules_become_one),
                                       cmocka_unit_test(broken_text_is_passed_on),
                                       cmocka_unit_test(problems_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
