//xfail:FOUND
//--block=64 --grid=2
//lockstep: verify
//access through a null pointer

__kernel void k(__global int *a) {
    __global int *nothing = 0;
    a[get_global_id(0)] = nothing[get_global_id(0)];
}
