/* Kernel arguments as text:
 *     s32=7   f32=1.5   u8=255                      scalars (7 alone takes the parameter's own type)
 *     f32[1024]=iota | zero | ones | uninit | random:SEED | file:data.npy | file:raw.bin | 1,2,3    buffers
 *     file:data.npy                       a buffer with the type and the length of the file
 *     bytes=00ff3a…                                 structs
 *     local:4096                                    OpenCL local memory
 *     tex2d:linear:f32[64,32]=iota                  textures and surfaces (launch/texture.c)
 *     tensor:f16[128,64]box[64,8]=iota              tensor maps (launch/tensor.c)
 * in the order of the parameters, or with NAME: or NAME= (or the parameter's number) in front. */
#include "launch/args.h"
#include "base/buf.h"
#include "base/recover.h"
#include "emulate/emulator.h"
#include "isa/number.h"
#include "launch/default.h"
#include "launch/npy.h"
#include "launch/tensor.h"
#include "launch/texture.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    ls_emulator *emulator;
    const ls_ptx_function *kernel;
    ls_arena *arena;
    ls_emu_args *out;
    ls_diags *diags;
    uint32_t *offsets;
    const uint32_t *grid, *block;
    uint64_t threads;
    const char *spec;
    bool *given;
    uint32_t pointer_bytes;
} maker;

static bool fail(const maker *m, const char *what) {
    ls_diags_add(m->diags, LS_ERROR, NULL, 0, 0, "argument '%s': %s", m->spec, what);
    return false;
}

/* What people write who come from C, Rust or NumPy. */
static const struct {
    const char *name;
    ls_ptx_type type;
} other_names[] = {
    {"i8", LS_TYPE_S8},       {"i16", LS_TYPE_S16},    {"i32", LS_TYPE_S32},       {"i64", LS_TYPE_S64},
    {"int8", LS_TYPE_S8},     {"int16", LS_TYPE_S16},  {"int32", LS_TYPE_S32},     {"int64", LS_TYPE_S64},
    {"uint8", LS_TYPE_U8},    {"uint16", LS_TYPE_U16}, {"uint32", LS_TYPE_U32},    {"uint64", LS_TYPE_U64},
    {"float16", LS_TYPE_F16}, {"half", LS_TYPE_F16},   {"float32", LS_TYPE_F32},   {"float", LS_TYPE_F32},
    {"float64", LS_TYPE_F64}, {"double", LS_TYPE_F64}, {"char", LS_TYPE_S8},       {"uchar", LS_TYPE_U8},
    {"short", LS_TYPE_S16},   {"ushort", LS_TYPE_U16}, {"int", LS_TYPE_S32},       {"uint", LS_TYPE_U32},
    {"long", LS_TYPE_S64},    {"ulong", LS_TYPE_U64},  {"bfloat16", LS_TYPE_BF16},
};

ls_ptx_type ls_emu_type_of(const char *word, size_t length) {
    for (size_t k = 0; k < sizeof other_names / sizeof *other_names; k++)
        if (strlen(other_names[k].name) == length && !memcmp(other_names[k].name, word, length))
            return other_names[k].type;
    for (int t = 1; t < LS_TYPE_COUNT; t++) {
        const char *text = ls_ptx_type_text((ls_ptx_type)t);
        uint32_t bits = ls_ptx_type_bits((ls_ptx_type)t);
        if (strlen(text) == length && !memcmp(text, word, length) && bits >= 8 && bits <= 64)
            return (ls_ptx_type)t;
    }
    return LS_TYPE_NONE;
}

/* --- Elements --- */
/* An element's bits: all types have at most these. */
enum { MOST_BYTES = 16 };
typedef struct {
    uint64_t low, high;
} element_bits;
_Static_assert(sizeof(element_bits) == MOST_BYTES, "elements have no padding");

static uint32_t bytes_of(ls_ptx_type type) {
    uint32_t bytes = ls_ptx_type_bits(type) / 8;
    return bytes < MOST_BYTES ? bytes : MOST_BYTES;
}

