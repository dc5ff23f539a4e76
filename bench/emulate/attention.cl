// Attention of one head, 64 wide: a group of 64 for each query, keys and values in tiles of 64 rows, the softmax on
// the way (as FlashAttention has it).
#define WIDE 64
__kernel void attention(__global const float *qkv, __global float *out, int n) {
    __local float query[WIDE], weights[WIDE], tile[WIDE][WIDE + 1];
    int l = get_local_id(0), row = get_group_id(0);
    __global const float *keys = qkv + n * WIDE, *values = keys + n * WIDE;
    float most = -1e30f, sum = 0, result = 0;
    query[l] = qkv[row * WIDE + l] * 0.125f;
    for (int t = 0; t < n; t += WIDE) {
        for (int k = 0; k < WIDE; k++) tile[k][l] = keys[(t + k) * WIDE + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        float score = 0;
        for (int k = 0; k < WIDE; k++) score += query[k] * tile[l][k];
        weights[l] = score;
        barrier(CLK_LOCAL_MEM_FENCE);
        float now = most;
        for (int k = 0; k < WIDE; k++) now = fmax(now, weights[k]);
        float scale = exp(most - now);
        most = now;
        sum *= scale;
        result *= scale;
        for (int k = 0; k < WIDE; k++) {
            float w = exp(weights[k] - now);
            sum += w;
            result += w * values[(t + k) * WIDE + l];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[row * WIDE + l] = result / sum;
}
