//xfail:USAGE
//lockstep: verify --assume 'n > > 3'
//--assume 'n > > 3': column 5: expected a number
//
__kernel void k(__global int *a, int n) { a[get_global_id(0)] = n; }
