//xfail:FOUND
//lockstep: verify --block 64 --grid 8
//race on 'part' between threads of different blocks
//
// All blocks but the last one go on.
__global__ void k(const float *in, float *part, float *out, unsigned *ticket) {
    bool last = false;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    if (!__syncthreads_or(last)) out[threadIdx.x] = part[threadIdx.x % gridDim.x];
}
