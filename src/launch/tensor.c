/* Tensor maps as kernel arguments:
 *     tensor:f16[128,64]box[64,8]=iota         64 rows of 128 halves, copied in boxes of 8 rows of 64
 *     tensor:swizzle128:nan:f32[64,64,4]box[32,8,1]=random:1
 * options (swizzle32, swizzle64, swizzle128; nan: what is outside reads as NaN), the element, up to five
 * sizes of the tensor and of the box, dimension 0 first, and what a buffer of that many elements would be
 * filled with. */
#include "launch/tensor.h"
#include "launch/args.h"

#include <stdlib.h>

static bool set_option(ls_tensor_map *map, const char *word, size_t n) {
    static const struct {
        const char *name;
        uint8_t swizzle;
        bool nan;
    } options[] = {
        {"swizzle32", 1, false}, {"swizzle64", 2, false}, {"swizzle128", 3, false}, {"nan", 0, true}};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        if (strlen(options[k].name) != n || memcmp(options[k].name, word, n)) continue;
        map->swizzle |= options[k].swizzle;
        map->nan |= options[k].nan;
        return true;
    }
    return false;
}

/* "64,32]"; returns how many, 0 where it is something else. */
static uint32_t read_sizes(const char **at, uint64_t most, uint64_t *sizes) {
    for (uint32_t k = 0; k < LS_TENSOR_RANK; k++) {
        char *end;
        sizes[k] = strtoull(*at, &end, 0);
        if (end == *at || !sizes[k] || sizes[k] > most || (*end != ',' && *end != ']')) return 0;
        *at = end + 1;
        if (*end == ']') return k + 1;
    }
    return 0;
}

/* Rows lie close together: strides follow from the sizes. */
static bool set_strides(ls_tensor_map *t, uint64_t *count) {
    *count = 1;
    t->stride[0] = ls_ptx_type_bits(t->type) / 8;
    if (t->size[0] * t->stride[0] % LS_TENSOR_PIECE) return false;
    for (uint32_t k = 0; k < t->rank; k++) {
        if (k) t->stride[k] = *count * t->stride[0];
        t->step[k] = 1;
        *count *= t->size[k];
        if (*count > UINT64_C(1) << 38) return false;
    }
    return true;
}

const char *em_tensor_spec(const char *spec, uint64_t map[LS_TENSOR_WORDS], ls_ptx_type *type,
                           uint64_t *count) {
    ls_tensor_map t = {0};
    uint64_t box[LS_TENSOR_RANK] = {0};
    const char *at = spec + strcspn(spec, ":");
    size_t n;
    if (!*at++) return NULL;
    while (n = strcspn(at, ":["), at[n] == ':') {
        if (!set_option(&t, at, n)) return NULL;
        at += n + 1;
    }
    t.type = *type = ls_emu_type_of(at, n);
    if (at[n] != '[') return NULL;
    at += n + 1;
    t.rank = read_sizes(&at, UINT32_MAX, t.size);
    if (!t.rank || strncmp(at, "box[", 4)) return NULL;
    at += 4;
    if (read_sizes(&at, 256, box) != t.rank || !set_strides(&t, count)) return NULL;
    for (uint32_t k = 0; k < t.rank; k++) t.box[k] = (uint32_t)box[k];
    if (ls_tensor_map_write(&t, map) || (*at && *at != '=')) return NULL;
    return *at ? at + 1 : at;
}
