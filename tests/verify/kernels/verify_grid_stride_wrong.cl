//xfail:FOUND
//lockstep: verify --timeout 60 --block 256 --grid 32
//race.global
//
// The stride is one too small: thread 0's second element is thread 8191's first one.
__kernel void fill(__global int *a, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0) - 1) a[i] = get_local_id(0);
}
