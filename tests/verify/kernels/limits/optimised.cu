//pass
//lockstep: verify --block 64 --grid 1
//of the optimised code \(-O3\)
//
// The loop ends in its first round, so that each thread writes its own element; as it is written the prover does not see
// that, but the compiler does.
__global__ void k(int *out) {
    __shared__ int s[66];
    for (unsigned round = 0; round < 3; round++) {
        s[threadIdx.x + round] = threadIdx.x;
        if (__popc(blockIdx.x) == __popc(round)) break;
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
