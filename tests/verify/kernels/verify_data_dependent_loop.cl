//unknown
//lockstep: verify --block 64 --grid 1
//
// Nothing is known of the index after a walk through memory that is written: no proof, and no confirmed race.
__kernel void walk(__global int *next) {
    int i = get_local_id(0);
    while (next[i] >= 0) i = next[i];
    next[i] = get_local_id(0);
}
