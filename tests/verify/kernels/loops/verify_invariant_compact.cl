//pass
//lockstep: verify --block 64 --grid 4
//
// Each thread packs its own row: what was kept is never more than what was looked at.
__kernel void compact(__global int *out, __global const int *in) {
    int t = get_global_id(0), at = 16 * t;
    for (int i = 0; i < 16; i++) {
        if (in[16 * t + i] < 0) continue;
        out[at++] = t;
    }
}
