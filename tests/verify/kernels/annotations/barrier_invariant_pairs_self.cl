//unknown
//lockstep: verify --block 64 --grid 4
//
// It says nothing of one work-item and itself, as which a work-item of another group may stand here.
__kernel void pairs(__global int *out) {
    __local int a[64];
    a[get_local_id(0)] = get_local_id(0);
    __barrier_invariant_binary_1(a[get_local_id(0)] != a[__other_int(get_local_id(0))], get_local_id(0), __other_int(get_local_id(0)));
    barrier(CLK_LOCAL_MEM_FENCE);
    __assert(a[get_local_id(0)] != a[__other_int(get_local_id(0))]);
}
