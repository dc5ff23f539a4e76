//xfail:FOUND
//lockstep: verify --block 64 --grid 1 --arrays s
//race on '.*s' between work-items of one work-group
__kernel void k(__global int *a, __global int *b) {
    __local int s[65];
    s[get_local_id(0)] = a[0];
    b[get_global_id(0)] = s[get_local_id(0) + 1];
}
