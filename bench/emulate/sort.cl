// Bitonic sort of 512 numbers in local memory, for each group of 256.
__kernel void sort(__global const uint *in, __global uint *out) {
    __local uint s[512];
    int l = get_local_id(0), first = get_group_id(0) * 512;
    s[l] = in[first + l];
    s[l + 256] = in[first + l + 256];
    for (int size = 2; size <= 512; size <<= 1)
        for (int d = size >> 1; d > 0; d >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int i = 2 * l - (l & (d - 1)), up = (i & size) == 0;
            uint a = s[i], b = s[i + d];
            if ((a > b) == up) {
                s[i] = b;
                s[i + d] = a;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + l] = s[l];
    out[first + l + 256] = s[l + 256];
}
