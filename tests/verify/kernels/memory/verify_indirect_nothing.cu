//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//call through a pointer that is null or does not point to a function
//
// Not every choice is a function.
typedef int (*step)(int *, int);

__device__ int up(int *a, int i) {
    return a[i] + 1;
}

__global__ void choose(int *a, int n) {
    step s = n > 5 ? up : (step)0;
    a[blockIdx.x * blockDim.x + threadIdx.x] = s(a, blockIdx.x * blockDim.x + threadIdx.x);
}
