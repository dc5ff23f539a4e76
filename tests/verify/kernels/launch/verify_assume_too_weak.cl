//unknown
//lockstep: verify --size 'a=4*n' --assume 'n >= get_global_size(0) - 1' --assume 'n > 0'
//proved if n >= get_global_size\(0\)
//
// One element too few: the contract that is inferred is the one that the assumption misses.
__kernel void scale(__global int *a, int n) { a[get_global_id(0)] = n; }
