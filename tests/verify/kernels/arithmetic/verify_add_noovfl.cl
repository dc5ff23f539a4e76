//pass
//lockstep: verify --block 64 --grid 4
//
// The sum is taken where it does not overflow.
__kernel void sum(unsigned x, int y, __global int *a) {
    __assert(__add_noovfl_unsigned_int(x, 9) > x);
    __assert(__add_noovfl_int(y, 9) > y);
    a[get_global_id(0)] = y;
}
