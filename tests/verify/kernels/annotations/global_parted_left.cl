//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//error: invariant can fail
//
// A thread that has left the loop has its own number in x, not one more.
__kernel void left(void) {
    unsigned x = 0;
    while (__global_invariant(__implies(!__enabled(), x == get_local_id(0) + 1)), x < get_local_id(0)) x++;
}
