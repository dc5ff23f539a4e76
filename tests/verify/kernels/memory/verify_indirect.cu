//pass
//lockstep: verify --block 64 --grid 4
//
// Which function is called depends on an argument; each of those that it can be is looked at, and there is none
// that it can be besides.
typedef int (*step)(int *, int);

__device__ int own(int *a, int i) {
    a[i] = i;
    return i + 1;
}

__device__ int next(int *a, int i) {
    a[i] = a[i] + 1;
    return i + 2;
}

__global__ void choose(int *a, int n, step given) {
    __requires(given == own | given == next);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    step s = n > 5 ? own : next;
    int r = s(a, i);
    __assert(r == i + 1 | r == i + 2);
    given(a, i);
}
