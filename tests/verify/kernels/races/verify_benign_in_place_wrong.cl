//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//error: write-write race on 'a'
//
// Also where the array that is read is written later on.
__kernel void first(__global int *a) {
    int mine = a[get_global_id(0) + 1];
    a[0] = mine;
}
