//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//race on 'next'
//
// The claim is of an element that another thread stores before the same barrier: what one sees there before is
// not what all see behind.
__kernel void rotate(__global int *a, __local int *next) {
    int t = get_local_id(0);
    next[t] = 1;
    __barrier_invariant_1(__implies(t == 0, next[1] == next[1]), t);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = next[t];
}
