//xfail:FOUND
//lockstep: verify --div0 --block 32 --grid 2 --assume 'n != 0'
//division by zero \[division\]
//
// n is not zero, but its distance from the index is.
__kernel void k(__global int *a, int n) {
    int i = get_global_id(0);
    a[i] = i / (n - i);
}
