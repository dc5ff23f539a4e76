//pass
//lockstep: verify --div0 --block 32 --grid 2 --assume 'n != 0'
//
// Both divisors are known not to be zero.
__kernel void k(__global int *a, int n) {
    int i = get_global_id(0);
    a[i] = i / n + i % (get_local_id(0) + 1);
}
