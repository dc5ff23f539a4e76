/* PTX out of fat binaries: packed in all ways that nvcc knows, and damaged. */
#include "base/buf.h"
#include "lockstep/ptx.h"
#include "ptx/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ls_buf load(const char *name) {
    char path[512];
    ls_buf data = {0};
    snprintf(path, sizeof path, "%s/data/%s", TEST_DIR, name);
    assert_true(ls_read_file(path, &data));
    return data;
}

static void every_packing(void **state) {
    (void)state;
    static const char *const names[] = {"grid_none.fatbin", "grid_speed.fatbin", "grid_size.fatbin"};
    char *first = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ls_buf data = load(names[i]);
        char *ptx = NULL;
        size_t length;
        const char *why;
        image_kind kind = ls_image_ptx(data.text, data.length, &ptx, &length, &why);
        if (kind == IMAGE_UNREADABLE && strstr(why, "libzstd")) { /* said, where the library is missing */
            ls_buf_free(&data);
            continue;
        }
        assert_int_equal(kind, IMAGE_PTX);
        ls_diags *diags = ls_diags_new();
        ls_ptx_module *module = ls_ptx_parse(ptx, length, "grid.ptx", diags);
        assert_non_null(module);
        assert_non_null(ls_ptx_find_function(module, "racy_stencil"));
        ls_ptx_module_free(module);
        ls_diags_free(diags);
        if (first) {
            assert_string_equal(first, ptx);
            free(ptx);
        } else {
            first = ptx;
        }
        ls_buf_free(&data);
    }
    free(first);
}

static void plain_images(void **state) {
    (void)state;
    char *ptx;
    size_t length;
    const char *why, text[] = "// made by hand\n.version 7.0\n.target sm_70\n";
    assert_int_equal(ls_image_ptx(text, sizeof text, &ptx, &length, &why), IMAGE_PTX);
    assert_string_equal(ptx, text);
    free(ptx);
    assert_int_equal(ls_image_ptx("\177ELF....", 8, &ptx, &length, &why), IMAGE_WITHOUT_PTX);
    assert_int_equal(ls_image_ptx("something else", 14, &ptx, &length, &why), IMAGE_UNKNOWN);
    assert_int_equal(ls_image_ptx("", 0, &ptx, &length, &why), IMAGE_UNKNOWN);
}

/* Cut off anywhere, and with any byte changed: no crash, and no PTX longer than it says. */
static void damage(void **state) {
    (void)state;
    ls_buf data = load("grid_speed.fatbin");
    for (size_t cut = 0; cut < data.length; cut += 3) {
        char *ptx = NULL, *copy = malloc(cut + 1);
        size_t length;
        const char *why;
        memcpy(copy, data.text, cut);
        if (ls_image_ptx(copy, cut, &ptx, &length, &why) == IMAGE_PTX) free(ptx);
        free(copy);
    }
    for (size_t at = 0; at < data.length; at++) {
        char *ptx = NULL;
        size_t length;
        const char *why;
        data.text[at] = (char)(data.text[at] ^ 0x41);
        if (at >= 4 && ls_image_ptx(data.text, data.length, &ptx, &length, &why) == IMAGE_PTX) free(ptx);
        data.text[at] = (char)(data.text[at] ^ 0x41);
    }
    ls_buf_free(&data);
}

/* A wrapper has pointers: in a program's memory they are followed, in bytes of a file they are anybody's. */
static void wrapper_in_a_file(void **state) {
    (void)state;
    char *ptx = NULL;
    size_t length;
    const char *why, text[] = ".version 7.0\n.target sm_70\n";
    struct {
        uint32_t magic, version;
        const void *data;
        void *more;
    } wrapper = {0x466243b1, 1, text, NULL};
    assert_int_equal(ls_image_ptx(&wrapper, SIZE_MAX, &ptx, &length, &why), IMAGE_PTX);
    free(ptx);
    wrapper.data = (const void *)(uintptr_t)0xdead0000;
    assert_int_equal(ls_image_ptx(&wrapper, sizeof wrapper, &ptx, &length, &why), IMAGE_UNKNOWN);
    wrapper.version = 2;
    wrapper.more = (void *)(uintptr_t)0xdead0000;
    assert_int_equal(ls_image_ptx(&wrapper, sizeof wrapper, &ptx, &length, &why), IMAGE_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packing),
        cmocka_unit_test(plain_images),
        cmocka_unit_test(damage),
        cmocka_unit_test(wrapper_in_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
