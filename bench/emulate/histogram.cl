// 256 bins: local atomics, then global ones.
__kernel void histogram(__global const uint *in, __global uint *bins) {
    __local uint h[256];
    int l = get_local_id(0);
    h[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[in[get_global_id(0)] & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], h[l]);
}
