//pass
//lockstep: verify
//write-write race of equal values on 'out'
//
// All threads of a block do the same work: they write one value, each in the same iteration. That a loop might
// go on for 2^32 iterations is no reason to think that they overlap by mistake.
__global__ void k(int nodes, const float *scores, const int *degree, float *out) {
    for (int v = blockIdx.x; v < nodes; v += gridDim.x) out[v] = scores[v] / degree[v];
}
