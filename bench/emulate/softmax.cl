// Softmax of rows, a group of 256 for each: two reductions in local memory.
#define SIZE 256
static float reduced(__local float *s, int l, int most) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = SIZE / 2; d > 0; d >>= 1) {
        if (l < d) s[l] = most ? fmax(s[l], s[l + d]) : s[l] + s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float r = s[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return r;
}

__kernel void softmax(__global const float *in, __global float *out, int n) {
    __local float s[SIZE];
    int l = get_local_id(0), row = get_group_id(0) * n;
    float most = -1e30f, sum = 0;
    for (int k = l; k < n; k += SIZE) most = fmax(most, in[row + k]);
    s[l] = most;
    most = reduced(s, l, 1);
    for (int k = l; k < n; k += SIZE) sum += exp(in[row + k] - most);
    s[l] = sum;
    float scale = 1 / reduced(s, l, 0);
    for (int k = l; k < n; k += SIZE) out[row + k] = exp(in[row + k] - most) * scale;
}
