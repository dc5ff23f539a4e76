//unknown
//lockstep: verify --block 64 --grid 1
//
// In the compiler's code all threads write zeros. Where several threads write one place, that is no proof of what is written
// here: of writes of other values the compiler may have left the last one.
__global__ void k(int *out) {
    __shared__ int s[32];
    for (unsigned round = 0; round < 3; round++) {
        s[threadIdx.x / 2] = round;
        if (__popc(blockIdx.x) == __popc(round)) break;
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 2];
}
