//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//assertion can fail
//
// The global id reaches 255.
__kernel void ids(__global int *a) {
    __assert(get_global_id(0) < 255);
    a[get_global_id(0)] = 0;
}