static void put_element(ls_ptx_type type, void *at, uint64_t bits) {
    element_bits e = {bits, 0};
    memcpy(at, &e, bytes_of(type));
}

/* Whether an integer is one of the type; its bits may also be given in hexadecimal. */
static bool fits(ls_ptx_type type, const char *text, uint64_t bits) {
    uint32_t width = ls_ptx_type_bits(type);
    if (em_is_float(type) || width >= 64) return true;
    if (*text == '-') return (int64_t)bits >= -(INT64_C(1) << (width - 1)) && (int64_t)bits < 0;
    bool half = em_is_signed(type) && strncmp(text, "0x", 2) && strncmp(text, "0X", 2);
    return bits < UINT64_C(1) << (half ? width - 1 : width);
}

static uint64_t bits_of_float(ls_ptx_type type, double v) {
    return type == LS_TYPE_F32 ? em_bits_f32((float)v) : em_double_to_small(type, v, LS_MOD_RN, false);
}

static bool parse_element(ls_ptx_type type, const char *text, char **end, void *out) {
    uint64_t bits;
    errno = 0;
    if (em_is_float(type)) {
        double d = strtod(text, end);
        bits = bits_of_float(type, d);
    } else if (*text == '-') {
        bits = (uint64_t)strtoll(text, end, 0);
    } else {
        bits = strtoull(text, end, 0);
        if (**end == '.' || **end == 'e') { /* a whole number written as a float is not one */
            return false;
        }
    }
    if (*end == text || errno == ERANGE || !fits(type, text, bits)) return false;
    put_element(type, out, bits);
    return true;
}

void ls_emu_element(ls_ptx_type type, const void *at, char *out, size_t size) {
    element_bits e = {0, 0};
    memcpy(&e, at, bytes_of(type));
    uint64_t bits = e.low;
    if (e.high)
        snprintf(out, size, "0x%" PRIx64 "%016" PRIx64, e.high, bits);
    else if (type == LS_TYPE_F64)
        snprintf(out, size, "%.17g", em_f64(bits));
    else if (em_is_float(type))
        snprintf(out, size, "%.9g", em_small_to_double(type, bits));
    else if (em_is_signed(type))
        snprintf(out, size, "%" PRId64, em_sign_extend(bits, ls_ptx_type_bits(type)));
    else
        snprintf(out, size, "%" PRIu64, bits);
}

static uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Floats in [0, 1), integers of up to 16 bits: sums stay exact. */
static void fill_random(ls_ptx_type type, char *at, uint64_t count, uint64_t seed) {
    uint32_t bytes = bytes_of(type);
    for (uint64_t k = 0; k < count; k++) {
        uint64_t r = random_bits(&seed), bits;
        if (em_is_float(type))
            bits = bits_of_float(type, (double)(r >> 11) * 0x1p-53);
        else
            bits = r & (bytes == 1 ? 0x7f : bytes == 2 ? 0x7fff : 0xffff);
        put_element(type, at + k * bytes, bits);
    }
}

static void fill_count(ls_ptx_type type, char *at, uint64_t count, double first, double step) {
    uint32_t bytes = bytes_of(type);
    for (uint64_t k = 0; k < count; k++) {
        double v = first + step * (double)k;
        uint64_t bits = em_is_float(type) ? bits_of_float(type, v) : (uint64_t)(int64_t)v;
        put_element(type, at + k * bytes, bits);
    }
}

/* --- Buffers --- */
static bool read_buffer_file(const maker *m, ls_emu_arg *arg, const char *file) {
    ls_buf text = {0};
    if (!ls_read_file(file, &text)) return fail(m, strerror(errno));
    const char *data = ls_buf_text(&text);
    size_t bytes = text.length;
    if (strlen(file) > 4 && !strcmp(file + strlen(file) - 4, ".npy")) {
        ls_npy npy;
        const char *wrong = ls_npy_parse(data, bytes, &npy);
        if (!wrong && ls_ptx_type_bits(npy.type) != ls_ptx_type_bits(arg->type))
            wrong = "its elements have another size";
        if (wrong) {
            ls_buf_free(&text);
            return fail(m, wrong);
        }
        data = npy.data, bytes = npy.bytes;
    }
    bool all = bytes == arg->bytes;
    if (all) memcpy((void *)(uintptr_t)arg->address, data, bytes);
    ls_buf_free(&text);
    return all ? true
               : fail(m, ls_arena_printf(m->arena, "the file has %zu bytes, the buffer %" PRIu64, bytes,
                                         arg->bytes));
}

