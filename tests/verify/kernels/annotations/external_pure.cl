//unknown
//lockstep: verify --block 64 --grid 1 --externals pure
//no proof that the assertion holds
//
unsigned elsewhere(unsigned);
__kernel void calls(__global int *a, unsigned n) {
    unsigned m = elsewhere(n);
    __assert(m >= n);
    a[get_local_id(0)] = m;
}
