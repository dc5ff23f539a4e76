/* OpenCL's words: whole words only, nothing of source code, and no text twice. */
#include "report/opencl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_words(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"race on 'block' between threads of one block",
         "race on 'block' between work-items of one work-group"},
        {"Threads of a grid; the first lane's element, the threads' places",
         "Work-items of an NDRange; the first work-item's element, the work-items' places"},
        {"32 sectors per warp in shared memory, spilled to local memory",
         "32 sectors per sub-group in local memory, spilled to private memory"},
        {"give --block 64 or `--grid 2`, see block.cl:3, block(3), my_thread, threadsafe",
         "give --block 64 or `--grid 2`, see block.cl:3, block(3), my_thread, threadsafe"},
        {"depends on threadIdx.x·threadIdx.y and blockDim.z, not on threadIdx",
         "depends on get_local_id(0)·get_local_id(1) and get_local_size(2), not on threadIdx"},
        {"an 'open quote of a thread", "an 'open quote of a work-item"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ls_buf out = {0};
        ls_in_opencl_words(pairs[i][0], &out);
        assert_string_equal(ls_buf_text(&out), pairs[i][1]);
        ls_buf_free(&out);
    }
}

/* A report may be finished more than once: local memory must not become private memory. */
static void test_once(void **state) {
    (void)state;
    ls_report *report = ls_report_new("check");
    ls_report_kernel *kernel = ls_report_add_kernel(ls_report_add_file(report, "k.cl"), "k", NULL);
    kernel->opencl = true;
    ls_report_add(kernel, LS_RULE_BANK_CONFLICT, LS_WARNING, (ls_place){0}, "a read of shared memory");
    ls_report_finish(report);
    ls_report_add(kernel, LS_RULE_COALESCING, LS_WARNING, (ls_place){0}, "a warp's read");
    ls_report_finish(report);
    ls_report_finish(report);
    for (const ls_finding *f = kernel->findings; f; f = f->next)
        assert_string_equal(f->message, f->rule == LS_RULE_BANK_CONFLICT ? "a read of local memory"
                                                                         : "a sub-group's read");
    ls_report_free(report);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
