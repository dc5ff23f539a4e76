//xfail:FOUND
//lockstep: verify --block 64 --grid 8
//race on 'part' between threads of different blocks
//
// Another thread may say yes for a reason of its own.
__global__ void k(const float *in, float *part, float *out, unsigned *ticket) {
    bool last = threadIdx.x == 5 && in[0] > 0;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    if (__syncthreads_or(last)) out[threadIdx.x] = part[threadIdx.x % gridDim.x];
}
