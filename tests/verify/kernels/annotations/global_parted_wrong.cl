//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//global_parted_wrong.cl:8:.* error: postcondition about the accesses made so far can fail
//
// Threads with odd numbers have read `a` when the others call the function.
void reads_nothing(__local int *a) {
    __requires(!__read(a));
    __global_ensures(!__read(a));
}
__kernel void parted(__local int *a) {
    if (get_local_id(0) % 2 != 0) a[get_local_id(0)] = a[get_local_id(0) + 1];
    if (get_local_id(0) % 2 == 0) reads_nothing(a);
}
