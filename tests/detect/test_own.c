/* Which memory is known to be race-free from its offsets, and which must not be. In the emulator. */
#include "harness.h"

/* How many intervals were compared; the races of that kind at these lines are there. */
static uint32_t compared(harness *h, uint32_t line, uint32_t other) {
    ls_detect_result *r = check_launch(h, NULL);
    uint32_t regions = r->checked_regions;
    assert_int_equal(r->finding_count != 0, line != 0);
    if (line)
        assert_true(find_race(r, "write-write", line, other) || find_race(r, "intra-warp", line, other));
    if (!line) assert_same_memory(h);
    ls_detect_result_free(r);
    return regions;
}

static void bits(void **state) {
    (void)state;
    harness h = open_harness("again.ptx", "bits", 4, 256);
    push_words(&h, 1024, 0, 0), push_words(&h, 1024, 3, 1);
    assert_int_equal(compared(&h, 0, 0), 0);
    close_harness(&h);
    h = open_harness("again.ptx", "racy_bits", 4, 256);
    push_words(&h, 1024, 0, 0), push_words(&h, 1024, 3, 1);
    assert_true(compared(&h, 47, 47) > 0);
    close_harness(&h);
}

/* Conditions that fix the warp: not the same thread's elements. */
static void two_warps(void **state) {
    (void)state;
    harness h = open_harness("again.ptx", "two_warps", 4, 64);
    push_words(&h, 256, 0, 0);
    assert_true(compared(&h, 26, 27) > 0);
    close_harness(&h);
}

static void below(void **state) {
    (void)state;
    harness h = open_harness("again.ptx", "below", 4, 256);
    push_words(&h, 1024, 0, 0), push_words(&h, 1024, 3, 1);
    assert_int_equal(compared(&h, 0, 0), 0);
    close_harness(&h);
}

/* Three tensors in one allocation; then two of them overlap by one element. */
static void one_allocation(void **state) {
    (void)state;
    for (int overlap = 0; overlap < 2; overlap++) {
        harness h = open_harness("again.ptx", "parts", 4, 128);
        uint64_t all = push_floats(&h, 2048), a = all + 2048 - 4 * (uint64_t)overlap, b = all + 4096;
        push_bytes(&h, &a, 8), push_bytes(&h, &b, 8);
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->rounds_run != 0, overlap);
        assert_int_equal(r->pruned_count != 0, !overlap);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* --- Offsets made up at random -----------------------------------------------------------------------------
 * Two stores to shared memory, each at an offset that is computed from the thread's number and under a
 * condition on it. What is said to be every thread's own part is computed here for all threads. */
enum { VALUES = 8, MOST_THREADS = 128 };

typedef struct {
    uint32_t state;
    ls_buf ptx;
    uint32_t values[VALUES][MOST_THREADS];
    uint32_t count, threads;
} maker;

static uint32_t draw(maker *m, uint32_t below) {
    m->state = m->state * 1664525 + 1013904223;
    return (m->state >> 8) % below;
}

/* One more value from those before it. */
static void add_value(maker *m) {
    static const char *const names[] = {"and.b32", "shr.u32", "shl.b32",   "or.b32",
                                        "xor.b32", "add.u32", "mul.lo.u32"};
    uint32_t op = draw(m, 7), a = draw(m, m->count), b = draw(m, m->count), to = m->count++;
    static const uint32_t masks[] = {1, 3, 7, 15, 31, 28, 12, 56, 96, 127, 124};
    uint32_t number = op == 0   ? masks[draw(m, 11)]
                      : op <= 2 ? draw(m, 6)
                      : op == 6 ? draw(m, 5)
                                : draw(m, 64);
    bool both = op >= 3 && op <= 5 && draw(m, 2);
    if (both)
        ls_buf_printf(&m->ptx, "\t%s %%r%u, %%r%u, %%r%u;\n", names[op], to, a, b);
    else
        ls_buf_printf(&m->ptx, "\t%s %%r%u, %%r%u, %u;\n", names[op], to, a, number);
    for (uint32_t t = 0; t < m->threads; t++) {
        uint32_t x = m->values[a][t], y = both ? m->values[b][t] : number;
        m->values[to][t] = op == 0   ? x & y
                           : op == 1 ? x >> y
                           : op == 2 ? x << y
                           : op == 3 ? x | y
                           : op == 4 ? x ^ y
                           : op == 5 ? x + y
                                     : x * y;
    }
}

/* A store under a condition; who does it, and where. */
static void add_store(maker *m, uint32_t which, bool *does, uint32_t *at) {
    static const char *const tests[] = {"lt", "ge", "eq", "ne"};
    uint32_t op = draw(m, 4), of = draw(m, m->count), limit = draw(m, 40), value = draw(m, m->count);
    uint32_t extra = draw(m, 3) * 64;
    ls_buf_printf(&m->ptx,
                  "\tsetp.%s.u32 %%p%u, %%r%u, %u;\n\tshl.b32 %%a%u, %%r%u, 2;\n"
                  "\tadd.u32 %%a%u, %%a%u, %%base;\n\t@%%p%u st.shared.u32 [%%a%u+%u], %%r0;\n",
                  tests[op], which, of, limit, which, value, which, which, which, which, extra);
    for (uint32_t t = 0; t < m->threads; t++) {
        uint32_t x = m->values[of][t];
        does[t] = op == 0 ? x < limit : op == 1 ? x >= limit : op == 2 ? x == limit : x != limit;
        at[t] = m->values[value][t] * 4 + extra;
    }
}

static bool threads_meet(const maker *m, bool does[2][MOST_THREADS], uint32_t at[2][MOST_THREADS]) {
    for (uint32_t t = 0; t < m->threads; t++)
        for (uint32_t u = 0; u < t; u++)
            for (int i = 0; i < 4; i++)
                if (does[i / 2][t] && does[i % 2][u] && at[i / 2][t] == at[i % 2][u]) return true;
    return false;
}

static bool is_said_to_be_own(maker *m, ls_detect_device *device) {
    ls_diags *diags = ls_diags_new();
    ls_detect_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {m->threads, 1, 1}, .as_it_is = "not run"};
    ls_detect_result *r =
        ls_detect_check(device, m->ptx.text, m->ptx.length, "random.ptx", &launch, NULL, diags);
    assert_int_equal(ls_diags_errors(diags), 0);
    bool own = r->unchecked_count == 0;
    ls_detect_result_free(r);
    ls_diags_free(diags);
    return own;
}

