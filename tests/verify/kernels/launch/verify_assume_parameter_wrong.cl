//xfail:FOUND
//lockstep: verify --block 64 --grid 4 --assume 'n >= 7 && n < 1000'
//error: write-write race on 'a'
//
// Rows of 7 are too short for 8 elements.
__kernel void rows(__global int *a, int n) {
    for (int i = 0; i < 8; i++) a[get_global_id(0) * n + i] = i + get_local_id(0);
}
