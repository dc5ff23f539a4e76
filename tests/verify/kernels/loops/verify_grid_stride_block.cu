//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//race.global
//
// A grid-stride loop whose steps meet those of other threads.
__global__ void stride(int *z, unsigned long n) {
    for (unsigned long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) z[i] = blockIdx.x * blockDim.x + threadIdx.x;
}
