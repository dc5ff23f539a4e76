//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64
//race on
//
// A neighbour's element of the same array is written.
struct grid {
    float *in, *out;
};

__global__ void members(const grid *g) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    g->out[i] = g->out[i + 1] + g->in[i];
}
