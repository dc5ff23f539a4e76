//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//assertion can fail
__kernel void k(__global int *a, int n) {
    __global int *p = a + 3;
    __assert(__ptr_offset_bytes(p) == 3);
    p[get_global_id(0)] = n;
}
