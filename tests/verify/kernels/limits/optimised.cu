//pass
//lockstep: verify --block 64 --grid 1
//of the optimised code \(-O3\)
//
// The loop ends in its first round, so that only zeros are written; as it is written the prover does not see that, but the
// compiler does.
__global__ void k(int *out) {
    __shared__ int s[32];
    for (unsigned round = 0; round < 3; round++) {
        s[threadIdx.x / 2] = round;
        if (blockIdx.x == round) break;
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 2];
}
