/* How a kernel lays its threads out over the rows of a matrix (layout.c). */
#ifndef LS_VERIFY_QUERY_LAYOUT_H
#define LS_VERIFY_QUERY_LAYOUT_H

#include "lockstep/ir.h"

/* By which constant alone the kernel multiplies the block's number in x (0) or y (1); 0: by none, by several,
 * or by the size of the block. */
uint32_t ls_tile_of(const ls_ir_function *kernel, int axis);
/* Numbers of threads in x or y are divided by what the kernel is given. */
bool ls_splits_threads(const ls_ir_function *kernel, int axis);

#endif
