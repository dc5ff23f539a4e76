//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//work-items of a work-group can disagree on the event
//
// Some threads wait for one copy, some for the other.
__kernel void scale(__global float *a, __global float *b) {
    __local float x[64], y[64];
    event_t e = async_work_group_copy(x, a + 64 * get_group_id(0), 64, 0);
    event_t f = async_work_group_copy(y, b + 64 * get_group_id(0), 64, 0);
    event_t *one = &e;
    if (get_local_id(0) > 40) one = &f;
    wait_group_events(1, one);
}
