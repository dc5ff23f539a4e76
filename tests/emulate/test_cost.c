/* What an access to global memory costs, against counting pieces one by one. */
#include <stdarg.h>

#include "emulate/machine.h"

#include <setjmp.h>
#include <stddef.h>

#include <cmocka.h>

static uint32_t pieces(const uint64_t *address, uint64_t mask, uint32_t bytes, uint32_t size) {
    uint32_t n = 0;
    for (uint32_t l = 0; l < CHUNK * bytes; l++) {
        const uint64_t byte = address[l / bytes] + l % bytes;
        bool is_new = mask >> l / bytes & 1;
        for (uint32_t k = 0; k < l && is_new; k++)
            is_new = !(mask >> k / bytes & 1) || (address[k / bytes] + k % bytes) / size != byte / size;
        n += is_new;
    }
    return n;
}

static void costs(void **unused) {
    (void)unused;
    static const machine gpu = {.warp_size = CHUNK, .options.banks = 32};
    static const uint64_t reach[] = {32, 256, 4096, UINT64_C(1) << 20, UINT64_C(1) << 40};
    uint64_t random = 12345;
    for (uint32_t n = 0; n < 600; n++) {
        uint64_t address[MAX_LANES] = {0}, mask = UINT32_MAX;
        const uint32_t bytes = 1u << n % 6, unaligned = n % 7 == 0;
        for (uint32_t l = 0; l < CHUNK; l++) {
            address[l] = (UINT64_C(1) << 41) + em_random(&random) % reach[n / 6 % 5];
            if (!unaligned) address[l] -= address[l] % bytes;
        }
        if (n % 3 == 0) mask = em_random(&random) & UINT32_MAX;
        if (!mask) continue;
        memory_stats seen = {0};
        const access_cost c = em_access_cost(&seen, &gpu, false, bytes, address, mask);
        const uint32_t grain = bytes >= 4 ? 4 : 1;
        assert_int_equal(c.sectors, pieces(address, mask, bytes, 32));
        assert_int_equal(c.lines, pieces(address, mask, bytes, 128));
        assert_int_equal(c.ideal, (pieces(address, mask, bytes, grain) * grain + 31) / 32);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(costs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
