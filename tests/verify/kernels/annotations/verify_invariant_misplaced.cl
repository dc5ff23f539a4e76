//xfail:REFUSED
//lockstep: verify --block 64 --grid 1
//verify_invariant_misplaced.cl:8:.*__invariant is not at the head of a loop
__kernel void k(__global int *a, int n) {
    int t = get_global_id(0);
    for (int i = 0; i < n; i++) {
        a[t] += i;
        __invariant(i >= 0);
    }
}