static bool new_buffer(const maker *m, ls_emu_arg *arg, ls_ptx_type type, uint64_t count);

/* file:x.npy alone: the file says of which type and how long the buffer is. */
static bool buffer_of_file(const maker *m, ls_emu_arg *arg, const char *file) {
    ls_buf text = {0};
    if (!ls_read_file(file, &text)) return fail(m, strerror(errno));
    ls_npy npy;
    const char *wrong = ls_npy_parse(ls_buf_text(&text), text.length, &npy);
    if (wrong) wrong = "a file that is not .npy needs a type: f32[1024]=file:data.bin";
    bool good = !wrong && new_buffer(m, arg, npy.type, npy.bytes / (ls_ptx_type_bits(npy.type) / 8));
    if (good) memcpy((void *)(uintptr_t)arg->address, npy.data, arg->bytes);
    ls_buf_free(&text);
    return wrong ? fail(m, wrong) : good;
}

static bool fill_list(const maker *m, ls_emu_arg *arg, const char *list) {
    uint32_t bytes = ls_ptx_type_bits(arg->type) / 8;
    char *at = (char *)(uintptr_t)arg->address, *end;
    for (uint64_t k = 0;; k++) {
        char element[8];
        if (!parse_element(arg->type, list, &end, element))
            return fail(m,
                        "iota, zero, ones, uninit, random:SEED, file:NAME or a list of numbers was expected");
        if (k >= arg->count) return fail(m, "the list has more elements than the buffer");
        memcpy(at + k * bytes, element, bytes);
        if (!*end) return true;
        if (*end != ',') return fail(m, "a comma was expected between the numbers");
        list = end + 1;
    }
}

static bool fill_buffer(const maker *m, ls_emu_arg *arg, const char *how) {
    char *at = (char *)(uintptr_t)arg->address;
    if (!*how || !strcmp(how, "zero")) return true;
    if (!strcmp(how, "iota")) return fill_count(arg->type, at, arg->count, 0, 1), true;
    if (!strcmp(how, "ones")) return fill_count(arg->type, at, arg->count, 1, 0), true;
    if (!strncmp(how, "random", 6) && (!how[6] || how[6] == ':')) {
        char *end = NULL;
        uint64_t seed = how[6] ? strtoull(how + 7, &end, 0) : 1;
        if (end && (end == how + 7 || *end)) return fail(m, "random: must be followed by a number, the seed");
        fill_random(arg->type, at, arg->count, seed);
        return true;
    }
    if (!strcmp(how, "uninit")) {
        memset(at, 0xff, arg->bytes);
        em_find(m->emulator, arg->address)->undefined = true;
        return true;
    }
    if (!strncmp(how, "file:", 5)) return read_buffer_file(m, arg, how + 5);
    return fill_list(m, arg, how);
}

static bool new_buffer(const maker *m, ls_emu_arg *arg, ls_ptx_type type, uint64_t count) {
    uint32_t bytes = ls_ptx_type_bits(type) / 8;
    if (count > (UINT64_C(1) << 38) / bytes) return fail(m, "the buffer is too large");
    arg->is_buffer = true;
    arg->type = type;
    arg->count = count;
    arg->bytes = count * bytes;
    arg->address = arg->grows ? em_alloc_growing(m->emulator, arg->bytes, arg->name)
                              : ls_emulator_alloc(m->emulator, arg->bytes, arg->name);
    return arg->address ? true : fail(m, "there is not enough memory");
}

