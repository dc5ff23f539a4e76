//pass
//lockstep: verify --block 64 --grid 4
//
// The same with a pointer that is advanced where something is kept.
__kernel void compact(__global int *out, __global const int *in) {
    int t = get_global_id(0);
    __global int *to = out + 16 * t;
    for (int i = 0; i < 16; i++)
        if (in[16 * t + i] > 0) *to++ = in[16 * t + i];
}
