//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//barrier.divergence
//
// 000, Figure 1b in spirit: threads go round the loop with the barrier different numbers of times.
__kernel void rounds(__global int *a) {
    for (int i = 0; i < get_local_id(0); i++) barrier(CLK_GLOBAL_MEM_FENCE);
    a[get_local_id(0)] = 1;
}
