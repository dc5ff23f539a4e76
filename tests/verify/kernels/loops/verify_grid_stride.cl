//pass
//lockstep: verify --block 256 --grid 32
//
// Different iterations of a loop without barriers: i = global id + k times the number of threads.
__kernel void fill(__global int *a, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) a[i] = i;
}
