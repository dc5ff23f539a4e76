//xfail:FOUND
//lockstep: verify --size 'a=4*n' --assume 'n >= get_global_size(0) - 1' --assume 'n > 0'
//error: access out of bounds of 'a'
//
// One element too few.
__kernel void scale(__global int *a, int n) { a[get_global_id(0)] = n; }
