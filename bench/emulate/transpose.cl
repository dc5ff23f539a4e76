// Transpose through local memory, padded against bank conflicts; groups of 16 × 16.
__kernel void transpose(__global const float *in, __global float *out, int n) {
    __local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[(get_group_id(1) * 16 + y) * n + get_group_id(0) * 16 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 16 + y) * n + get_group_id(1) * 16 + x] = tile[x][y];
}
