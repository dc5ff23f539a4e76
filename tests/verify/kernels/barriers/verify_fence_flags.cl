//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//race.global
//
// A barrier with the flag for local memory only does not order accesses to global memory.
__kernel void shift(__global int *a) {
    int t = get_local_id(0);
    a[t] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[t + 64] = a[(t + 1) % 64];
}
