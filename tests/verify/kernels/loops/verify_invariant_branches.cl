//pass
//lockstep: verify --block 64 --grid 1
__kernel void k(__global int *a, int n, int m) {
    int t = get_global_id(0), at = m ? t : t + 1;
    for (int i = 0; __invariant(__write_implies(a, __write_offset_bytes(a) / 4 == __ite(m, t, t + 1))), i < n; i++)
        a[at] += i;
}