/* f32[1024]=…; the part before [ has been seen to be a type. */
static bool parse_buffer(const maker *m, ls_emu_arg *arg, ls_ptx_type type, const char *bracket) {
    char *end;
    unsigned long long count = strtoull(bracket + 1, &end, 0);
    if (end == bracket + 1 || *end != ']')
        return fail(m, "a number of elements was expected: f32[1024]=iota");
    if (end[1] && end[1] != '=') return fail(m, "'=' was expected after ]");
    if (!new_buffer(m, arg, type, count)) return false;
    return !end[1] || fill_buffer(m, arg, end + 2);
}

/* --- Scalars --- */
static bool parse_bytes(const maker *m, char *at, uint64_t size, const char *hex) {
    uint64_t n = 0;
    for (; hex[0]; hex += 2, n++) {
        unsigned byte;
        if (n >= size || !hex[1] || sscanf(hex, "%2x", &byte) != 1)
            return fail(m, "two hexadecimal digits for each byte of the parameter were expected");
        at[n] = (char)byte;
    }
    return true;
}

static bool parse_texture(const maker *m, ls_emu_arg *arg, char *at, uint64_t size, const char *spec) {
    ls_texture t;
    ls_ptx_type type;
    uint64_t count;
    const char *how = em_texture_spec(spec, &t, &type, &count);
    if (!how) return fail(m, "a texture was expected: tex2d:linear:f32[64,32]=iota");
    if (size != 8) return fail(m, "the parameter is not a handle: it does not have 8 bytes");
    if (!new_buffer(m, arg, type, count) || !fill_buffer(m, arg, how)) return false;
    t.data = (void *)(uintptr_t)arg->address;
    uint64_t handle = ls_emulator_texture(m->emulator, &t);
    memcpy(at, &handle, 8);
    return true;
}

static bool parse_tensor(const maker *m, ls_emu_arg *arg, char *at, uint64_t size, const char *spec) {
    uint64_t map[LS_TENSOR_WORDS], count;
    ls_ptx_type type;
    const char *how = em_tensor_spec(spec, map, &type, &count);
    if (!how)
        return fail(
            m,
            "a tensor was expected whose rows are multiples of 16 bytes: tensor:f16[128,64]box[64,8]=iota");
    if (size != sizeof map) return fail(m, "the parameter is not a tensor map: it does not have 128 bytes");
    if (!new_buffer(m, arg, type, count) || !fill_buffer(m, arg, how)) return false;
    map[0] = arg->address;
    memcpy(at, map, sizeof map);
    return true;
}

/* "q=7", where nothing is called q. */
static bool fail_spec(const maker *m, const char *spec) {
    size_t n = strcspn(spec, ":=[,");
    bool named = n && (spec[n] == '=' || spec[n] == ':') && (isalpha((unsigned char)*spec) || *spec == '_');
    if (!named) return fail(m, "a number was expected, or a buffer such as f32[1024]=iota");
    ls_buf names = {0};
    for (uint32_t k = 0; k < m->out->count; k++)
        ls_buf_printf(&names, "%s%s", k ? ", " : "", m->out->args[k].name);
    ls_diags_add(m->diags, LS_ERROR, NULL, 0, 0,
                 "argument '%s': '%.*s' is neither a type nor a parameter (%s)", m->spec, (int)n, spec,
                 ls_buf_text(&names));
    ls_buf_free(&names);
    return false;
}

