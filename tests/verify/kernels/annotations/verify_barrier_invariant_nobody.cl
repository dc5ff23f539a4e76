//unknown
//lockstep: verify --block 64 --grid 4
//no proof that the assertion holds
//
// There is no thread 64 that could have shown anything of its element.
__kernel void rotate(__global int *a) {
    __local int next[128];
    int t = get_local_id(0);
    next[t] = t;
    __barrier_invariant_1(next[t] == t, 64);
    barrier(CLK_LOCAL_MEM_FENCE);
    __assert(next[64] == 64);
    a[get_global_id(0)] = t;
}
