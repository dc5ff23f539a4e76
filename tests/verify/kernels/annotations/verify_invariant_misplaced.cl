//xfail:REFUSED
//lockstep: verify --block 64 --grid 1
//verify_invariant_misplaced.cl:8:.*__invariant stands at no loop's head
__kernel void k(__global int *a, int n) {
    int t = get_global_id(0);
    for (int i = 0; i < n; i++) {
        a[t] += i;
        __invariant(i >= 0);
    }
}
