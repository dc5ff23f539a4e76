//pass
//lockstep: verify --block 64 --grid 2
__kernel void k(__global int *a, int n) {
    __global int *p = a + 3;
    if (n > 5) p += n;
    __assert(__ptr_offset_bytes(p) == 12 || __ptr_offset_bytes(p) == 12 + 4 * (size_t)n);
    p[get_global_id(0)] = n;
}
