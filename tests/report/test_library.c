/* Places in libraries, and whose line is told. */
#include "finding/library.h"
#include "report/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void files(void **state) {
    (void)state;
    assert_true(ls_is_library_file("/usr/local/cuda/include/cccl/cub/block/block_scan.cuh"));
    assert_true(ls_is_library_file("/home/me/cccl/cub/cub/cub.cuh"));
    assert_false(ls_is_library_file("/home/me/project/include/scan.cuh"));
    assert_false(ls_is_library_file("scan.cu"));
    assert_false(ls_is_library_file(NULL));
}

static void callers(void **state) {
    (void)state;
    const ls_place user = {.file = "k.cu", .line = 7},
                   outer = {.file = "/usr/include/cub/block.cuh", .line = 5, .at = &user},
                   inner = {.file = "/usr/include/cub/warp.cuh", .line = 3, .at = &outer},
                   alone = {.file = "/usr/include/cub/warp.cuh", .line = 3};
    assert_ptr_equal(ls_place_of_user(&inner), &user);
    assert_ptr_equal(ls_place_of_user(&user), &user);
    assert_ptr_equal(ls_place_of_user(&alone), &alone);
}

static void told_at_the_users_line(void **state) {
    (void)state;
    const ls_place first = {.file = "k.cu", .line = 6}, second = {.file = "k.cu", .line = 7},
                   read = {.file = "/usr/include/cub/a.cuh", .line = 3, .at = &first},
                   write = {.file = "/usr/include/cub/b.cuh", .line = 4, .at = &second};
    ls_report *report = ls_report_new("verify");
    ls_report_kernel *kernel = ls_report_add_kernel(ls_report_add_file(report, "k.cu"), "k", NULL);
    ls_finding *f = ls_report_add(kernel, LS_RULE_RACE_SHARED, LS_ERROR, read, "race");
    ls_finding_relate(f, write, "the other access");
    ls_finding_relate_calls(f, &read);
    ls_report_add(kernel, LS_RULE_DIVERGENCE_BRANCH, LS_NOTE, read, "a branch of the library's");
    ls_report_finish(report);
    f = kernel->findings;
    assert_null(f->next);
    assert_string_equal(f->place.file, "k.cu");
    assert_int_equal(f->place.line, 6);
    assert_int_equal(f->related->place.line, 7);
    assert_string_equal(f->related->next->place.file, "/usr/include/cub/a.cuh");
    assert_null(f->related->next->next);
    ls_report_free(report);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(callers),
                                       cmocka_unit_test(told_at_the_users_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
