//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//write-write race on 's' between threads of one block
//
// One thread alone computes a hash, which wraps around whatever n is: that it does not may not be assumed.
__global__ void k(int *out, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 17 && n != 5)
        s[(threadIdx.x ^ 2166136261u) * 16777619u % 61] = 1000;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
