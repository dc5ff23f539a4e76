// Inclusive prefix sums of each group of 256 (Kogge and Stone).
__kernel void scan(__global const int *in, __global int *out) {
    __local int s[256];
    int l = get_local_id(0), g = get_global_id(0);
    s[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 256; d <<= 1) {
        int v = l >= d ? s[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = s[l];
}
