/* Copies (cp.async) and matrix products (wgmma) that go on beside the threads, watched in the emulator:
 * Triton's matrix product and a pipeline of copies as they are, and with one barrier or wait less, or one
 * that waits for too little. */
#include "harness.h"

/* The n-th `from` behind `after` becomes `to`, which is not longer. */
static void change(harness *h, const char *after, const char *from, int n, const char *to) {
    char *at = strstr(ls_buf_text(&h->ptx), after);
    assert_non_null(at);
    for (int i = 0; i <= n; i++) {
        at = strstr(at + 1, from);
        assert_non_null(at);
    }
    memset(at, ' ', strlen(from));
    memcpy(at, to, strlen(to));
}

static ls_detect_result *check_product(harness *h, bool together, const char *from, int n, const char *to,
                                       bool all) {
    enum { SIDE = 128 };
    *h = open_harness("triton_matmul.ptx", "matmul_kernel", 1, 128);
    h->launch.shared_bytes = 24576;
    if (together) { /* as an allocator of tensors hands them out */
        uint64_t at = push_words(h, 3 * SIDE * SIDE / 2, 0x00010003, 0x2c002c00);
        for (uint64_t i = 1; i < 3; i++) push_bytes(h, &(uint64_t){at + i * SIDE * SIDE * 2}, 8);
    } else {
        for (int i = 0; i < 2; i++) push_words(h, SIDE * SIDE / 2, 0x00010003, 0x2c002c00);
        push_words(h, SIDE * SIDE / 2, 0, 0);
    }
    push_int(h, SIDE);
    for (int i = 0; i < 2; i++) push_bytes(h, &(uint64_t){0}, 8); /* Triton's own, not used here */
    if (from) change(h, ".entry", from, n, to);
    return check_launch(h, &(ls_detect_options){.all = all});
}

/* All threads of a block on paper show that nothing can meet; where everything is to be checked, it is. */
static void product(void **state) {
    (void)state;
    for (int which = 0; which < 4; which++) {
        harness h;
        bool all = which / 2;
        ls_detect_result *r = check_product(&h, which % 2, NULL, 0, NULL, all);
        assert_int_equal(r->status, LS_DETECT_CLEAN);
        assert_int_equal(r->watched, all);
        assert_int_equal(r->unchecked_count, 0);
        assert_same_memory(&h);
        ls_detect_result_free(r);
        h.launch.leave_plain = true; /* the caller launches what needs no check */
        r = ls_detect_check(h.device, h.ptx.text, h.ptx.length, h.file, &h.launch,
                            &(ls_detect_options){.all = all}, h.diags);
        assert_int_equal(r->left, !all);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* Each is a race of the product that reads, or of what follows it. */
static void product_with_less(void **state) {
    (void)state;
    static const struct {
        const char *from;
        int n;
        const char *to;
    } less[] = {{"cp.async.wait_group \t2", 0, "cp.async.wait_group 3"},
                {"bar.sync \t0;", 1, ""},
                {"wgmma.wait_group.sync.aligned 1", 0, "wgmma.wait_group.sync.aligned 2"},
                {"bar.sync \t0;", 4, ""}};
    for (size_t i = 0; i < sizeof less / sizeof *less; i++) {
        harness h;
        ls_detect_result *r = check_product(&h, false, less[i].from, less[i].n, less[i].to, false);
        if (r->status != LS_DETECT_RACY) fail_msg("%s %d: status %d", less[i].from, less[i].n, r->status);
        assert_string_equal(r->findings->place.file, "triton_programs.py");
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* What the warps of a group have waited for together has ended for all of them: that is no race, and no more
 * is known. */
static void product_of_a_group(void **state) {
    (void)state;
    harness h;
    ls_detect_result *r = check_product(&h, false, "bar.sync \t0;", 2, "", false);
    assert_int_equal(r->status, LS_DETECT_UNKNOWN);
    ls_detect_result_free(r);
    close_harness(&h);
}

static ls_detect_result *check_pipeline(harness *h, bool all, const char *to) {
    ls_detect_options options = {.all = all};
    *h = open_harness("today.ptx", "_Z8pipelineILb0EEvPfPKfi", 2, 256);
    push_words(h, 512, 0, 0), push_floats(h, 8192), push_int(h, 4);
    if (to) change(h, ".entry _Z8pipelineILb0", "cp.async.wait_group 1", 0, to);
    return check_launch(h, &options);
}

static void pipeline(void **state) {
    (void)state;
    harness h;
    ls_detect_result *r = check_pipeline(&h, true, NULL);
    assert_int_equal(r->status, LS_DETECT_CLEAN);
    assert_true(r->watched);
    assert_same_memory(&h);
    ls_detect_result_free(r);
    close_harness(&h);
    r = check_pipeline(&h, false, "cp.async.wait_group 2"); /* the copy may be under way where it is read */
    assert_int_equal(r->status, LS_DETECT_RACY);
    ls_detect_result_free(r);
    close_harness(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(product), cmocka_unit_test(product_with_less),
                                       cmocka_unit_test(product_of_a_group), cmocka_unit_test(pipeline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
