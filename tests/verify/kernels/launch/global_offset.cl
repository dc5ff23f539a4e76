//pass
//lockstep: verify --block 64 --grid 4 -D LOCKSTEP_GLOBAL_OFFSET=64,2
//
// A launch with an offset.
__kernel void offset(__global int *a) {
    __assert(get_global_id(0) >= 64 && get_global_id(0) < 64 + 256);
    __assert(get_global_offset(0) == 64 && get_global_offset(1) == 2 && get_global_offset(2) == 0);
    __assert(get_global_id(1) == 2);
    a[get_global_id(0)] = 1;
}
