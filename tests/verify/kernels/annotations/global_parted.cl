//pass
//lockstep: verify --block 64 --grid 4
//
// What is stated for all threads holds of those that went another way, or have left the loop: of the values
// that they had when they parted, of the accesses that they have made, and they are not enabled.
void reads_nothing(__local int *a) {
    __global_requires(!__read(a));
    __global_ensures(!__read(a));
}
__kernel void parted(__local int *a) {
    if (get_local_id(0) % 2 == 0) reads_nothing(a);
    unsigned x = 0;
    while (__global_invariant(__implies(!__enabled(), x == get_local_id(0))), __invariant(x <= get_local_id(0)),
           x < get_local_id(0))
        x++;
    __assert(x == get_local_id(0));
    for (int j = 0; j < get_group_id(0); j++)
        if (j > get_local_id(0))
            for (int i = 0; i < get_group_id(0); i++)
                __global_assert(__implies((j < get_group_id(0)) & (j > get_local_id(0)) & (i < get_group_id(0)), __enabled()));
}
