//pass
//lockstep: verify --block 64 --grid 1
//
// An index that is set back where it would leave the row, from wherever it started in it.
__kernel void ring(__global int *rows, __global const int *in, int first, int n) {
    int t = get_local_id(0), at = first;
    if (first < 0 || first > 7) return;
    for (int i = 0; i < n; i++) {
        rows[8 * t + at] = t + i;
        if (in[i] > 3) {
            at += in[i] & 1;
            if (at > 7) at = 0;
            continue;
        }
        if (at > 0) at--;
    }
}
