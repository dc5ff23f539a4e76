// Kernels for races on global memory. grid.ptx is made of it: nvcc -arch=sm_75 -lineinfo -ptx grid.cu

extern "C" __global__ void own(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 2;
}

// Every thread its own element, but not in order: no race, and not plain to see.
extern "C" __global__ void permuted(int *out, const int *where) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[where[i]] = i + 1;
}

extern "C" __global__ void racy_blocks(int *out) {
    out[threadIdx.x] = blockIdx.x + 1; // race: all blocks
}

// Neighbours read what others write.
extern "C" __global__ void racy_stencil(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = i > 0 ? data[i - 1] : 0; // race
    if (i < n) data[i] = left + 1;      // race
}

// A block passes values on through global memory, across a barrier: no race.
extern "C" __global__ void passed_on(int *data, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
    data[i] = i * 7;
    __syncthreads();
    out[i] = data[j];
}

__device__ int total[64];
__constant__ int factor[2] = {3, 4};

extern "C" __global__ void racy_variable(void) {
    total[threadIdx.x & 63] = blockIdx.x * factor[threadIdx.x & 1]; // race
}

// Pointers in memory: the table says where to write.
extern "C" __global__ void indirect(int **rows, int width, int shift) {
    int *row = rows[(blockIdx.x + shift * (threadIdx.x / 32)) % gridDim.x];
    if (threadIdx.x < width) row[threadIdx.x] = blockIdx.x + threadIdx.x; // race where shift is 1
}

// One warp of a block writes what another one of the same block writes.
extern "C" __global__ void racy_warps(int *out) {
    out[blockIdx.x * 32 + threadIdx.x % 32] = threadIdx.x; // race
}

extern "C" __global__ void counted(int *slots, int *next) {
    int at = atomicAdd(next, 1);
    slots[at] = blockIdx.x + 1;
}

// What is read too early goes to memory of which every thread has its own part.
extern "C" __global__ void racy_neighbour(int *data, int *out, const int *where) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[where[i]] = i * 5 + 1;        // race
    out[i] = data[(where[i] + 7) & 511]; // race
}

// Nothing to check; its result depends on a variable that the program sets.
extern "C" __global__ void scaled(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i * factor[i & 1];
}
