//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//write-write race on 'out'
//
// Each thread copies its part, but the stride is half of what it should be: parts overlap, in different
// iterations.
__global__ void k(int nodes, const float *scores, float *out) {
    for (int v = threadIdx.x; v < nodes; v += blockDim.x / 2) out[v] = scores[v];
}
