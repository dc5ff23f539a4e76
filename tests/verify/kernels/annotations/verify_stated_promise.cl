//unknown
//lockstep: verify --block 64 --grid 2
//it is not known what memory the function accesses
void fill(__global int *p) {
    __ensures(__write_implies(p, __write_offset_bytes(p) / sizeof(int) == get_global_id(0)));
    __writes_to(p);
}
__kernel void k(__global int *a) {
    fill(a);
    a[get_global_id(0)] = 1;
}
