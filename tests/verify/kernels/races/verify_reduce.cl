//pass
//lockstep: verify --block 256 --grid 16
//
// Tree reduction in local memory: the halved offset is traced, iteration by iteration.
__kernel void reduce(__global float *out, __global const float *in) {
    __local float s[256];
    int t = get_local_id(0);
    s[t] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = get_local_size(0) / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) out[get_group_id(0)] = s[0];
}
