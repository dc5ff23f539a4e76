//xfail:FOUND
//lockstep: verify --block 64 --grid 1 --externals any
//error: assertion can fail
//error: access through a null pointer
//
// With `any` a function without a body may return anything, also null; with `pure` that is unknown.
unsigned elsewhere(unsigned);
__global int *somewhere(__global int *);
__kernel void calls(__global int *a, unsigned n) {
    unsigned m = elsewhere(n);
    __assert(m >= n);
    a[get_local_id(0)] = *somewhere(a);
}
