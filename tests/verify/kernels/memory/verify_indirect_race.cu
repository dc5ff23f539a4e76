//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//race on 'a'
//
// One of the functions that may be called stores to the neighbour's element.
typedef void (*step)(int *, int);

__device__ void own(int *a, int i) {
    a[i] = i;
}

__device__ void neighbour(int *a, int i) {
    a[i + 1] = 2 * i + 7;
}

__global__ void choose(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    step s = threadIdx.x + n > 5 ? own : neighbour;
    s(a, i);
}
