//unknown
//lockstep: verify --block 32 --grid 4
//order by fences and atomics, which is not proved
//
// Two tickets a block: whoever draws that number is not the last. The replay does not come to it.
__global__ void last_twice(const float *in, float *part, float *out, unsigned *count) {
    __shared__ bool last;
    int t = threadIdx.x;
    part[blockIdx.x * blockDim.x + t] = in[blockIdx.x * blockDim.x + t];
    __threadfence();
    __syncthreads();
    if (t < 2) {
        unsigned ticket = atomicAdd(count, 1);
        if (t == 0) last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        float s = 0;
        for (unsigned i = 0; i < gridDim.x; i++) s += part[i * blockDim.x + t];
        out[t] = s;
    }
}
