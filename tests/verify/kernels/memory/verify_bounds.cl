//xfail:FOUND
//lockstep: verify --bounds --block 64 --grid 1
//memory.bounds
//
// 65 elements of a local array of 64.
__kernel void shift(__global int *a) {
    __local int s[64];
    s[get_local_id(0) + 1] = 0;
    a[get_local_id(0)] = 0;
}
