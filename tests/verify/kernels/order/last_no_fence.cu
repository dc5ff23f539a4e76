//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'part'
//
// Tickets alone release nothing.
__global__ void last_wrong(const float *in, float *part, float *out, unsigned *count) {
    __shared__ bool last;
    int t = threadIdx.x;
    part[blockIdx.x * blockDim.x + t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t == 0) {
        unsigned ticket = atomicAdd(count, 1);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float s = 0;
        for (unsigned i = 0; i < gridDim.x; i++) s += part[i * blockDim.x + t];
        out[t] = s;
    }
}
