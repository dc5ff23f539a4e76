/* Textures and surfaces as plain arrays: addressing, filtering, queries, what is outside. The expected values
 * are worked out by hand from the CUDA C++ Programming Guide's formulas. */
#include "launch/texture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".entry k(.param .u64 t, .param .u64 i, .param .u64 o)\n{\n"
                           ".reg .b32 %i<4>, %o<4>; .reg .b64 %x<3>;\n"
                           "ld.param.u64 %x0, [t]; ld.param.u64 %x1, [i]; ld.param.u64 %x2, [o];\n"
                           "ld.global.v4.b32 {%i0,%i1,%i2,%i3}, [%x1];\nmov.b32 %o0, 7; mov.b32 %o1, 7;\n"
                           "mov.b32 %o2, 7; mov.b32 %o3, 7;\n";

/* Runs the body in one thread. */
static ls_emu_status run(const ls_texture *texture, const char *body, const void *in, void *out) {
    _Alignas(16) char from[16], to[16] = {0};
    char ptx[2048];
    memcpy(from, in, 16);
    snprintf(ptx, sizeof ptx, "%s%s\nst.global.v4.b32 [%%x2], {%%o0,%%o1,%%o2,%%o3};\nret;\n}\n", head, body);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(ptx, strlen(ptx), "test.ptx", diags);
    if (!module) fail_msg("%s", ls_diags_at(diags, 0)->message);
    ls_emulator *emulator = ls_emulator_new(module, diags);
    ls_emulator_map(emulator, from, 16, "from");
    ls_emulator_map(emulator, to, 16, "to");
    uint64_t params[3] = {texture ? ls_emulator_texture(emulator, texture) : 5, (uint64_t)(uintptr_t)from,
                          (uint64_t)(uintptr_t)to};
    ls_emu_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params, .params_size = sizeof params};
    ls_emu_result *r = ls_emulator_run(emulator, &launch, &(ls_emu_options){.checks = LS_CHECK_ALL});
    ls_emu_status status = r->status;
    ls_emu_result_free(r);
    ls_emulator_free(emulator);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    memcpy(out, to, 16);
    return status;
}

static float texels[3][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}};

static float fetch(ls_address_mode mode, bool normalized, bool linear, float x, float y) {
    ls_texture t = {.data = texels,
                    .width = 4,
                    .height = 3,
                    .channels = 1,
                    .bits = 32,
                    .kind = LS_TEXEL_FLOAT,
                    .normalized_coords = normalized,
                    .linear = linear,
                    .address = {mode, mode, mode}};
    float in[4] = {x, y, 0, 0}, out[4];
    assert_int_equal(run(&t, "tex.2d.v4.f32.f32 {%o0,%o1,%o2,%o3}, [%x0, {%i0,%i1}];", in, out), LS_EMU_DONE);
    assert_true(out[1] == 0 && out[2] == 0 && out[3] == 0);
    return out[0];
}

static void points(void **state) {
    (void)state;
    assert_true(fetch(LS_ADDRESS_CLAMP, false, false, 2.9f, 1.1f) == 12);
    assert_true(fetch(LS_ADDRESS_CLAMP, false, false, -5, 7) == 20);
    assert_true(fetch(LS_ADDRESS_BORDER, false, false, -0.1f, 1) == 0);
    assert_true(fetch(LS_ADDRESS_CLAMP, true, false, 0.6f, 0.5f) == 12);
    assert_true(fetch(LS_ADDRESS_WRAP, true, false, 1.3f, -0.1f) == 21);
    assert_true(fetch(LS_ADDRESS_MIRROR, true, false, 1.1f, 0.1f) == 3);
    assert_true(fetch(LS_ADDRESS_MIRROR, true, false, -0.3f, 0.1f) == 1);
    assert_true(fetch(LS_ADDRESS_WRAP, false, false, 4.5f, 0) ==
                3); /* without normalised coordinates: clamped */
}

static void lines(void **state) {
    (void)state;
    assert_true(fetch(LS_ADDRESS_CLAMP, false, true, 1.5f, 1.5f) == 11);
    assert_true(fetch(LS_ADDRESS_CLAMP, false, true, 2, 1.5f) == 11.5f);
    assert_true(fetch(LS_ADDRESS_CLAMP, false, true, 2, 2) == 16.5f);
    assert_true(fetch(LS_ADDRESS_BORDER, false, true, 0, 0.5f) == 0);
    assert_true(fetch(LS_ADDRESS_BORDER, false, true, 4, 0.5f) == 1.5f);
    assert_true(fetch(LS_ADDRESS_WRAP, true, true, 0, 0.5f) == 11.5f);
}

