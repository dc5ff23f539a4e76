//xfail:FOUND
//lockstep: verify --block 64 --grid 1 --loads any
//
// All threads write what they read at one place; nothing is said of what they read.
__kernel void k(__global int *a, __global const int *b, int i) {
    a[i] = b[i];
}
