//unknown
//lockstep: verify --block 64 --grid 8
//on some path to the next barrier nothing waits for this copy
//
// Whether it is waited for depends on an argument.
__kernel void scale(__global float *a, __global float *b, int n) {
    __local float x[64];
    event_t e = async_work_group_copy(x, a + 64 * get_group_id(0), 64, 0);
    if (n > 5) wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = x[get_local_id(0)];
}
