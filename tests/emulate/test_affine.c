/* Registers that are left as sums (decode/affine.c) have the values that they would have if every instruction
 * were executed: random programs on thread and block coordinates, with constants that make some of the 32-bit
 * sums overflow, are run with sums and without (a profile counts every instruction, so there are none). */
#include "kernels.h"

#include <stdlib.h>

enum { REGISTERS = 24, THREADS = 4 * 2 * 40, BYTES = THREADS * REGISTERS * 16 };

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static const char *const numbers[] = {"0",  "1",   "2",          "4",          "12",         "31",
                                      "32", "255", "0x40000000", "0x7fffffff", "0x80000000", "0xfffffff0"};

/* A source: an earlier register (32 bits: r, 64: d), a special register's copy, or a number. */
static const char *source(uint32_t *state, char kind, uint32_t defined, char *text, size_t size) {
    if (next(state) % 4 == 0) return numbers[next(state) % (sizeof numbers / sizeof *numbers)];
    snprintf(text, size, "%%%c%u", kind, next(state) % defined);
    return text;
}

/* Each step defines one register of either kind. */
static int step(char *out, size_t size, uint32_t *state, uint32_t n) {
    static const char *const narrow[] = {"add.s32", "sub.s32", "mul.lo.s32", "shl.b32",
                                         "shr.u32", "and.b32", "or.b32",     "mad.lo.s32"};
    static const char *const wide[] = {"add.s64",      "sub.s64",      "mul.lo.s64",   "or.b64",
                                       "cvt.s64.s32",  "cvt.u64.u32",  "mul.wide.s32", "mul.wide.u32",
                                       "mad.wide.s32", "mad.wide.u32", "shl.b64",      "and.b64"};
    char a[16], b[16], c[16];
    uint32_t x = next(state) % 9, y = next(state) % 12;
    int length;
    if (x == 8)
        length = snprintf(out, size, "cvt.u32.u64 %%r%u, %%d%u;\n", n, next(state) % n);
    else
        length = snprintf(out, size, "%s %%r%u, %s, %s%s%s;\n", narrow[x], n, source(state, 'r', n, a, 16),
                          source(state, 'r', n, b, 16), x == 7 ? ", " : "",
                          x == 7 ? source(state, 'r', n, c, 16) : "");
    out += length, size -= (size_t)length;
    bool narrow_sources = y >= 4 && y < 10, one = y == 4 || y == 5, three = y == 8 || y == 9;
    char kind = narrow_sources ? 'r' : 'd', second = narrow_sources || y == 10 ? 'r' : 'd';
    snprintf(a, sizeof a, "%%%c%u", kind, next(state) % n);
    return length + snprintf(out, size, "%s %%d%u, %s%s%s%s%s;\n", wide[y], n, a, one ? "" : ", ",
                             one ? "" : source(state, second, n, b, 16), three ? ", " : "",
                             three ? source(state, 'd', n, c, 16) : "");
}

static char *program(uint32_t seed) {
    size_t size = 1 << 16, at = 0;
    char *text = malloc(size);
    uint32_t state = seed;
#define ADD(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
    ADD(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 "
        "n)\n{\n"
        ".reg .b32 %%r<%d>;\n.reg .b64 %%d<%d>;\n.reg .b64 %%a<4>;\n.reg .b32 %%t<8>;\n",
        REGISTERS, REGISTERS);
    ADD("mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%ctaid.y;\nmov.u32 %%r3, "
        "%%ntid.x;\n"
        "ld.param.u32 %%r4, [n];\nmad.lo.s32 %%r5, %%r1, %%r3, %%r0;\n"
        "cvt.u64.u32 %%d0, %%r0;\ncvt.s64.s32 %%d1, %%r5;\nmul.wide.u32 %%d2, %%r2, 64;\n"
        "cvt.u64.u32 %%d3, %%r3;\ncvt.s64.s32 %%d4, %%r4;\nadd.s64 %%d5, %%d1, %%d2;\n");
    for (uint32_t n = 6; n < REGISTERS; n++) at += (size_t)step(text + at, size - at, &state, n);
    ADD("mov.u32 %%t0, %%nctaid.x;\nmad.lo.s32 %%t1, %%r2, %%t0, %%r1;\nmad.lo.s32 %%t2, %%t1, %%r3, %%r0;\n"
        "mul.wide.s32 %%a0, %%t2, %d;\nld.param.u64 %%a1, [out];\nadd.s64 %%a2, %%a1, %%a0;\n",
        REGISTERS * 16);
    for (uint32_t n = 0; n < REGISTERS; n++)
        ADD("st.global.u32 [%%a2+%u], %%r%u;\nst.global.u64 [%%a2+%u], %%d%u;\n", 16 * n, n, 16 * n + 8, n);
    ADD("ret;\n}\n");
#undef ADD
    return text;
}

/* What the program stores; errors: what is reported. */
static void outcome_of(const char *text, bool profile, uint64_t *out, uint32_t *errors) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, strlen(text), "random.ptx", diags);
    assert_int_equal(ls_diags_count(diags), 0);
    ls_emulator *e = ls_emulator_new(module, diags);
    struct {
        uint64_t out;
        uint32_t n;
    } params = {ls_emulator_alloc(e, BYTES, "out"), 7};
    ls_emu_launch launch = {"k", {4, 2, 1}, {40, 1, 1}, 0, &params, sizeof params};
    ls_emu_result *r = ls_emulator_run(
        e, &launch, &(ls_emu_options){.checks = LS_CHECK_ALL, .threads = 1, .profile = profile});
    assert_int_equal(r->status, LS_EMU_DONE);
    *errors = 0;
    for (uint32_t k = 0; k < r->finding_count; k++) *errors += r->findings[k].level == LS_ERROR;
    memcpy(out, (const void *)(uintptr_t)params.out, BYTES);
    ls_emu_result_free(r);
    ls_emulator_free(e);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
}

static void sums_are_what_the_instructions_compute(void **state) {
    (void)state;
    uint64_t *plain = malloc(BYTES), *sums = malloc(BYTES);
    for (uint32_t seed = 1; seed <= 300; seed++) {
        char *text = program(seed);
        uint32_t errors[2];
        outcome_of(text, true, plain, &errors[0]);
        outcome_of(text, false, sums, &errors[1]);
        if (memcmp(plain, sums, BYTES)) fprintf(stderr, "seed %u:\n%s", seed, text);
        assert_memory_equal(plain, sums, BYTES);
        assert_int_equal(errors[0], 0);
        assert_int_equal(errors[1], 0);
        free(text);
    }
    free(plain);
    free(sums);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_what_the_instructions_compute)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
