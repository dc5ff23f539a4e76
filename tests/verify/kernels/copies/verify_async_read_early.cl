//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//'x' is accessed while it is being copied
//
// A barrier is no wait.
__kernel void scale(__global float *a, __global float *b) {
    __local float x[64];
    event_t e = async_work_group_copy(x, a + 64 * get_group_id(0), 64, 0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    b[get_global_id(0)] = x[get_local_id(0)];
    wait_group_events(1, &e);
}
