//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//error: write-write race on 'a'
//
// What it writes is the neighbour's.
void __spec_write_next(__global int *p) {
    __ensures(__write_implies(p, __write_offset_bytes(p) / sizeof(int) == get_global_id(0) + 1));
    __writes_to(p);
}
__kernel void next(__global int *a) {
    __spec_write_next(a);
    a[get_global_id(0)] = 1;
}
