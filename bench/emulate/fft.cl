// Fast Fourier transform of 512 complex numbers in local memory, for each group of 256: radix 2, from one half of the
// memory into the other (Stockham), the roots of unity from a table.
__kernel void fft(__global const float2 *in, __global const float2 *roots, __global float2 *out) {
    __local float2 s[2][512];
    int l = get_local_id(0), first = get_group_id(0) * 512, from = 0;
    s[0][l] = in[first + l];
    s[0][l + 256] = in[first + l + 256];
    for (int p = 1; p < 512; p <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int k = l & (p - 1), to = 2 * l - k;
        float2 a = s[from][l], b = s[from][l + 256], w = roots[k * (256 / p)];
        b = (float2)(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        from ^= 1;
        s[from][to] = a + b;
        s[from][to + p] = a - b;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + l] = s[from][l];
    out[first + l + 256] = s[from][l + 256];
}
