//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//assertion can fail
//
// A plain sum wraps.
__kernel void sum(unsigned x, __global int *a) {
    __assert(x + 9 > x);
    a[get_global_id(0)] = x;
}
