//xfail:FOUND
//lockstep: verify --block 64 --grid 8
//is accessed while it is being copied
//
// The wait is for the other copy: the first may go on behind the barrier.
__kernel void scale(__global float *a, __global float *b) {
    __local float x[64], y[64];
    event_t e = async_work_group_copy(x, a + 64 * get_group_id(0), 64, 0);
    event_t f = async_work_group_copy(y, a + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &f);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = x[get_local_id(0)] + y[get_local_id(0)];
}
