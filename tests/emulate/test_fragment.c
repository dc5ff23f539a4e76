/* Matrix instructions: products against a plain triple loop, with the fragments written down as the PTX ISA
 * gives them, and results of an H200 (tests/emulate/h200: a kernel each, what its blocks read, what the GPU
 * wrote) bit for bit. */
#include "lockstep/emulate.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- Running --- */
static ls_emu_status run(const char *ptx, uint32_t blocks, void *in, size_t in_size, void *out,
                         size_t out_size, uint32_t *errors) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(ptx, strlen(ptx), "test.ptx", diags);
    if (!module) fail_msg("%s", ls_diags_at(diags, 0)->message);
    ls_emulator *emulator = ls_emulator_new(module, diags);
    ls_emulator_map(emulator, in, in_size, "in");
    ls_emulator_map(emulator, out, out_size, "out");
    uint64_t params[2] = {(uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out};
    ls_emu_launch launch = {.kernel = "k",
                            .grid = {blocks, 1, 1},
                            .block = {32, 1, 1},
                            .params = params,
                            .params_size = sizeof params};
    ls_emu_result *r = ls_emulator_run(emulator, &launch, &(ls_emu_options){.checks = LS_CHECK_ALL});
    ls_emu_status status = r->status;
    if (status != LS_EMU_DONE) print_message("%s\n", r->message);
    *errors = 0;
    for (uint32_t k = 0; k < r->finding_count; k++) *errors += r->findings[k].level == LS_ERROR;
    ls_emu_result_free(r);
    ls_emulator_free(emulator);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    return status;
}

static uint32_t next_random(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 32);
}

/* --- Integers: every shape against a triple loop --- */
typedef struct {
    const char *name, *a, *b;
    uint32_t m, n, k, bits;
    const char *suffix; /* b1 */
} shape;

/* Element i of A: groups of 32/bits elements; the ISA's "groupID" and "threadID_in_group". */
static void place_a(const shape *s, uint32_t lane, uint32_t i, uint32_t *row, uint32_t *column) {
    uint32_t per = 32 / s->bits, group = lane >> 2, thread = lane % 4;
    *row = group;
    *column = thread * per + i % per;
    if (s->m == 16 && i / per % 2) *row += 8;           /* the second and fourth register */
    if (s->m == 16 && i >= 2 * per) *column += 4 * per; /* the third and fourth */
}

static void place_b(const shape *s, uint32_t lane, uint32_t i, uint32_t *row, uint32_t *column) {
    uint32_t per = 32 / s->bits;
    *row = lane % 4 * per + i % per + (i >= per ? 4 * per : 0);
    *column = lane >> 2;
}

static int64_t value_of(const char *type, uint32_t bits, uint32_t raw) {
    if (type[0] == 's' && raw >> (bits - 1)) return (int64_t)raw - (INT64_C(1) << bits);
    return raw;
}

