/* Tensor maps: what describes a tensor to the copies of Hopper and later. */
#include "cuda/driver.h"
#include "isa/tensor_map.h"

#include <string.h>

/* By CUtensorMapDataType; NONE: not modelled. */
static const uint8_t types[] = {LS_TYPE_U8,  LS_TYPE_U16,  LS_TYPE_U32,  LS_TYPE_S32,
                                LS_TYPE_U64, LS_TYPE_S64,  LS_TYPE_F16,  LS_TYPE_F32,
                                LS_TYPE_F64, LS_TYPE_BF16, LS_TYPE_NONE, LS_TYPE_F32};
enum { TFLOAT32 = 11 };

API(cuTensorMapEncodeTiled, void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle,
    int promotion, int fill) {
    if (!map || (uintptr_t)map % 64 || !sizes || !box || !steps || !rank || rank > LS_TENSOR_RANK ||
        type < 0 || (rank > 1 && !strides) || interleave < 0 || swizzle < 0 || promotion < 0 ||
        (fill != 0 && fill != 1))
        return CU_INVALID_VALUE;
    if ((size_t)type >= sizeof types || !types[type] || swizzle > 3 || interleave) {
        ls_dev_missing(cu_dev(), "cuTensorMapEncodeTiled for this type, interleave or swizzle");
        return CU_NOT_SUPPORTED;
    }
    ls_tensor_map t = {.base = (uint64_t)(uintptr_t)address,
                       .rank = rank,
                       .type = (ls_ptx_type)types[type],
                       .interleave = (uint32_t)interleave,
                       .swizzle = (uint32_t)swizzle,
                       .promotion = (uint32_t)promotion,
                       .nan = fill,
                       .tf32 = type == TFLOAT32};
    t.stride[0] = ls_ptx_type_bits(t.type) / 8;
    for (uint32_t k = 0; k < rank; k++) {
        t.size[k] = sizes[k];
        t.box[k] = box[k];
        t.step[k] = steps[k];
        if (k) t.stride[k] = strides[k - 1];
    }
    const ls_ptx_type_kind kind = ls_ptx_type_kind_of(t.type);
    uint64_t words[LS_TENSOR_WORDS];
    if ((t.nan && kind != LS_KIND_FLOAT) || ls_tensor_map_write(&t, words)) return CU_INVALID_VALUE;
    memcpy(map, words, sizeof words);
    return CU_OK;
}

API(cuTensorMapReplaceAddress, void *map, void *address) {
    if (!map || (uintptr_t)map % 64 || (uintptr_t)address % LS_TENSOR_PIECE) return CU_INVALID_VALUE;
    memcpy(map, &address, sizeof address);
    return CU_OK;
}
