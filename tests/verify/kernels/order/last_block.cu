//pass
//lockstep: verify --block 32 --grid 4
//assumes that 'count_' is 0 before the launch
//
// The block that draws the last ticket comes behind all others, which its first thread tells it.
__device__ unsigned count_;
__global__ void last_block(const float *in, float *part, float *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        unsigned ticket = atomicInc(&count_, gridDim.x);
        __threadfence();
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float s = 0;
        for (unsigned i = 0; i < gridDim.x; i++) s += part[i];
        out[0] = s;
        count_ = 0;
    }
}

__global__ void last_block_of_all(const float *in, float *part, float *out, unsigned *count) {
    __shared__ bool last;
    int t = threadIdx.x;
    part[blockIdx.x * blockDim.x + t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t == 0) {
        __threadfence();
        unsigned ticket = atomicAdd(count, 1);
        __threadfence();
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float s = 0;
        for (unsigned i = 0; i < gridDim.x; i++) s += part[i * blockDim.x + t];
        out[t] = s;
    }
}
