//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//write-write race on 'a'
//
// In the same iteration no two threads have the same index, which the assertion says rightly; but thread 1 in
// its first and thread 0 in its second iteration have, and no barrier is between.
__kernel void slide(__local int *a) {
    int at = get_local_id(0);
    for (int i = 0; i < 4; i++) {
        __assert(__implies(__same_group, __distinct_int(at)));
        a[at] = i + 10 * at;
        at++;
    }
}
