//unknown
//lockstep: verify --block 64 --grid 4
//it depends on which memory a barrier orders
//
// The work-item that writes passes one, those that read do not.
__kernel void flags(__local int *p, __global int *out) {
    int x = get_local_id(0) == 0 ? CLK_LOCAL_MEM_FENCE : 0;
    if (get_local_id(0) == 0) p[0] = 1;
    barrier(x);
    if (get_local_id(0) == 1) out[get_group_id(0)] = p[0];
}
