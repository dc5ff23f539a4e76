//xfail:FOUND
//lockstep: verify --block 64 --grid 8
//race on 'x'
//
// An element is read while the copy is under way.
__kernel void scale(__global float *a, __global float *b) {
    __local float x[64];
    event_t e = async_work_group_copy(x, a + 64 * get_group_id(0), 64, 0);
    b[get_global_id(0)] = x[get_local_id(0)];
    wait_group_events(1, &e);
}
