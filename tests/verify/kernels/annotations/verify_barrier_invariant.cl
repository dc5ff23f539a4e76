//pass
//lockstep: verify --block 64 --grid 4
//
// What each thread shows of its element before the barrier, its neighbour may use behind it: the indices that
// are written to are all different.
__kernel void rotate(__global int *a) {
    __local int next[64];
    int t = get_local_id(0);
    next[t] = (t + 1) % 64;
    __barrier_invariant_2(next[t] == (t + 1) % 64, t, (t + 5) % 64);
    barrier(CLK_LOCAL_MEM_FENCE);
    __assert(next[(t + 5) % 64] == (t + 6) % 64);
    a[get_group_id(0) * 64 + next[t]] = t;
}
