//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//write-write race on 'a' between work-items of different work-groups
//
// All groups copy to the same place.
__kernel void scale(__global float *a) {
    __local float x[64];
    x[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(a, x, 64, 0);
    wait_group_events(1, &e);
}
