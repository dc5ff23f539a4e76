// xfail:FOUND
// --frontend=clang
// lockstep: verify
// kernel 'apply': proved .* tables of functions hold what they are declared with
// kernel 'one': proved .* tables of functions hold what they are declared with
// kernel 'choose': proved .* tables of functions hold what they are declared with
// kernel 'meet': refuted
// kernel 'gaps': unknown
// kernel 'changed': unknown
// call through a pointer to a function that is not known
//
// Calls through tables of functions: each entry is looked at. A table with an empty entry, or one that the kernel
// writes, may hold anything.
typedef void (*step)(float *a, int i);

__device__ void twice(float *a, int i) { a[i] += a[i]; }
__device__ void square(float *a, int i) { a[i] *= a[i]; }
__device__ void first(float *a, int i) { a[0] = i; }

__device__ step safe[2] = {twice, square};
__constant__ step single = twice;
__device__ step other[2] = {square, twice};
__constant__ step racy[2] = {twice, first};
__device__ step gap[3] = {twice, square};
__device__ step written[2] = {twice, square};

__global__ void apply(float *a, int k) { safe[k & 1](a, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void one(float *a) { single(a, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void choose(float *a, int k) {
    step s = k > 7 ? safe[k & 1] : other[k & 1];
    s(a, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void meet(float *a, int k) { racy[k & 1](a, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void gaps(float *a, int k) { gap[k & 1](a, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void changed(float *a, int k, step s) {
    written[k & 1](a, blockIdx.x * blockDim.x + threadIdx.x);
    if (blockIdx.x == 0 && threadIdx.x == 0) written[1] = s;
}
