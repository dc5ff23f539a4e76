//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//race.global
//
// Nothing says that the pitch is at least 8.
__kernel void rows(__global int *a, int pitch) {
    for (int i = 0; i < 8; i++) a[get_global_id(0) * pitch + i] = get_local_id(0);
}
