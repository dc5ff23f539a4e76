//pass
//lockstep: verify --block 64 --grid 1 --arrays b,s
//races were looked for only on the arrays named by --arrays
__kernel void k(__global int *a, __global int *b) {
    __local int s[64];
    s[get_local_id(0)] = a[0];
    a[0] = get_local_id(0);
    b[get_global_id(0)] = s[get_local_id(0)];
}
