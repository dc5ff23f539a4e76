//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//barrier.divergence
//
// Half of the threads reach the barrier.
__kernel void some(__global int *a) {
    if (get_local_id(0) < 32) barrier(CLK_GLOBAL_MEM_FENCE);
    a[get_local_id(0)] = 1;
}