static bool parse_spec(const maker *m, uint32_t index, const char *spec) {
    ls_emu_arg *arg = &m->out->args[index];
    const ls_ptx_variable *v = m->kernel->params[index];
    char *at = m->out->params + m->offsets[index], *end;
    uint64_t size = ls_ptx_variable_size(v);
    const char *stop = spec + strcspn(spec, "=[:");
    ls_ptx_type type = ls_emu_type_of(spec, (size_t)(stop - spec));
    if (!strncmp(spec, "local:", 6)) {
        unsigned long long bytes = strtoull(spec + 6, &end, 0);
        if (*end || bytes > (1u << 20)) return fail(m, "a number of bytes was expected: local:4096");
        arg->is_local = true;
        arg->bytes = bytes;
        return true;
    }
    if (!strncmp(spec, "tex", 3)) return parse_texture(m, arg, at, size, spec);
    if (!strncmp(spec, "tensor:", 7)) return parse_tensor(m, arg, at, size, spec);
    if (!strncmp(spec, "bytes=", 6)) return parse_bytes(m, at, size, spec + 6);
    bool file = !strncmp(spec, "file:", 5);
    if (file || (type && *stop == '[')) {
        if (!(file ? buffer_of_file(m, arg, spec + 5) : parse_buffer(m, arg, type, stop))) return false;
        memcpy(at, &arg->address, size < 8 ? size : 8);
        if (size == 8 || (size == 4 && m->pointer_bytes == 4)) return true;
        return fail(m, "the parameter is not a pointer: it does not have 8 bytes");
    }
    if (!type) type = (ls_ptx_type)v->type, stop = spec - 1;
    if (v->dimension_count && stop == spec - 1)
        return fail(m, "the parameter is an array of bytes: use bytes=…");
    char element[MOST_BYTES] = {0};
    if (!ls_ptx_type_bits(type) || !parse_element(type, stop + 1, &end, element) || *end)
        return stop < spec ? fail_spec(m, spec) : fail(m, "a number that the type can hold was expected");
    uint32_t bytes = ls_ptx_type_bits(type) / 8;
    if (bytes != size) return fail(m, "the parameter and the number's type have different sizes");
    memcpy(at, element, bytes);
    arg->type = type;
    return true;
}

/* --- Defaults --- */
/* A buffer whose size is a guess: it grows where the kernel goes beyond it. */
static bool made_buffer(const maker *m, ls_emu_arg *arg, ls_ptx_type type, uint32_t seed) {
    if (!type || ls_ptx_type_bits(type) < 8 || ls_ptx_type_bits(type) > 64) type = LS_TYPE_F32;
    if (type == LS_TYPE_B32) type = LS_TYPE_F32; /* clang writes .b32 for both */
    enum { MOST_MADE = 1 << 24 };                /* elements: there is more room behind them, of zeros */
    uint64_t count = 4 * m->threads < 4096 ? 4096 : m->threads > MOST_MADE / 4 ? MOST_MADE : 4 * m->threads;
    arg->grows = true;
    if (!new_buffer(m, arg, type, count)) return false;
    fill_random(type, (char *)(uintptr_t)arg->address, count, seed);
    arg->said = ls_arena_printf(m->arena, "%s[%" PRIu64 "]=random:%u", ls_ptx_type_text(type), count, seed);
    return true;
}

/* A struct: zero, but for the pointers in it. */
static bool make_struct(const maker *m, ls_emu_arg *arg, char *at, const em_guess *pointers, uint32_t count,
                        uint64_t size, uint32_t seed) {
    arg->said = ls_arena_printf(m->arena, "%" PRIu64 " bytes of zero", size);
    for (uint32_t k = 0; k < count; k++) {
        ls_emu_arg buffer = {.name = arg->name};
        if (!made_buffer(m, &buffer, pointers[k].type, seed)) return false;
        memcpy(at + pointers[k].offset, &buffer.address, m->pointer_bytes);
        arg->said = ls_arena_printf(m->arena, "%s%s at byte %u a pointer to %s", arg->said, k ? "," : ", but",
                                    pointers[k].offset, buffer.said);
    }
    return true;
}

static void say_number(ls_emu_arg *arg, const char *at, ls_arena *arena) {
    char text[64];
    ls_emu_element(arg->type, at, text, sizeof text);
    arg->said = ls_arena_printf(arena, "%s=%s", ls_ptx_type_text(arg->type), text);
}

/* Whether the number, of one to eight bytes, had to be changed. */
static bool hold_within(char *at, uint64_t bytes, const ls_parameter_range *r) {
    int64_t value = 0;
    memcpy(&value, at, bytes);
    if (value >= r->least && value <= r->most) return false;
    memcpy(at, &r->most, bytes);
    return true;
}

