//unknown
//lockstep: verify --block 64 --grid 4
//call through a pointer to a function that is not known
//
// The argument may be any function, or none.
typedef int (*step)(int *, int);

__device__ int own(int *a, int i) {
    a[i] = i;
    return i + 1;
}

__global__ void choose(int *a, int n, step given) {
    step s = n > 5 ? own : given;
    s(a, blockIdx.x * blockDim.x + threadIdx.x);
}
