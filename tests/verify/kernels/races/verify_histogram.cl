//pass
//lockstep: verify --block 256 --grid 8
//
// Atomic against atomic is no race; the clearing is kept apart by a barrier.
__kernel void histogram(__global int *out, __global const uchar *in) {
    __local int bins[256];
    int t = get_local_id(0);
    bins[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&out[t], bins[t]);
}
