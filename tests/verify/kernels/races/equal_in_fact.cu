//unknown
//lockstep: verify --as-written --block 64 --grid 1
//
// The loop ends in its first round, so that only zeros are written; the prover does not see that far, but what it
// suspects does not happen when it is run: the values are equal there.
__global__ void k(int *out) {
    __shared__ int s[32];
    for (unsigned round = 0; round < 3; round++) {
        s[threadIdx.x / 2] = round;
        if (__popc(blockIdx.x) == __popc(round)) break;
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 2];
}
