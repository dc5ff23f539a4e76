//unknown
//lockstep: verify --block 64 --grid 1
//
// Thread 50 has left, and shown nothing of its element.
__global__ void left(int *out) {
    __shared__ int s[64];
    if (threadIdx.x >= 40) return;
    s[threadIdx.x] = threadIdx.x;
    __barrier_invariant_1(s[threadIdx.x] == threadIdx.x, 50);
    __syncthreads();
    __assert(s[50] == 50);
    out[threadIdx.x] = s[50];
}
