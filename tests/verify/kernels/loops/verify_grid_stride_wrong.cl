//xfail:FOUND
//lockstep: verify --timeout 60 --block 8 --grid 2
//race.global
//
// The stride is one too small: thread 0's second element is thread 15's first one.
__kernel void fill(__global int *a) {
    for (int i = get_global_id(0); i < 64; i += get_global_size(0) - 1) a[i] = get_local_id(0);
}
