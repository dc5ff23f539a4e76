/* Copies by tensor map: what decoding and execution share. */
#ifndef LS_EMULATE_ASYNC_TENSOR_H
#define LS_EMULATE_ASYNC_TENSOR_H

#include "emulate/code.h"
#include "isa/tensor_map.h"

typedef struct {
    operand word[LS_TENSOR_WORDS]; /* the map, as it is when the copy is started */
    operand coordinate[LS_TENSOR_RANK];
    uint32_t rank;
    bool store;                           /* from shared to global memory */
    mem_access *shared, *global, *object; /* object: the mbarrier, or NULL */
    operand blocks;                       /* multicast: whom it is for; width NO_WIDTH: the own block */
    uint8_t op;                           /* a reduction: atomic_op; else ATOMIC_NONE */
    mem_access *map;                      /* the first half of the map */
} tensor_info;

/* tensormap.replace, between loads and stores of the map. */
typedef struct {
    operand word[LS_TENSOR_WORDS];
    uint16_t field; /* ls_ptx_modifier */
    operand dimension, value;
    mem_access *map;
} replace_info;

const insn *em_exec_tensor(warp *w, const insn *i);
const insn *em_exec_tensor_replace(warp *w, const insn *i);
/* tensormap.cp_fenceproxy, in front of the copy and behind it (d: a slot for the lanes; extra: the access to
 * the new map); a fence for the map at extra, or for all that the thread has changed. */
const insn *em_exec_tensor_one(warp *w, const insn *i);
const insn *em_exec_tensor_copied(warp *w, const insn *i);
const insn *em_exec_tensor_fence(warp *w, const insn *i);

#endif
