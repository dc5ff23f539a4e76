//xfail:REFUSED
//lockstep: verify --block 64 --grid 1 --loads shared --loads any
//exclude each other
__kernel void k(__global int *a) {
    a[get_global_id(0)] = 1;
}
