//pass
//lockstep: verify --block 64 --grid 8
//
// That a block is the last one is told to its threads by a vote at a barrier.
__global__ void by_or(const float *in, float *part, float *out, unsigned *ticket) {
    bool last = false;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    if (__syncthreads_or(last)) {
        float sum = 0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += part[b];
        out[threadIdx.x] = sum;
    }
}

__global__ void by_count(const float *in, float *part, float *out, unsigned *ticket) {
    bool last = false;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    if (__syncthreads_count(last) == 1) out[threadIdx.x] = part[threadIdx.x % gridDim.x];
}
