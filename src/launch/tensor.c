/* Tensor maps as kernel arguments:
 *     tensor:f16[128,64]box[64,8]=iota         64 rows of 128 halves, copied in boxes of 8 rows of 64
 *     tensor:swizzle128:nan:f32[64,64,4]box[32,8,1]=random:1
 * options (swizzle32, swizzle64, swizzle128; nan: what is outside reads as NaN), the element, up to five
 * sizes of the tensor and of the box, dimension 0 first, and what a buffer of that many elements would be
 * filled with. The layout of a map is in tensor.c. */
#include "launch/tensor.h"
#include "launch/args.h"

#include <stdlib.h>

static bool set_option(uint64_t *map, const char *word, size_t n) {
    static const struct {
        const char *name;
        uint32_t bits;
    } options[] = {{"swizzle32", 1 << 13}, {"swizzle64", 2 << 13}, {"swizzle128", 3 << 13}, {"nan", 1 << 15}};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        if (strlen(options[k].name) != n || memcmp(options[k].name, word, n)) continue;
        map[1] |= options[k].bits;
        return true;
    }
    return false;
}

static bool set_type(uint64_t *map, ls_ptx_type type) {
    static const uint8_t types[][2] = {{LS_TYPE_U8, 0},  {LS_TYPE_S8, 0},  {LS_TYPE_U16, 1},
                                       {LS_TYPE_S16, 1}, {LS_TYPE_U32, 2}, {LS_TYPE_S32, 3},
                                       {LS_TYPE_U64, 4}, {LS_TYPE_S64, 5}, {LS_TYPE_F16, 6},
                                       {LS_TYPE_F32, 7}, {LS_TYPE_F64, 9}, {LS_TYPE_BF16, 10}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        if (types[k][0] != type) continue;
        map[1] |= (uint64_t)types[k][1] << 7;
        return true;
    }
    return false;
}

/* "64,32]"; returns how many, 0 where it is something else. */
static uint32_t read_sizes(const char **at, uint64_t most, uint64_t *sizes) {
    for (uint32_t k = 0; k < TENSOR_RANK; k++) {
        char *end;
        sizes[k] = strtoull(*at, &end, 0);
        if (end == *at || !sizes[k] || sizes[k] > most || (*end != ',' && *end != ']')) return 0;
        *at = end + 1;
        if (*end == ']') return k + 1;
    }
    return 0;
}

/* Sizes, strides (rows of multiples of 16 bytes) and box. */
static bool set_sizes(uint64_t *map, ls_ptx_type type, uint32_t rank, const uint64_t *size,
                      const uint64_t *box, uint64_t *count) {
    static const uint8_t stride_word[TENSOR_RANK] = {0, 1, 2, 2, 3};
    uint64_t bytes = ls_ptx_type_bits(type) / 8, span = UINT64_C(16) << (map[1] >> 13 & 3);
    if (size[0] * bytes % 16 || box[0] * bytes % 16 || (span > 16 && box[0] * bytes > span)) return false;
    map[1] |= (rank - 1) << 4;
    *count = 1;
    for (uint32_t k = 0; k < rank; k++) {
        uint64_t stride = *count * bytes / 16;
        map[4 + k / 2] |= (size[k] - 1) << (k % 2 * 32);
        map[k ? 7 : 6] |= (box[k] - 1) << (k ? 8 * (k - 1) : 56);
        if (k) map[stride_word[k]] |= (stride & UINT32_MAX) << (k % 2 * 32);
        if (k) map[3] |= (stride >> 32) << (32 + 4 * (k - 1));
        *count *= size[k];
        if (*count > UINT64_C(1) << 38) return false;
    }
    return true;
}

const char *em_tensor_spec(const char *spec, uint64_t map[TENSOR_WORDS], ls_ptx_type *type, uint64_t *count) {
    uint64_t size[TENSOR_RANK], box[TENSOR_RANK];
    const char *at = spec + strcspn(spec, ":");
    size_t n;
    memset(map, 0, TENSOR_WORDS * sizeof *map);
    if (!*at++) return NULL;
    while (n = strcspn(at, ":["), at[n] == ':') {
        if (!set_option(map, at, n)) return NULL;
        at += n + 1;
    }
    *type = ls_emu_type_of(at, n);
    if (at[n] != '[' || !set_type(map, *type)) return NULL;
    at += n + 1;
    uint32_t rank = read_sizes(&at, UINT32_MAX, size);
    if (!rank || strncmp(at, "box[", 4)) return NULL;
    at += 4;
    if (read_sizes(&at, 256, box) != rank || !set_sizes(map, *type, rank, size, box, count)) return NULL;
    if (*at && *at != '=') return NULL;
    return *at ? at + 1 : at;
}
