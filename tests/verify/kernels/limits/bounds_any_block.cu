//pass
//lockstep: verify
//
// For blocks of a size that is not known, that it fits the array is a part of the scope.
__global__ void k(int *d) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    d[blockIdx.x * blockDim.x + t] = s[t];
}
