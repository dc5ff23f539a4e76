//unknown
//lockstep: verify --block 64 --grid 1 --no-replay
//possible write-write race on 'rows' with line 13 by work-items of one work-group
//
// In the loop, 0 <= at < 8; but where it is not entered, at is what it was.
__kernel void ring(__global int *rows, __global const int *in, int first, int n) {
    int t = get_local_id(0), at = first * t;
    if (at >= 0 && at < 8)
        for (int i = 0; i < n; i++) {
            at += in[t + i];
            if (at < 0 || at > 7) at = 0;
        }
    rows[8 * t + at] = t;
}
