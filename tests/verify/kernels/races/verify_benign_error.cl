//xfail:FOUND
//lockstep: verify --benign error --block 64 --grid 4
//race.global
//
__kernel void flag(__global int *done) {
    *done = 1;
}
