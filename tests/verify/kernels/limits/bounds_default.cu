//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//access out of bounds of 's'
//
// The last thread reads behind the array, whatever comes in.
__global__ void k(int *d) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    d[t] = s[t + 1];
}