static void random_offsets(void **state) {
    (void)state;
    uint32_t own = 0, meet = 0;
    ls_diags *diags = ls_diags_new();
    ls_detect_device *device = ls_detect_emulator(diags);
    for (uint32_t seed = 1; seed <= 1500; seed++) {
        static const uint32_t sizes[] = {64, 96, 128};
        maker m = {.state = seed * 2654435761u, .count = 1};
        bool does[2][MOST_THREADS];
        uint32_t at[2][MOST_THREADS];
        m.threads = sizes[draw(&m, 3)];
        for (uint32_t t = 0; t < m.threads; t++) m.values[0][t] = t;
        ls_buf_puts(&m.ptx, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"
                            "\t.reg .u32 %r<9>, %a<2>, %base;\n\t.reg .pred %p<2>;\n"
                            "\t.shared .align 4 .b8 s[32768];\n\tmov.u32 %r0, %tid.x;\n"
                            "\tmov.u32 %base, s;\n");
        for (uint32_t i = 1 + draw(&m, VALUES - 1); i > 0 && m.count < VALUES; i--) add_value(&m);
        for (uint32_t i = 0; i < 2; i++) add_store(&m, i, does[i], at[i]);
        ls_buf_puts(&m.ptx, "\tret;\n}\n");
        bool said = is_said_to_be_own(&m, device), met = threads_meet(&m, does, at);
        if (said && met) fail_msg("seed %u: threads meet in\n%s", seed, ls_buf_text(&m.ptx));
        own += said, meet += met;
        ls_buf_free(&m.ptx);
    }
    assert_true(own > 100); /* or this shows nothing */
    assert_true(meet > 100);
    if (getenv("SHOW")) fprintf(stderr, "own %u, meeting %u\n", own, meet);
    ls_detect_device_free(device);
    ls_diags_free(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits),           cmocka_unit_test(two_warps),      cmocka_unit_test(below),
        cmocka_unit_test(one_allocation), cmocka_unit_test(random_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
