//unknown
//lockstep: verify --block 32 --grid 4
//help: the thread needs a __threadfence\(\) behind line 15, by the PTX memory model
//help: the thread needs a __threadfence\(\) behind line 35, and one before line 35, by the PTX memory model
//
// As in last_block.cu, but the fences are on the other side of a barrier from the ticket. Devices order it; by the
// letter of the memory model a barrier is no part of a release or an acquire for other blocks.
__device__ unsigned count_;
__global__ void last_block(const float *in, volatile float *part, float *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        unsigned ticket = atomicInc(&count_, gridDim.x);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        __threadfence();
        float s = 0;
        for (unsigned i = 0; i < gridDim.x; i++) s += part[i];
        out[0] = s;
        count_ = 0;
    }
}

__global__ void last_block_plain(const float *in, float *part, float *out, unsigned *count) {
    __shared__ bool last;
    int t = threadIdx.x;
    part[blockIdx.x * blockDim.x + t] = in[blockIdx.x * blockDim.x + t];
    __threadfence();
    __syncthreads();
    if (t == 0) {
        unsigned ticket = atomicAdd(count, 1);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        float s = 0;
        for (unsigned i = 0; i < gridDim.x; i++) s += part[i * blockDim.x + t];
        out[t] = s;
    }
}
