//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//work-items of a work-group can disagree on this wait
__kernel void scale(__global float *a, __global float *b) {
    __local float x[64];
    event_t e = async_work_group_copy(x, a + 64 * get_group_id(0), 64, 0);
    if (get_local_id(0) < 20) wait_group_events(1, &e);
}
