/* Tensor maps, the 128 bytes that describe a tensor to the copy engine. Their layout is not documented. Here
 * it is as cuTensorMapEncodeTiled writes it, read from the maps of some three hundred tensors. Words of 64
 * bits, lengths less one, strides in units of 16 bytes:
 *
 *   0      the address;
 *   1      bit 0: im2col, 4–6: rank, 7–10: type, 11–12: interleave, 13–14: swizzle, 15: NaNs outside,
 *          16: tf32, 17–18: L2 promotion, 32–63: stride 1;
 *   2, 3   strides 2, 3, 4 (32 bits each), then the upper 4 bits of all strides;
 *   4–6    sizes of the tensor (32 bits each), then the steps along each dimension (3 bits each);
 *   6, 7   bits 56–63: the box along dimension 0, then 8 bits for each other dimension;
 *   8, 9   sizes that follow from these in a way that is not known: no copy needs them, and they are 0 here.
 */
#ifndef LS_ISA_TENSOR_MAP_H
#define LS_ISA_TENSOR_MAP_H

#include "lockstep/ptx.h"

enum { LS_TENSOR_RANK = 5, LS_TENSOR_WORDS = 16, LS_TENSOR_PIECE = 16 };

typedef struct {
    uint64_t base, size[LS_TENSOR_RANK], stride[LS_TENSOR_RANK]; /* stride 0: bytes of an element */
    uint32_t box[LS_TENSOR_RANK], step[LS_TENSOR_RANK]; /* box: as it is given, not what is copied of it */
    uint32_t rank, swizzle, interleave, promotion;      /* by CUDA's numbers; swizzle 0: none */
    ls_ptx_type type;
    bool nan, tf32, im2col;
} ls_tensor_map;

ls_tensor_map ls_tensor_map_read(const uint64_t *word);
/* Sets one field, which the modifier of tensormap.replace names, by that instruction's numbers: `n` is the
 * dimension where there is one for each. What is wrong with it, or not modelled, or NULL. */
const char *ls_tensor_map_set(uint64_t word[LS_TENSOR_WORDS], ls_ptx_modifier field, uint32_t n,
                              uint64_t value);
/* What CUDA does not allow, or NULL with the map written. */
const char *ls_tensor_map_write(const ls_tensor_map *t, uint64_t word[LS_TENSOR_WORDS]);

#endif
