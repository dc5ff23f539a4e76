/* One kernel's share of a module's text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "detect/extract.h"
#include "lockstep/ptx.h"

#include <stdlib.h>
#include <string.h>

static const char module[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".global .align 4 .b8 table[4] = {1, 2, 3, 4};\n"
                             "// .entry in_a_comment(\n"
                             ".visible .entry first(\n\t.param .u64 p\n)\n{ /* } */\n\tret; // }\n}\n"
                             ".weak .entry first_of_two()\n{\n\t{\n\t.reg .b32 %r<2>;\n\t}\n\tret;\n}\n"
                             ".func helper()\n{\n\tret;\n}\n"
                             ".entry last ()\n{\n\tret;\n}\n";

static uint32_t lines(const char *text) {
    uint32_t count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

static void one_of_them(void **state) {
    (void)state;
    static const char *const names[] = {"first", "first_of_two", "last"};
    for (size_t i = 0; i < 3; i++) {
        ls_buf text = {0};
        dt_only_kernel(module, sizeof module - 1, names[i], &text);
        assert_int_equal(lines(ls_buf_text(&text)), lines(module));
        ls_diags *diags = ls_diags_new();
        ls_ptx_module *m = ls_ptx_parse(ls_buf_text(&text), text.length, "m.ptx", diags);
        assert_non_null(m);
        for (size_t k = 0; k < 3; k++) assert_int_equal(ls_ptx_find_function(m, names[k]) != NULL, k == i);
        assert_non_null(ls_ptx_find_function(m, "helper"));
        ls_ptx_module_free(m);
        ls_buf head = {0};
        dt_only_head(ls_buf_text(&text), text.length, names[i], &head);
        m = ls_ptx_parse(ls_buf_text(&head), head.length, "m.ptx", diags);
        assert_non_null(m);
        const ls_ptx_function *f = ls_ptx_find_function(m, names[i]);
        assert_non_null(f);
        assert_int_equal(f->param_count, i == 0);
        ls_ptx_module_free(m);
        ls_diags_free(diags);
        ls_buf_free(&head);
        ls_buf_free(&text);
    }
}

/* Text that ends anywhere is no trouble. */
static void cut_off(void **state) {
    (void)state;
    for (size_t length = 0; length < sizeof module; length++) {
        char *cut = malloc(length + 1); /* of exactly that size */
        memcpy(cut, module, length);
        ls_buf text = {0};
        dt_only_kernel(cut, length, "last", &text);
        assert_true(text.length <= length);
        ls_buf_free(&text);
        dt_only_head(cut, length, "last", &text);
        ls_buf_free(&text);
        free(cut);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_of_them), cmocka_unit_test(cut_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