static void normalized_bytes(void **state) {
    (void)state;
    uint8_t bytes[8] = {0, 255, 51, 102, 255, 0, 204, 1};
    ls_texture t = {.data = bytes,
                    .width = 2,
                    .channels = 4,
                    .bits = 8,
                    .kind = LS_TEXEL_UNSIGNED,
                    .normalized_read = true,
                    .address = {LS_ADDRESS_CLAMP}};
    float in[4] = {1}, out[4];
    assert_int_equal(run(&t, "tex.1d.v4.f32.f32 {%o0,%o1,%o2,%o3}, [%x0, {%i0}];", in, out), LS_EMU_DONE);
    assert_true(out[0] == 1 && out[1] == 0 && out[2] == 204 / 255.0f && out[3] == 1 / 255.0f);
}

/* Faces in the order +x, -x, +y, -y, +z, -z; 2 × 2 texels each. */
static void cube_maps(void **state) {
    (void)state;
    float faces[12][2][2];
    for (int k = 0; k < 48; k++) faces[k / 4][k / 2 % 2][k % 2] = (float)k;
    ls_texture t = {.data = faces,
                    .width = 2,
                    .height = 2,
                    .depth = 12,
                    .channels = 1,
                    .bits = 32,
                    .kind = LS_TEXEL_FLOAT,
                    .normalized_coords = true,
                    .address = {LS_ADDRESS_WRAP, LS_ADDRESS_WRAP, LS_ADDRESS_WRAP}};
    static const struct {
        float at[3], want; /* face · 4 + row · 2 + column */
    } cases[] = {{{1, 0.5f, 0.5f}, 0},     {{1, -0.5f, -0.5f}, 3}, {{-2, 0.5f, 0.5f}, 5},
                 {{0.1f, 1, 0.2f}, 11},    {{0.1f, -1, 0.2f}, 13}, {{-0.5f, 0.5f, 1}, 16},
                 {{-0.5f, -0.5f, -1}, 23}, {{0.5f, 0.2f, -3}, 20}};
    float in[4] = {0}, out[4];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        memcpy(in, cases[k].at, sizeof cases[k].at);
        assert_int_equal(run(&t, "tex.cube.v4.f32.f32 {%o0,%o1,%o2,%o3}, [%x0, {%i0,%i1,%i2,%i3}];", in, out),
                         LS_EMU_DONE);
        assert_true(out[0] == cases[k].want);
    }
    struct {
        int32_t layer;
        float x, y, z;
    } second = {1, 1, 0.5f, 0.5f};
    assert_int_equal(
        run(&t, "tex.acube.v4.f32.f32 {%o0,%o1,%o2,%o3}, [%x0, {%i0,%i1,%i2,%i3}];", &second, out),
        LS_EMU_DONE);
    assert_true(out[0] == 24);
    t.depth = 5;
    assert_int_equal(run(&t, "tex.cube.v4.f32.f32 {%o0,%o1,%o2,%o3}, [%x0, {%i0,%i1,%i2,%i3}];", in, out),
                     LS_EMU_TRAPPED);
}

static void layers_gather_and_queries(void **state) {
    (void)state;
    ls_texture t = {.data = texels,
                    .width = 4,
                    .depth = 3,
                    .channels = 1,
                    .bits = 32,
                    .kind = LS_TEXEL_FLOAT,
                    .address = {LS_ADDRESS_CLAMP}};
    struct {
        int32_t layer;
        float x, y, z;
    } in = {2, 1.5f, 0, 0};
    float out[4];
    assert_int_equal(run(&t, "tex.a1d.v4.f32.f32 {%o0,%o1,%o2,%o3}, [%x0, {%i0,%i1}];", &in, out),
                     LS_EMU_DONE);
    assert_true(out[0] == 21);
    ls_texture plane = {.data = texels,
                        .width = 4,
                        .height = 3,
                        .channels = 1,
                        .bits = 32,
                        .kind = LS_TEXEL_FLOAT,
                        .address = {LS_ADDRESS_CLAMP, LS_ADDRESS_CLAMP}};
    float at[4] = {2, 1};
    assert_int_equal(run(&plane, "tld4.r.2d.v4.f32.f32 {%o0,%o1,%o2,%o3}, [%x0, {%i0,%i1}];", at, out),
                     LS_EMU_DONE);
    assert_true(out[0] == 11 && out[1] == 12 && out[2] == 2 && out[3] == 1);
    uint32_t sizes[4];
    assert_int_equal(run(&plane, "txq.width.b32 %o0, [%x0]; suq.height.b32 %o1, [%x0];", at, sizes),
                     LS_EMU_DONE);
    assert_true(sizes[0] == 4 && sizes[1] == 3);
}

