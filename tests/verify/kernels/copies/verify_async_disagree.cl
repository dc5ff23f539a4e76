//xfail:FOUND
//lockstep: verify --block 64 --grid 8
//work-items of a work-group can disagree on what is to be copied
//
// The threads ask for different parts.
__kernel void scale(__global float *a, __global float *b) {
    __local float x[64];
    event_t e = async_work_group_copy(x, a + get_local_id(0), 1, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = x[get_local_id(0)];
}
