//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//write-read race on 'a'
//
// The function may write all of it.
void fill(__global int *p) { __writes_to(p); }
__kernel void k(__global int *a, __global int *b) {
    fill(a);
    b[get_global_id(0)] = a[get_global_id(0)];
}
