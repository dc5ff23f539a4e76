//pass
//lockstep: verify
//
// Tiled transpose of any size, any grid.
__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void transpose(__global float *out, __global const float *in,
                                                                        int width, int height) {
    __local float tile[16][17];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * 16 + tx, y = get_group_id(1) * 16 + ty;
    if (x < width && y < height) tile[ty][tx] = in[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 16 + tx, y = get_group_id(0) * 16 + ty;
    if (x < height && y < width) out[y * height + x] = tile[tx][ty];
}
