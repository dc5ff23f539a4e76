//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//error: write-write race on 'out'
//
// The threads write a product of what they read at different places, which may be anything.
__kernel void last(__global float *out, __global const float *in) { out[0] = in[get_global_id(0)] * 2.0f; }
