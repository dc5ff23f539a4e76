//xfail:FOUND
//lockstep: verify --block 256 --grid 8
//race.shared
//
// Without atomics the data decide who collides: the contents of `in` are anything.
__kernel void histogram(__global int *out, __global const uchar *in) {
    __local int bins[256];
    int t = get_local_id(0);
    bins[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    bins[in[get_global_id(0)]] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&out[t], bins[t]);
}
