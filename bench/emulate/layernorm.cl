// Layer normalisation of rows, a group of 256 for each: mean and variance in one pass.
#define SIZE 256
__kernel void layernorm(__global const float *in, __global float *out, int n) {
    __local float sums[SIZE], squares[SIZE];
    int l = get_local_id(0), row = get_group_id(0) * n;
    float sum = 0, square = 0;
    for (int k = l; k < n; k += SIZE) {
        float x = in[row + k];
        sum += x;
        square += x * x;
    }
    sums[l] = sum;
    squares[l] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = SIZE / 2; d > 0; d >>= 1) {
        if (l < d) {
            sums[l] += sums[l + d];
            squares[l] += squares[l + d];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float mean = sums[0] / n, scale = native_rsqrt(squares[0] / n - mean * mean + 1e-5f);
    for (int k = l; k < n; k += SIZE) out[row + k] = (in[row + k] - mean) * scale;
}
