/* Reading and writing tensor maps (tensor_map.h). */
#include "isa/tensor_map.h"
#include "isa/number.h"

#include <string.h>

static const uint8_t types[] = {LS_TYPE_U8,  LS_TYPE_U16, LS_TYPE_U32,  LS_TYPE_S32, LS_TYPE_U64, LS_TYPE_S64,
                                LS_TYPE_F16, LS_TYPE_F32, LS_TYPE_NONE, LS_TYPE_F64, LS_TYPE_BF16};

/* Where the low 32 bits of a stride stand: the word; dimensions of odd numbers have its upper half. */
static const uint8_t stride_word[LS_TENSOR_RANK] = {0, 1, 2, 2, 3};

static uint64_t field(const uint64_t *word, uint32_t n, uint32_t shift, uint32_t bits) {
    return em_low_bits(word[n] >> shift, bits);
}

static ls_ptx_type type_of(uint64_t number) {
    return number < sizeof types ? (ls_ptx_type)types[number] : LS_TYPE_NONE;
}

/* A tensor's elements have no sign but where there is a type for it. */
static bool number_of(ls_ptx_type type, uint64_t *number) {
    if (type == LS_TYPE_S8) type = LS_TYPE_U8;
    if (type == LS_TYPE_S16) type = LS_TYPE_U16;
    for (*number = 0; *number < sizeof types; ++*number)
        if (types[*number] == type && type != LS_TYPE_NONE) return true;
    return false;
}

ls_tensor_map ls_tensor_map_read(const uint64_t *word) {
    ls_tensor_map t = {.base = word[0],
                       .im2col = field(word, 1, 0, 1),
                       .rank = (uint32_t)field(word, 1, 4, 3) + 1,
                       .type = type_of(field(word, 1, 7, 4)),
                       .interleave = (uint32_t)field(word, 1, 11, 2),
                       .swizzle = (uint32_t)field(word, 1, 13, 2),
                       .nan = field(word, 1, 15, 1),
                       .tf32 = field(word, 1, 16, 1),
                       .promotion = (uint32_t)field(word, 1, 17, 2)};
    t.stride[0] = ls_ptx_type_bits(t.type) / 8;
    for (uint32_t k = 0; k < LS_TENSOR_RANK; k++) {
        t.size[k] = field(word, 4 + k / 2, k % 2 * 32, 32) + 1;
        t.step[k] = (uint32_t)field(word, 6, 32 + 3 * k, 3) + 1;
        t.box[k] = (uint32_t)(k ? field(word, 7, 8 * (k - 1), 8) : word[6] >> 56) + 1;
        if (k)
            t.stride[k] =
                (field(word, stride_word[k], k % 2 * 32, 32) | field(word, 3, 32 + 4 * (k - 1), 4) << 32) *
                LS_TENSOR_PIECE;
    }
    return t;
}

static const char *wrong_sizes(const ls_tensor_map *t) {
    const uint64_t row = t->box[0] * t->stride[0];
    for (uint32_t k = 0; k < t->rank; k++) {
        if (!t->size[k] || t->size[k] > UINT64_C(1) << 32) return "a size of the tensor is 0 or over 2^32";
        if (!t->box[k] || t->box[k] > 256) return "a size of the box is 0 or over 256";
        if (!t->step[k] || t->step[k] > 8) return "a step is 0 or over 8";
        if (k && (t->stride[k] % LS_TENSOR_PIECE || t->stride[k] >= UINT64_C(1) << 40))
            return "a stride is not a multiple of 16 bytes, or too long";
    }
    if (!t->interleave && row % LS_TENSOR_PIECE) return "a row of the box is not a multiple of 16 bytes";
    if (!t->interleave && t->swizzle && row > (uint64_t)LS_TENSOR_PIECE << t->swizzle)
        return "a row of the box is longer than the swizzle's span";
    return NULL;
}