void ls_emu_args_within(ls_emu_args *args, const ls_ptx_function *kernel, const ls_parameter_range *ranges,
                        ls_arena *arena) {
    uint32_t *offsets = LS_NEW_N(arena, uint32_t, kernel->param_count + 1);
    ls_emu_param_offsets(kernel, offsets);
    for (uint32_t i = 0; ranges && i < args->count && i < kernel->param_count; i++) {
        ls_emu_arg *arg = &args->args[i];
        const ls_parameter_range *r = &ranges[i];
        const uint32_t bits = ls_ptx_type_bits(arg->type);
        char *at = args->params + offsets[i];
        if (!arg->made) continue;
        if (r->member_count && r->bytes == ls_ptx_variable_size(kernel->params[i]))
            for (uint32_t k = 0; k < r->member_count; k++)
                if (r->members[k].type)
                    hold_within(at + r->members[k].offset, r->members[k].bytes, &r->members[k]);
        if (!r->type || arg->is_buffer || arg->is_local || !bits || bits > 64) continue;
        if (hold_within(at, bits / 8, r)) say_number(arg, at, arena);
    }
}

static bool make_default(const maker *m, const ls_ir_function *ir, uint32_t index) {
    enum { MOST_POINTERS = 32 };
    ls_emu_arg *arg = &m->out->args[index];
    const ls_ptx_variable *v = m->kernel->params[index];
    char *at = m->out->params + m->offsets[index];
    uint64_t size = ls_ptx_variable_size(v);
    em_guess pointers[MOST_POINTERS];
    uint32_t count = em_guess_pointers(ir, m->kernel, index, pointers, MOST_POINTERS);
    arg->made = true;
    if (v->is_pointer && v->pointer_space == LS_SPACE_SHARED) {
        arg->is_local = true;
        arg->bytes = 16 * (uint64_t)m->block[0] * m->block[1] * m->block[2];
        arg->said = ls_arena_printf(m->arena, "%" PRIu64 " bytes of local memory", arg->bytes);
        return true;
    }
    const char *texture =
        size == 8 ? em_guess_texture(ir, index, m->grid, m->block, index + 1, m->arena) : NULL;
    if (texture && parse_texture(m, arg, at, size, texture)) {
        arg->said = texture;
        return true;
    }
    ls_ptx_type type = (ls_ptx_type)v->type;
    if (v->dimension_count || !ls_ptx_type_bits(type))
        return make_struct(m, arg, at, pointers, count, size, index + 1);
    if (count) {
        if (!made_buffer(m, arg, pointers[0].type, index + 1)) return false;
        memcpy(at, &arg->address, size < 8 ? size : 8);
        return true;
    }
    arg->type = type;
    uint64_t number = em_is_float(type) ? 1 : em_guess_number(ir, index, m->grid, m->block);
    fill_count(type, at, 1, (double)number, 0);
    say_number(arg, at, m->arena);
    return true;
}

/* What a block may have: kernels for Hopper and later mostly ask for more than there is without asking. */
static uint32_t most_shared(const ls_ptx_module *module) {
    enum { USUAL = 48 << 10, ASKED = 227 << 10, HOPPER = 90 };
    unsigned version = 0, number;
    for (uint32_t k = 0; k < module->target_count; k++)
        if (sscanf(module->targets[k], "sm_%u", &number) == 1) version = number;
    return version >= HOPPER ? ASKED : USUAL;
}

/* Dynamic shared memory of which nobody said how much. */
static void make_shared(const maker *m) {
    const uint32_t most = most_shared(m->emulator->module);
    const ls_emulator *e = m->emulator;
    m->out->shared_bytes = 0;
    for (uint32_t k = 0; k < e->shared.length && e->shared_static < most; k++)
        if (e->shared.items[k].offset == e->shared_static) m->out->shared_bytes = most - e->shared_static;
    if (m->out->shared_bytes)
        m->out->shared_said =
            ls_arena_printf(m->arena, "%u bytes of dynamic shared memory", m->out->shared_bytes);
}

