//unknown
//lockstep: verify --block 64 --grid 1
//.*write.* 'rows'
//
// It holds at first, and on all ways but one: nothing sets the index back there.
__kernel void ring(__global int *rows, __global const int *in, int first, int n) {
    int t = get_local_id(0), at = first;
    if (first < 0 || first > 7) return;
    for (int i = 0; i < n; i++) {
        rows[8 * t + at] = t + i;
        if (in[i] > 3) {
            at += in[i] & 1;
            continue;
        }
        if (at > 0) at--;
    }
}