static uint32_t element(const uint32_t *words, uint32_t bits, uint32_t i) {
    return words[i * bits / 32] >> i * bits % 32 & (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

static void check_shape(const shape *s) {
    uint32_t na = s->m * s->k * s->bits / 1024, nb = s->n * s->k * s->bits / 1024, nc = s->m * s->n / 32;
    uint32_t all = na + nb + nc, in[32 * 10], out[32 * 4], errors;
    char ptx[4096], *at = ptx;
    at += sprintf(at,
                  ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 i, .param .u64 o)\n{\n"
                  ".reg .b32 %%i<12>, %%o<4>, %%t; .reg .b64 %%x<4>;\nld.param.u64 %%x0, [i];\n"
                  "ld.param.u64 %%x1, [o];\nmov.u32 %%t, %%tid.x;\nmul.wide.u32 %%x2, %%t, %u;\n"
                  "add.u64 %%x0, %%x0, %%x2;\nmul.wide.u32 %%x2, %%t, %u;\nadd.u64 %%x1, %%x1, %%x2;\n",
                  4 * all, 4 * nc);
    for (uint32_t k = 0; k < all; k++) at += sprintf(at, "ld.global.b32 %%i%u, [%%x0+%u];\n", k, 4 * k);
    at += sprintf(at, "mma.sync.aligned.%s.row.col.s32.%s.%s.s32%s ", s->name, s->a, s->b, s->suffix);
    uint32_t counts[4] = {nc, na, nb, nc}, next = 0;
    for (uint32_t g = 0; g < 4; g++) {
        at += sprintf(at, "%s{", g ? ", " : "");
        for (uint32_t k = 0; k < counts[g]; k++)
            at += sprintf(at, "%s%%%c%u", k ? ", " : "", g ? 'i' : 'o', g ? next++ : k);
        at += sprintf(at, "}");
    }
    at += sprintf(at, ";\n");
    for (uint32_t k = 0; k < nc; k++) at += sprintf(at, "st.global.b32 [%%x1+%u], %%o%u;\n", 4 * k, k);
    sprintf(at, "ret;\n}\n");
    for (uint32_t k = 0; k < 32 * all; k++) in[k] = next_random();
    assert_int_equal(run(ptx, 1, in, 128 * (size_t)all, out, 128 * (size_t)nc, &errors), LS_EMU_DONE);
    assert_int_equal(errors, 0);
    static int64_t a[16][256], b[256][8];
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t r, c;
        for (uint32_t i = 0; i < na * 32 / s->bits; i++) {
            place_a(s, lane, i, &r, &c);
            a[r][c] = value_of(s->a, s->bits, element(in + lane * all, s->bits, i));
        }
        for (uint32_t i = 0; i < nb * 32 / s->bits; i++) {
            place_b(s, lane, i, &r, &c);
            b[r][c] = value_of(s->b, s->bits, element(in + lane * all + na, s->bits, i));
        }
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t i = 0; i < nc; i++) {
            uint32_t r = (lane >> 2) + (i >= 2 ? 8 : 0), c = lane % 4 * 2 + (i & 1);
            int64_t sum = (int32_t)in[lane * all + na + nb + i];
            for (uint32_t k = 0; k < s->k; k++)
                sum += strstr(s->suffix, "xor") ? a[r][k] ^ b[k][c] : a[r][k] * b[k][c];
            assert_int_equal(out[lane * nc + i], (uint32_t)sum);
        }
}

static void integer_products(void **state) {
    (void)state;
    static const shape shapes[] = {{"m8n8k16", "s8", "s8", 8, 8, 16, 8, ""},
                                   {"m8n8k16", "u8", "s8", 8, 8, 16, 8, ""},
                                   {"m16n8k16", "s8", "u8", 16, 8, 16, 8, ""},
                                   {"m16n8k32", "u8", "u8", 16, 8, 32, 8, ""},
                                   {"m16n8k32", "s8", "s8", 16, 8, 32, 8, ""},
                                   {"m8n8k32", "s4", "u4", 8, 8, 32, 4, ""},
                                   {"m16n8k32", "u4", "s4", 16, 8, 32, 4, ""},
                                   {"m16n8k64", "s4", "s4", 16, 8, 64, 4, ""},
                                   {"m8n8k128", "b1", "b1", 8, 8, 128, 1, ".xor.popc"},
                                   {"m8n8k128", "b1", "b1", 8, 8, 128, 1, ".and.popc"},
                                   {"m16n8k128", "b1", "b1", 16, 8, 128, 1, ".xor.popc"},
                                   {"m16n8k256", "b1", "b1", 16, 8, 256, 1, ".and.popc"}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) check_shape(&shapes[k]);
}

/* --- What an H200 gave --- */
static char *read_file(const char *name, const char *suffix, size_t *size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/h200/%s%s", TEST_DIR, name, suffix);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s cannot be read", path);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(*size + 1, 1);
    assert_int_equal(fread(text, 1, *size, f), *size);
    fclose(f);
    return text;
}

/* Bytes that a lane reads or writes: the factor of its index in the kernel's own address computation. */
static size_t lane_bytes(const char *ptx, const char *behind) {
    const char *at = strstr(ptx, behind);
    unsigned n = 0;
    if (!at || sscanf(at + strlen(behind), "%u", &n) != 1) fail_msg("no '%s' in the kernel", behind);
    return n;
}

