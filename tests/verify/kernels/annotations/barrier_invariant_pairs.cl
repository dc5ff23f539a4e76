//pass
//lockstep: verify --block 64 --grid 4
//
// What two work-items have to do with each other: their elements differ, before and behind the barriers.
__kernel void pairs(__global int *out) {
    __local int a[64];
    int t = get_local_id(0);
    a[t] = 2 * t;
    __barrier_invariant_binary_1(a[get_local_id(0)] != a[__other_int(get_local_id(0))], get_local_id(0), __other_int(get_local_id(0)));
    barrier(CLK_LOCAL_MEM_FENCE);
    a[t]++;
    __barrier_invariant_binary_1(a[get_local_id(0)] != a[__other_int(get_local_id(0))], get_local_id(0), __other_int(get_local_id(0)));
    barrier(CLK_LOCAL_MEM_FENCE);
    __assert(__implies(__same_group, a[get_local_id(0)] != a[__other_int(get_local_id(0))]));
}
