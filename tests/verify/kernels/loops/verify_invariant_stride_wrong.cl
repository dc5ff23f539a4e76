//unknown
//lockstep: verify --block 64 --grid 1
//.*write.* 'a'
//
// On one of the two ways the index is not advanced by whole rounds of the block.
__kernel void sieve(__global int *a, __global const int *skip, int n) {
    for (int i = get_local_id(0); i < n;) {
        a[i] = get_local_id(0);
        if (skip[i]) {
            i += 96;
            continue;
        }
        i += 64;
    }
}
