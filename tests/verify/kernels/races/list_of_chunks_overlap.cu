//xfail:FOUND
//lockstep: verify --block 64 --grid 8
//write-write race on .out
//
// A chunk is longer than what was drawn.
__global__ void k(const float *in, float *out, int *next, int n) {
    for (;;) {
        int first = atomicAdd(next, 32);
        if (first >= n) return;
        for (int k = 0; k < 33; k++) out[first + k] = 2 * in[first + k];
    }
}
