//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//error: write-read race on .a. between work-items of one work-group
//
// Which memory is ordered depends on an argument: none where that is 0.
__kernel void shift(__local int *a, int flags) {
    int t = get_local_id(0);
    a[t] = t;
    barrier(flags);
    a[t + 64] = a[(t + 1) % 64];
}
