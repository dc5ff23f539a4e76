// A matrix transposed through a tile in local memory. Columns of the tile are read with a stride of 16
// floats, so that the work-items of a warp meet in the same banks.
#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transpose(__global float *out, __global const float *in, int width, int height) {
    __local float tile[TILE][TILE];
    int x = get_group_id(0) * TILE + get_local_id(0);
    int y = get_group_id(1) * TILE + get_local_id(1);
    if (x < width && y < height) tile[get_local_id(1)][get_local_id(0)] = in[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + get_local_id(0);
    y = get_group_id(0) * TILE + get_local_id(1);
    if (x < height && y < width) out[y * height + x] = tile[get_local_id(0)][get_local_id(1)];
}
