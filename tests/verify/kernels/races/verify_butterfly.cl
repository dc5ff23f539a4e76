//pass
//lockstep: verify --block 64 --grid 1
//
// Exclusive or of the index: decided by bit-vectors or by cases.
__kernel void butterfly(__global int *a) {
    __local int s[64];
    int t = get_local_id(0);
    s[t] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 1; m < 64; m <<= 1) {
        int v = s[t ^ m];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[t] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[t] = s[t];
}
