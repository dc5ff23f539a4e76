//pass
//lockstep: verify --block 64 --grid 4 --assume 'n >= 4096' --assume 'get_local_id(0) < 64'
//
// A range of a parameter that a row must have.
__kernel void rows(__global int *a, int n) {
    for (int i = 0; i < 8; i++) a[get_global_id(0) * n + i] = i;
}
