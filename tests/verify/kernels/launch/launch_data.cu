// unknown
// --frontend=clang
//lockstep: verify -v
// possible write-write race on 'out' with line 17 .*what the program stored in 'place'
// possible read-write race on 'sum' with line 23 .*what the program stored in 'box'
// possible write-write race on 'at' with line 29 .*what the program stored in 'keys'
// 3 kernels: 3 unknown; nothing found
//
// Kernels that race where the data has a number twice, boxes meet or keys are not in order. The program has put
// something into these arrays that no run here knows: that there is such data is no reason to call them wrong.
#include <cuda_runtime.h>

/* Numbers that are there once, as in a permutation. */
__global__ void scatter(float *out, const int *place, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[place[i]] = i;
}

/* Each block has a box of its own. */
__global__ void boxes(float *sum, const int *box) {
    int i = box[blockIdx.x] + threadIdx.x;
    sum[i] += 1;
}

/* The keys are in order, so that one thread finds it. */
__global__ void find(int *at, const int *keys, const int *wanted) {
    if (keys[threadIdx.x] <= wanted[blockIdx.x] && wanted[blockIdx.x] < keys[threadIdx.x + 1])
        at[blockIdx.x] = threadIdx.x;
}

void run(float *out, int *place, int *box, int *keys, int *wanted, int n) {
    scatter<<<(n + 255) / 256, 256>>>(out, place, n);
    boxes<<<n, 128>>>(out, box);
    find<<<n, 64>>>(place, keys, wanted);
}
