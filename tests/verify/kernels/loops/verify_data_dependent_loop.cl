//unknown
//lockstep: verify --block 64 --grid 1
//possible read-write race on 'next'
//
// A walk through memory that is written where it ends: for some contents one thread reads what another writes. That the
// walk ends at all hangs on what else is there: a run that is cut off confirms nothing.
__kernel void walk(__global int *next) {
    int i = get_local_id(0);
    while (next[i] >= 0) i = next[i];
    next[i] = get_local_id(0);
}
