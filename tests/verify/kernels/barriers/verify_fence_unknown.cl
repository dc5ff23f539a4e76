//unknown
//lockstep: verify --block 64 --grid 1
//it is not known which memory this barrier orders
//
// Which memory is ordered depends on an argument.
__kernel void shift(__local int *a, int flags) {
    int t = get_local_id(0);
    a[t] = t;
    barrier(flags);
    a[t + 64] = a[(t + 1) % 64];
}
