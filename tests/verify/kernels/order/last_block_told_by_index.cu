//unknown
//lockstep: verify --block 64 --grid 8
//race on 'part'
//
// Each thread looks at an element of its own, of which only the first one is ever written.
__global__ void k(const float *in, float *part, float *out, unsigned *ticket) {
    __shared__ unsigned last[64];
    unsigned t = threadIdx.x;
    if (t == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last[t] = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last[t]) out[blockIdx.x * 64 + t] = part[t % gridDim.x];
}