const char *ls_tensor_map_write(const ls_tensor_map *t, uint64_t word[LS_TENSOR_WORDS]) {
    uint64_t type = 0;
    memset(word, 0, LS_TENSOR_WORDS * sizeof *word);
    if (!t->rank || t->rank > LS_TENSOR_RANK) return "the tensor has no dimension, or more than five";
    if (t->interleave > 2 || t->swizzle > 3 || t->promotion > 3) return "an option has no such value";
    if (t->base % (t->interleave == 2 ? 32 : LS_TENSOR_PIECE)) return "the tensor's address is not aligned";
    if (!number_of(t->type, &type)) return "the elements' type is not modelled";
    const char *wrong = wrong_sizes(t);
    if (wrong) return wrong;
    word[0] = t->base;
    word[1] = (uint64_t)t->im2col | (uint64_t)(t->rank - 1) << 4 | type << 7 | (uint64_t)t->interleave << 11 |
              (uint64_t)t->swizzle << 13 | (uint64_t)t->nan << 15 | (uint64_t)t->tf32 << 16 |
              (uint64_t)t->promotion << 17;
    for (uint32_t k = 0; k < t->rank; k++) {
        const uint64_t stride = t->stride[k] / LS_TENSOR_PIECE;
        word[4 + k / 2] |= (t->size[k] - 1) << (k % 2 * 32);
        word[6] |= (uint64_t)(t->step[k] - 1) << (32 + 3 * k);
        word[k ? 7 : 6] |= (uint64_t)(t->box[k] - 1) << (k ? 8 * (k - 1) : 56);
        if (k) word[stride_word[k]] |= (stride & UINT32_MAX) << (k % 2 * 32);
        if (k) word[3] |= (stride >> 32) << (32 + 4 * (k - 1));
    }
    return NULL;
}

/* --- Single fields --- */
static void put(uint64_t *word, uint32_t n, uint32_t shift, uint32_t bits, uint64_t value) {
    const uint64_t ones = ((UINT64_C(1) << bits) - 1) << shift;
    word[n] = (word[n] & ~ones) | (value << shift & ones);
}

/* Fields of the first word of options: where they stand, and the numbers that are modelled. */
static const struct {
    uint16_t field;
    uint8_t shift, bits, most;
} options[] = {{LS_MOD_RANK, 4, 3, LS_TENSOR_RANK - 1},
               {LS_MOD_ELEMTYPE, 7, 4, sizeof types - 1},
               {LS_MOD_INTERLEAVE_LAYOUT, 11, 2, 2},
               {LS_MOD_SWIZZLE_MODE, 13, 2, 3},
               {LS_MOD_FILL_MODE, 15, 1, 1},
               {LS_MOD_SWIZZLE_ATOMICITY, 0, 0, 0}};

static const char *set_option(uint64_t *word, ls_ptx_modifier field, uint64_t value) {
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        if (options[k].field != field) continue;
        if (value > options[k].most)
            return "tensormap.replace with this number for the field is not modelled";
        if (options[k].bits) put(word, 1, options[k].shift, options[k].bits, value);
        return NULL;
    }
    return "tensormap.replace of this field is not modelled";
}

/* Strides begin with that of dimension 1. */
static const char *set_stride(uint64_t *word, uint32_t n, uint64_t value) {
    if (n + 1 >= LS_TENSOR_RANK) return "tensormap.replace of a stride that the tensor does not have";
    if (value % LS_TENSOR_PIECE || value >= UINT64_C(1) << 40)
        return "tensormap.replace with a stride that is not a multiple of 16 bytes, or too long";
    const uint32_t k = n + 1;
    put(word, stride_word[k], k % 2 * 32, 32, value / LS_TENSOR_PIECE);
    put(word, 3, 32 + 4 * n, 4, value / LS_TENSOR_PIECE >> 32);
    return NULL;
}

const char *ls_tensor_map_set(uint64_t word[LS_TENSOR_WORDS], ls_ptx_modifier field, uint32_t n,
                              uint64_t value) {
    static const char dimension[] = "tensormap.replace of a dimension that the tensor does not have";
    switch (field) {
    case LS_MOD_GLOBAL_ADDRESS: word[0] = value; return NULL;
    case LS_MOD_GLOBAL_STRIDE: return set_stride(word, n, value);
    case LS_MOD_GLOBAL_DIM:
        if (n >= LS_TENSOR_RANK) return dimension;
        put(word, 4 + n / 2, n % 2 * 32, 32, (uint32_t)value - 1);
        return NULL;
    case LS_MOD_ELEMENT_STRIDE:
        if (n >= LS_TENSOR_RANK) return dimension;
        if (!value || value > 8) return "tensormap.replace with a step of 0 or over 8";
        put(word, 6, 32 + 3 * n, 3, value - 1);
        return NULL;
    case LS_MOD_BOX_DIM:
        if (n >= LS_TENSOR_RANK) return dimension;
        if (!value || value > 256) return "tensormap.replace with a box of 0 or over 256";
        put(word, n ? 7 : 6, n ? 8 * (n - 1) : 56, 8, value - 1);
        return NULL;
    default: return set_option(word, field, value);
    }
}
