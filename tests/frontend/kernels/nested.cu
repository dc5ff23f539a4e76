// A kernel that launches another one, which nvcc compiles with -rdc=true alone.
__global__ void child(int *a) {
    a[threadIdx.x] = 1;
}

__global__ void parent(int *a) {
    if (threadIdx.x == 0) child<<<1, 32>>>(a);
}
