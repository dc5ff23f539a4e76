// 5 × 5 convolution of an image with a margin of 4 at its end, groups of 16 × 16, the tile in local memory.
#define TILE 16
#define SIDE (TILE + 4)
__kernel void convolution(__global const float *in, __global const float *weights, __global float *out, int n) {
    __local float tile[SIDE][SIDE];
    int x = get_local_id(0), y = get_local_id(1), pitch = n + 4;
    int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    for (int v = y; v < SIDE; v += TILE)
        for (int u = x; u < SIDE; u += TILE) tile[v][u] = in[(top + v) * pitch + left + u];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int v = 0; v < 5; v++)
        for (int u = 0; u < 5; u++) sum += weights[v * 5 + u] * tile[y + v][x + u];
    out[(top + y) * n + left + x] = sum;
}
