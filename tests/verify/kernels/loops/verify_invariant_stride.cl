//pass
//lockstep: verify --block 64 --grid 1
//
// An index that is advanced in two places, by one or by two rounds of the block: it keeps its rest modulo 64.
__kernel void sieve(__global int *a, __global const int *skip, int n) {
    for (int i = get_local_id(0); i < n;) {
        a[i] = get_local_id(0);
        if (skip[i]) {
            i += 128;
            continue;
        }
        i += 64;
    }
}