static uint32_t check_case(const char *name) {
    size_t size, length;
    char *ptx = read_file(name, ".ptx", &length), *data = read_file(name, ".bin", &size);
    size_t in = lane_bytes(ptx, "mul.wide.u32 %x2, %t2, "),
           out = lane_bytes(ptx, "add.u64 %x0, %x0, %x2; mul.wide.u32 %x2, %t2, ");
    uint32_t blocks = (uint32_t)(size / (32 * (in + out))), errors;
    assert_int_equal(size, blocks * 32 * (in + out));
    char *got = calloc(blocks, 32 * out);
    assert_int_equal(run(ptx, blocks, data, blocks * 32 * in, got, blocks * 32 * out, &errors), LS_EMU_DONE);
    assert_int_equal(errors, 0);
    uint32_t wrong = 0;
    for (size_t k = 0; k < blocks * 32 * out / 4; k++)
        wrong += memcmp(got + 4 * k, data + blocks * 32 * in + 4 * k, 4) != 0;
    if (wrong) print_message("%s: %u words differ\n", name, wrong);
    free(got);
    free(ptx);
    free(data);
    return wrong;
}

static void results_of_a_gpu(void **state) {
    (void)state;
    DIR *dir = opendir(TEST_DIR "/h200");
    assert_non_null(dir);
    uint32_t cases = 0, wrong = 0;
    for (const struct dirent *e; (e = readdir(dir));) {
        char name[256];
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".ptx")) continue;
        snprintf(name, sizeof name, "%.*s", (int)(dot - e->d_name), e->d_name);
        wrong += check_case(name);
        cases++;
    }
    closedir(dir);
    assert_int_equal(wrong, 0);
    assert_true(cases > 40);
}

/* --- Faults --- */
static const char head[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 i, .param .u64 o)\n{\n"
    ".shared .align 16 .b8 s[512];\n.reg .b32 %r<9>; .reg .pred %p; .reg .b64 %x<2>;\n"
    "mov.u32 %r0, %tid.x;\n";

static ls_emu_status run_body(const char *body, uint32_t *errors) {
    char ptx[2048];
    uint64_t in = 0, out = 0;
    snprintf(ptx, sizeof ptx, "%s%s\nret;\n}\n", head, body);
    return run(ptx, 1, &in, sizeof in, &out, sizeof out, errors);
}

static void rows_out_of_bounds_are_found(void **state) {
    (void)state;
    uint32_t errors;
    assert_int_equal(run_body("mul.lo.u32 %r1, %r0, 32;\n"
                              "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2,%r3,%r4,%r5}, [%r1];",
                              &errors),
                     LS_EMU_DONE);
    assert_true(errors > 0);
}

static void races_of_stmatrix_are_found(void **state) {
    (void)state;
    uint32_t errors;
    assert_int_equal(run_body("mov.u32 %r1, s; mov.u32 %r2, %r0;\n"
                              "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};",
                              &errors),
                     LS_EMU_DONE);
    assert_true(errors > 0); /* eight lanes write different rows to one place */
}

static void lanes_that_left_stop_the_run(void **state) {
    (void)state;
    uint32_t errors;
    assert_int_equal(run_body("setp.gt.u32 %p, %r0, 20;\n@%p exit;\n"
                              "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;",
                              &errors),
                     LS_EMU_UNSUPPORTED);
}

static void a_selector_without_lanes_stops_the_run(void **state) {
    (void)state;
    uint32_t errors;
    assert_int_equal(
        run_body("mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r1,%r2,%r3,%r4}, "
                 "{%r1,%r2,%r3,%r4}, {%r1,%r2}, %r0, 2;",
                 &errors),
        LS_EMU_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(integer_products),
                                       cmocka_unit_test(results_of_a_gpu),
                                       cmocka_unit_test(rows_out_of_bounds_are_found),
                                       cmocka_unit_test(races_of_stmatrix_are_found),
                                       cmocka_unit_test(lanes_that_left_stop_the_run),
                                       cmocka_unit_test(a_selector_without_lanes_stops_the_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
