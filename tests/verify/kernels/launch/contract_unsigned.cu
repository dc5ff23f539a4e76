// unknown
// --frontend=clang
// lockstep: verify
// kernel 'as_unsigned': proved if unsigned\(n\) <= 2147483647 for any block
// kernel 'as_signed': proved if n >= 0 for any block
//
// That a number is not negative is said of an unsigned one as those see it who have declared it.
__global__ void as_unsigned(int *a, unsigned n) {
    __shared__ int last;
    if ((int)n < 0) last = threadIdx.x;
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void as_signed(int *a, int n) {
    __shared__ int last;
    if (n < 0) last = threadIdx.x;
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