static void surfaces(void **state) {
    (void)state;
    uint32_t data[6] = {1, 2, 3, 4, 5, 6}, out[4];
    ls_texture s = {
        .data = data, .width = 3, .height = 2, .channels = 1, .bits = 32, .kind = LS_TEXEL_UNSIGNED};
    int32_t in[4] = {4, 1, 100, 9};
    assert_int_equal(run(&s, "suld.b.2d.v2.b32.trap {%o0,%o1}, [%x0, {%i0,%i1}];", in, out), LS_EMU_DONE);
    assert_true(out[0] == 5 && out[1] == 6);
    assert_int_equal(run(&s, "suld.b.2d.b32.zero %o0, [%x0, {%i2,%i1}];", in, out), LS_EMU_DONE);
    assert_true(out[0] == 0);
    assert_int_equal(run(&s, "suld.b.2d.b32.clamp %o0, [%x0, {%i2,%i1}];", in, out), LS_EMU_DONE);
    assert_true(out[0] == 6);
    assert_int_equal(run(&s, "suld.b.2d.b32.trap %o0, [%x0, {%i2,%i1}];", in, out), LS_EMU_TRAPPED);
    assert_int_equal(run(&s, "sust.b.2d.b32.trap [%x0, {%i0,%i1}], %i3;", in, out), LS_EMU_DONE);
    assert_int_equal(data[4], 9);
    assert_int_equal(run(&s, "sust.b.2d.b32.zero [%x0, {%i2,%i1}], %i3;", in, out), LS_EMU_DONE);
    assert_int_equal(run(&s, "sured.b.add.2d.u32.trap [%x0, {%i0,%i1}], %i3;", in, out), LS_EMU_DONE);
    assert_int_equal(data[4], 18);
    assert_int_equal(data[5], 6);
}

static void what_is_not_there_stops_the_run(void **state) {
    (void)state;
    float in[4] = {0}, out[4];
    ls_texture t = {
        .data = texels, .width = 4, .height = 3, .channels = 1, .bits = 32, .kind = LS_TEXEL_FLOAT};
    assert_int_equal(run(NULL, "tex.2d.v4.f32.f32 {%o0,%o1,%o2,%o3}, [%x0, {%i0,%i1}];", in, out),
                     LS_EMU_UNSUPPORTED);
    assert_int_equal(run(&t, "tex.2d.v4.u32.f32 {%o0,%o1,%o2,%o3}, [%x0, {%i0,%i1}];", in, out),
                     LS_EMU_UNSUPPORTED);
    assert_int_equal(run(&t, "txq.channel_order.b32 %o0, [%x0];", in, out), LS_EMU_UNSUPPORTED);
    assert_int_equal(run(&t, "tld4.r.cube.v4.f32.f32 {%o0,%o1,%o2,%o3}, [%x0, {%i0,%i1,%i2,%i2}];", in, out),
                     LS_EMU_UNSUPPORTED);
}

static void textures_as_arguments(void **state) {
    (void)state;
    ls_texture t;
    ls_ptx_type type;
    uint64_t count;
    assert_string_equal(em_texture_spec("tex2d:linear:wrap:normalized:u8x4[64,32]=iota", &t, &type, &count),
                        "iota");
    assert_true(t.linear && t.normalized_coords && t.address[1] == LS_ADDRESS_WRAP && !t.normalized_read);
    assert_true(t.width == 64 && t.height == 32 && t.depth == 0 && t.channels == 4 && t.bits == 8);
    assert_true(type == LS_TYPE_U8 && t.kind == LS_TEXEL_UNSIGNED && count == 64 * 32 * 4);
    assert_string_equal(em_texture_spec("texa1d:f32[7,3]", &t, &type, &count), "");
    assert_true(t.width == 7 && t.height == 0 && t.depth == 3 && count == 21 &&
                t.address[0] == LS_ADDRESS_CLAMP);
    static const char *const wrong[] = {"tex",
                                        "tex4d:f32[1]",
                                        "tex2d",
                                        "tex2d:f32",
                                        "tex2d:f32[4]",
                                        "tex2d:f32[4,0]",
                                        "tex2d:f64[4,4]",
                                        "tex2d:f32x3[4,4]",
                                        "tex2d:bf16[1,1]",
                                        "tex2d:fast:f32[4,4]",
                                        "tex1d:f32[4]iota",
                                        "tex1d:f32[4,",
                                        "tex1d:f32x[4]",
                                        "tex1d:[4]",
                                        "tex1d:f32[-1]",
                                        "tex1d:f32[99999999999999999999]"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_null(em_texture_spec(wrong[k], &t, &type, &count));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(points),
                                       cmocka_unit_test(lines),
                                       cmocka_unit_test(normalized_bytes),
                                       cmocka_unit_test(cube_maps),
                                       cmocka_unit_test(layers_gather_and_queries),
                                       cmocka_unit_test(surfaces),
                                       cmocka_unit_test(textures_as_arguments),
                                       cmocka_unit_test(what_is_not_there_stops_the_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
