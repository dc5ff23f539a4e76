//pass
//lockstep: verify --block 64 --grid 4
//assumes the postconditions of specifications
//
// The annotations of a function whose name begins with __spec_ stand for its body: it writes the thread's own
// element and nothing else.
void __spec_write_own(__global int *p) {
    __requires(__no_read(p));
    __ensures(__write_implies(p, __write_offset_bytes(p) / sizeof(int) == get_global_id(0)));
    __writes_to(p);
}
__kernel void own(__global int *a) {
    __spec_write_own(a);
    a[get_global_id(0)] = 1;
}
