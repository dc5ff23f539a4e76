// unknown
// --frontend=clang --no-replay
// lockstep: verify
// possible write-write race on 'mine' with line \d+ by threads of one block: it depends on what the program stored in 'owner'
//
// A block takes what belongs to it. That no two elements belong to one block is for the data to see to.
#include <cuda_runtime.h>

__global__ void gather(const int *owner, int *list, int n) {
    __shared__ int mine;
    if (threadIdx.x < n && owner[threadIdx.x] == blockIdx.x) mine = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) list[blockIdx.x] = mine;
}

int main() {
    int *owner, *list;
    cudaMalloc(&owner, 256 * sizeof *owner);
    cudaMalloc(&list, 256 * sizeof *list);
    gather<<<200, 256>>>(owner, list, 200);
}
