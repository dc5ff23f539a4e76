//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//error: invariant can fail
//
// Two work-items have the same.
__kernel void pairs(__global int *out) {
    __local int a[64];
    a[get_local_id(0)] = get_local_id(0) / 2;
    __barrier_invariant_binary_1(a[get_local_id(0)] != a[__other_int(get_local_id(0))], get_local_id(0), __other_int(get_local_id(0)));
    barrier(CLK_LOCAL_MEM_FENCE);
}
