/* Proofs that are kept on disk: what stands in a file may be anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "detect/kernel.h"

/* A list of where pointers are, as a file on disk may have it: at places that no parameters have. */
static void wild_places(void **state) {
    (void)state;
    static const uint32_t places[] = {UINT32_MAX - 1, UINT32_MAX - 7, UINT32_MAX - 8, 1, 8, 9, 1u << 31};
    uint64_t params = 0x1234;
    const ls_detect_launch launch = {.params = &params, .params_size = sizeof params};
    ls_buf places_list = {0}, out = {0};
    ls_buf_add(&places_list, (const char *)places, sizeof places);
    dt_describe_pointers(&places_list, &launch, &out);
    assert_int_equal(out.length, 0);
    ls_buf_free(&places_list);
    ls_buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(wild_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
