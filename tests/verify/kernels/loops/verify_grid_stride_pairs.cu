//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//race.global
//
// A grid-stride loop in which two threads share each place.
__global__ void stride(int *z, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) z[i >> 1] = i;
}
