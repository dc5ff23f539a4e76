/* Places in tensor memory: what its operations share. */
#ifndef LS_EMULATE_MATRIX_TCGEN05_SPACE_H
#define LS_EMULATE_MATRIX_TCGEN05_SPACE_H

#include "emulate/check/agent.h"
#include "emulate/matrix/tcgen05.h"

typedef struct {
    uint32_t row, rows, column, columns;
} tensor_box;

/* Where it stands behind the block's shared memory. */
uint64_t em_tensor_offset(const warp *w, uint32_t row, uint32_t column);
/* What is wrong with an access, or NULL. */
const char *em_tensor_wrong(const warp *w, uint32_t row, uint32_t rows, uint32_t column, uint32_t columns);
/* For the checker: an operation that these lanes have started touches a box. */
void em_tensor_touch(warp *w, uint32_t record, const mem_access *m, uint64_t lanes, tensor_box b);

#endif
