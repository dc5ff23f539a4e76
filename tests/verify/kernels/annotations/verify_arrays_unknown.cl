//xfail:REFUSED
//lockstep: verify --block 64 --grid 1 --arrays a,c
//arrays 'c': no kernel has such an array
__kernel void k(__global int *a) {
    a[get_global_id(0)] = 1;
}
