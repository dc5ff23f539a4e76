//xfail:USAGE
//lockstep: verify --assume 'm > 3'
//no kernel has these parameters
//
__kernel void k(__global int *a, int n) { a[get_global_id(0)] = n; }