const char *ls_emu_arg_made(const ls_emulator *e, const ls_emu_arg *arg, ls_arena *arena) {
    const allocation *a = arg->grows ? em_find((ls_emulator *)(uintptr_t)e, arg->address) : NULL;
    if (!a || a->hi - a->lo <= arg->bytes) return arg->said;
    uint64_t count = (a->hi - a->lo) / (ls_ptx_type_bits(arg->type) / 8);
    return ls_arena_printf(arena,
                           "%s, with zeros behind it up to %" PRIu64 " elements, as the kernel went beyond",
                           arg->said, count);
}

/* --- All of them --- */
static bool is_called(const ls_emu_arg *arg, const char *name, size_t length) {
    const char *const names[] = {arg->name, arg->ptx_name};
    for (int n = 0; n < 2; n++)
        if (!strncmp(names[n], name, length) && !names[n][length]) return true;
    return false;
}

ls_emu_arg *ls_emu_args_find(const ls_emu_args *args, const char *name, size_t length) {
    char *end;
    unsigned long number = strtoul(name, &end, 10);
    if (end == name + length && length && number < args->count) return &args->args[number];
    for (uint32_t k = 0; k < args->count; k++)
        if (is_called(&args->args[k], name, length)) return &args->args[k];
    return NULL;
}

/* Which parameter a spec is for; its own text behind "NAME:" or "NAME=". A type's name stays a type's. There
 * may be very many, mostly one behind the other, or with a word before the ':' or '=' that is no name: the
 * spec with the last such word is `other`. */
static const char *split_name(const maker *m, const char *spec, uint32_t behind, const char **other,
                              uint32_t *index) {
    size_t n = strcspn(spec, ":=[,");
    if (spec[n] != ':' && (spec[n] != '=' || ls_emu_type_of(spec, n))) return spec;
    if (*other && !strncmp(*other, spec, n + 1)) return spec;
    ls_emu_arg *arg = behind < m->out->count && is_called(&m->out->args[behind], spec, n)
                          ? &m->out->args[behind]
                          : ls_emu_args_find(m->out, spec, n);
    if (!arg) return *other = spec;
    *index = (uint32_t)(arg - m->out->args);
    return spec + n + 1;
}

static bool take_specs(maker *m, const char *const *specs, uint32_t count) {
    uint32_t next = 0, behind = 0;
    const char *other = NULL;
    for (uint32_t k = 0; k < count; k++) {
        m->spec = specs[k];
        uint32_t index = UINT32_MAX;
        const char *text = split_name(m, specs[k], behind, &other, &index);
        while (next < m->out->count && m->given[next]) next++;
        if (index == UINT32_MAX) index = next;
        behind = index + 1;
        if (index >= m->out->count) {
            ls_diags_add(m->diags, LS_ERROR, NULL, 0, 0, "argument '%s': '%s' has %u parameters", specs[k],
                         m->kernel->symbol->name, m->out->count);
            return false;
        }
        m->given[index] = true;
        if (!parse_spec(m, index, text)) return false;
    }
    return true;
}

/* OpenCL's local pointers point into dynamic shared memory, one behind the other. */
static bool place_local(const maker *m) {
    if (!em_place_shared(m->emulator, m->kernel, 128)) return true; /* the launch will be refused */
    if (m->out->shared_bytes == LS_EMU_SHARED_UNKNOWN) make_shared(m);
    uint64_t at = m->out->shared_bytes;
    for (uint32_t k = 0; k < m->out->count; k++) {
        ls_emu_arg *arg = &m->out->args[k];
        if (!arg->is_local) continue;
        at = (at + 15) / 16 * 16;
        uint64_t address = m->emulator->shared_static + at;
        memcpy(m->out->params + m->offsets[k], &address, 8);
        at += arg->bytes;
    }
    if (at > UINT32_MAX - 1) return fail(m, "a block cannot have that much shared memory");
    m->out->shared_bytes = (uint32_t)at;
    return true;
}

