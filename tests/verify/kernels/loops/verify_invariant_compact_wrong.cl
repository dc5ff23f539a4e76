//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//error: write-write race on 'out' between work-items of one work-group
//
// One of the ways round the loop leaves a gap, so that the row is left.
__kernel void compact(__global int *out, __global const int *in) {
    int t = get_global_id(0), at = 16 * t;
    for (int i = 0; i < 16; i++) {
        if (in[16 * t + i] < 0) continue;
        out[at++] = t;
        if (in[16 * t + i] == 7) {
            at++;
            continue;
        }
    }
}
