//pass
//lockstep: verify --block 64 --grid 1
//
// The loop counter differs from thread to thread, the number of iterations does not: 1024 is a multiple of 64.
__kernel void chunks(__global int *a) {
    for (int i = get_local_id(0); i < 1024; i += 64) {
        a[i] = i;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
