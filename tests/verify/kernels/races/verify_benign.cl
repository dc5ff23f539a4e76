//pass
//lockstep: verify --block 64 --grid 4
//
// All threads write the same value to the same place.
__kernel void flag(__global int *done) {
    *done = 1;
}
