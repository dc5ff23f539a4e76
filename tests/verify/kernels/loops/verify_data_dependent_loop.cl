//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//error: read-write race on 'next' between threads of one block
//
// A walk through memory that is written where it ends: for some contents one thread reads what another writes.
__kernel void walk(__global int *next) {
    int i = get_local_id(0);
    while (next[i] >= 0) i = next[i];
    next[i] = get_local_id(0);
}
