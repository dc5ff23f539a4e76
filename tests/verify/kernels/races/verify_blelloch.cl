//pass
//lockstep: verify --block 64 --grid 4
//
// Work-efficient scan of 128 elements by 64 threads: doubled offset and halved count go together.
__kernel void scan(__global int *data) {
    __local int s[128];
    int t = get_local_id(0), base = get_group_id(0) * 128;
    s[2 * t] = data[base + 2 * t];
    s[2 * t + 1] = data[base + 2 * t + 1];
    int offset = 1;
    for (int d = 64; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) s[127] = 0;
    for (int d = 1; d < 128; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            int v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + 2 * t] = s[2 * t];
    data[base + 2 * t + 1] = s[2 * t + 1];
}
