//xfail:REFUSED
//lockstep: verify --block 64 --grid 1 --loads shared
//with atomic operations in the kernel, threads need not load the same value
__kernel void k(__global int *a) {
    atomic_inc(a);
}
