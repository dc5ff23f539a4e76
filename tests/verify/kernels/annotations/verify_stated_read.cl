//pass
//lockstep: verify --block 64 --grid 2
void look(__global int *p) { __reads_from(p); }
__kernel void k(__global int *a, __global int *b) {
    look(a);
    b[get_global_id(0)] = a[get_global_id(0)];
}
