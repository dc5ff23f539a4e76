/* What bulk and tensor copies move between global memory and a multiprocessor, in sectors of 32 bytes, as
 * an H200 counts them (bench/gpu/copies): l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld of loads,
 * l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st and …_tma_red of stores and reductions. */
#ifndef LS_ISA_COPY_SECTORS_H
#define LS_ISA_COPY_SECTORS_H

#include "isa/tensor_map.h"

typedef struct {
    uint64_t bytes;   /* in global memory */
    uint64_t sectors; /* that are moved */
    uint64_t lines;   /* of 128 bytes that the rows touch, each row by itself */
} ls_moved;

/* A row without gaps, which a bulk copy moves, and a tensor copy for each line of its box. The unit takes a
 * line of 128 bytes of shared memory at a time, so that a row that begins within a sector takes a sector
 * more for each of them. Only the places within a sector, and within such a line, matter. */
ls_moved ls_row_sectors(uint64_t global, uint64_t shared, uint64_t bytes);
/* The box at these coordinates, copied to or from the start of a line of shared memory. What lies outside of
 * the tensor is counted in loads, as if it began with a sector; stores leave it out. Not for interleaved
 * tensors and im2col, which were not counted. */
ls_moved ls_box_sectors(const ls_tensor_map *map, const int64_t *from, bool store);

#endif
