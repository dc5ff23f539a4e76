//: verify counts => refuted
//: verify counts --block 1 --grid 1 => proved
//: verify allocates --block 64 --grid 1 => refuted
// Calls of the device runtime do not synchronise the threads of a kernel: what races beside them is told.
__global__ void counts(char *left, cudaGraphConditionalHandle handle) {
    if (--*left == 0) cudaGraphSetConditional(handle, 0);
}

__global__ void allocates(int *out, int *a) {
    int *own = (int *)malloc(sizeof(int));
    a[threadIdx.x / 2] = threadIdx.x;
    if (!own) out[threadIdx.x] = 1;
}
