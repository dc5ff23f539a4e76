//xfail:FOUND
//lockstep: verify --block 64 --grid 8 --benign error
//race on 'a'
//
// Blocks copy back parts that overlap.
__kernel void scale(__global float *a) {
    __local float x[64];
    x[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(a + 32 * get_group_id(0), x, 64, 0);
    wait_group_events(1, &e);
}
