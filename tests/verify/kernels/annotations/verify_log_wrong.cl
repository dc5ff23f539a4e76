//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//verify_log_wrong.cl:7:.*assertion about the accesses made so far can fail
__kernel void k(__global int *a, __global int *b, int n) {
    b[get_global_id(0)] = a[get_global_id(0)];
    __assert(!__write(a));
    __assert(__write_implies(b, __write_offset_bytes(b) == 4 * n));
}
