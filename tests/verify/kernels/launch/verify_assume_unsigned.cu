// xfail:FOUND
// --frontend=clang
// lockstep: verify --block 64 --grid 2 --assume unsigned(c)<=200 --assume unsigned(n)<=2000000000
// error: write-write race on 'last'
// kernel 'bytes': refuted
// kernel 'words': proved
//
// An unsigned number that is not large is a signed one that is not negative, if it is so for all of its bits: one of
// eight bits that is no more than 200 may be negative.
__global__ void bytes(int *a, signed char c) {
    __shared__ int last;
    if (c < 0) last = threadIdx.x;
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void words(int *a, int n) {
    __shared__ int last;
    if (n < 0) last = threadIdx.x;
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
