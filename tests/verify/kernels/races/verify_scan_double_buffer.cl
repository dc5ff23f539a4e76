//pass
//lockstep: verify --block 128 --grid 8
//
// Kogge-Stone scan with two barriers a round.
__kernel void scan(__global int *out, __global const int *in) {
    __local int s[128];
    int t = get_local_id(0);
    s[t] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < get_local_size(0); d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        s[t] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = s[t];
}
