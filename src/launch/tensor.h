/* Tensor maps as kernel arguments in text form. */
#ifndef LS_LAUNCH_TENSOR_H
#define LS_LAUNCH_TENSOR_H

#include "isa/tensor_map.h"

/* What "tensor:f16[128,64]box[64,8]=iota" says: the map without its address, the elements of the buffer that
 * holds the tensor, and how that is filled (the text behind =, or an empty one). NULL where it is not of that
 * form. */
const char *em_tensor_spec(const char *spec, uint64_t map[LS_TENSOR_WORDS], ls_ptx_type *type,
                           uint64_t *count);

#endif
