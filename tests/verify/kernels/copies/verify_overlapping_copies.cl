//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//error: write-write race on 'out'
//
// Each thread copies three elements but owns two: the neighbours write equal values, which is no excuse here.
__kernel void copy(__global int *out, __global const int *in) {
    int i = 2 * get_local_id(0);
    out[i] = in[i];
    out[i + 1] = in[i + 1];
    out[i + 2] = in[i + 2];
}
