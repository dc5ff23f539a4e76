//xfail:REFUSED
//lockstep: verify --block 64 --grid 1 --loads shared
//where there are atomic operations, threads need not load the same
__kernel void k(__global int *a) {
    atomic_inc(a);
}
