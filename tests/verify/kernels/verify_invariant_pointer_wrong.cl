//unknown
//lockstep: verify --block 64 --grid 1 --no-replay
//possible write-write race on 'out'
//
// The pointer may be two elements further after an iteration.
__kernel void compact(__global int *out, __global const int *in) {
    int t = get_global_id(0);
    __global int *to = out + 16 * t;
    for (int i = 0; i < 16; i++) {
        if (in[i] > 7) to++;
        if (in[16 * t + i] > 0) *to++ = in[16 * t + i];
    }
}