bool ls_emu_args_make(ls_emulator *emulator, const ls_ptx_function *kernel, const uint32_t grid[3],
                      const uint32_t block[3], uint32_t shared_bytes, const char *const *specs,
                      uint32_t spec_count, const char *const *names, ls_arena *arena, ls_emu_args *out,
                      ls_diags *diags) {
    maker m = {.emulator = emulator, .kernel = kernel, .arena = arena, .out = out, .diags = diags};
    char text[128];
    const char *wrong = ls_launch_limits(grid, block, text, sizeof text);
    if (wrong) {
        ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "the launch of '%s': %s", kernel->symbol->name, wrong);
        return false;
    }
    emulator->made_arguments = false;
    m.grid = grid;
    m.pointer_bytes = emulator->module->address_size == 64 ? 8 : 4;
    m.block = block;
    m.threads = 1;
    for (int k = 0; k < 3; k++) m.threads *= (uint64_t)(grid[k] ? grid[k] : 1) * (block[k] ? block[k] : 1);
    *out = (ls_emu_args){.count = kernel->param_count, .shared_bytes = shared_bytes};
    out->args = LS_NEW_N(arena, ls_emu_arg, out->count + 1);
    m.offsets = LS_NEW_N(arena, uint32_t, out->count + 1);
    m.given = LS_NEW_N(arena, bool, out->count + 1);
    out->params_size = ls_emu_param_offsets(kernel, m.offsets);
    out->params = LS_NEW_N(arena, char, out->params_size + 16);
    for (uint32_t k = 0; k < out->count; k++) {
        out->args[k].ptx_name = kernel->params[k]->symbol->name;
        out->args[k].name = names && names[k] ? names[k] : out->args[k].ptx_name;
    }
    if (!take_specs(&m, specs, spec_count)) return false;
    ls_ir_options options = {.quiet = true};
    ls_ir_function *ir = NULL;
    bool good = true;
    for (uint32_t k = 0; k < out->count && good; k++) {
        if (m.given[k]) continue;
        if (!ir) ir = ls_ir_build(emulator->module, kernel, &options, diags);
        if (!ir) return false;
        m.spec = out->args[k].name;
        emulator->made_arguments = true;
        good = make_default(&m, ir, k);
    }
    if (ir) ls_ir_free(ir);
    return good && place_local(&m);
}

/* --- With memory of their own --- */
typedef struct {
    ls_emu_args args; /* first: what callers have is this */
    ls_arena arena;
} owned_args;

typedef struct {
    ls_emulator *emulator;
    const ls_ptx_function *kernel;
    const uint32_t *grid, *block;
    uint32_t shared_bytes;
    const char *const *specs;
    uint32_t spec_count;
    const char *const *names;
    ls_diags *diags;
    owned_args *all;
    bool good;
} making_args;

static void make_args(void *context) {
    making_args *m = context;
    m->good = ls_emu_args_make(m->emulator, m->kernel, m->grid, m->block, m->shared_bytes, m->specs,
                               m->spec_count, m->names, &m->all->arena, &m->all->args, m->diags);
}

ls_emu_args *ls_launch_args(ls_emulator *emulator, const ls_ptx_function *kernel, const uint32_t grid[3],
                            const uint32_t block[3], uint32_t shared_bytes, const char *const *specs,
                            uint32_t spec_count, const char *const *names, ls_diags *diags) {
    making_args m = {emulator, kernel,     grid,  block, shared_bytes,
                     specs,    spec_count, names, diags, calloc(1, sizeof(owned_args)),
                     false};
    if (!m.all || !ls_try(make_args, &m)) {
        m.good = false;
        ls_diags_no_memory(diags);
    }
    if (m.good) return &m.all->args;
    if (m.all) ls_launch_args_free(&m.all->args);
    return NULL;
}

void ls_launch_args_free(ls_emu_args *args) {
    if (!args) return;
    owned_args *all = (owned_args *)args;
    ls_arena_free(&all->arena);
    free(all);
}
