//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//invariant can fail
//
// Thread 63 has stored 0.
__kernel void rotate(__global int *a) {
    __local int next[64];
    int t = get_local_id(0);
    next[t] = (t + 1) % 64;
    __barrier_invariant_1(next[t] == t + 1, t);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_group_id(0) * 64 + next[t]] = t;
}
