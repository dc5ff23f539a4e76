/* Copies by tensor map: what decoding and execution share. */
#ifndef LS_EMULATE_ASYNC_TENSOR_H
#define LS_EMULATE_ASYNC_TENSOR_H

#include "emulate/async/tensor_map.h"
#include "emulate/code.h"

typedef struct {
    operand word[TENSOR_WORDS]; /* the map, as it is when the copy is started */
    operand coordinate[TENSOR_RANK];
    uint32_t rank;
    bool store;                           /* from shared to global memory */
    mem_access *shared, *global, *object; /* object: the mbarrier, or NULL */
    operand blocks;                       /* multicast: whom it is for; width NO_WIDTH: the own block */
    uint8_t op;                           /* a reduction: atomic_op; else ATOMIC_NONE */
} tensor_info;

const insn *em_exec_tensor(warp *w, const insn *i);

#endif
