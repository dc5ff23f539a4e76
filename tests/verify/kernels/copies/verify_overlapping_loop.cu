//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//error: write-write race on 'out'
//
// Each thread copies three elements but owns two: neighbours meet in different iterations, each at its own part.
__global__ void copy(int *out, const int *in) {
    for (int k = 0; k < 3; k++)
        out[2 * threadIdx.x + k] = in[2 * threadIdx.x + k];
}
