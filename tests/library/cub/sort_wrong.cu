//xfail:FOUND
//lockstep: verify --block 64
//sort_wrong.cu:1[56]:[0-9]+: error: .*race on 'storage'
//sort_wrong.cu:25:[0-9]+: error: threads of a block can disagree on reaching this barrier
//sort_wrong.cu:3[67]:[0-9]+: error: .*race on 'storage'
//3 refuted
//
// Storage that is used again without a barrier, and a call that not all threads make.
#include <cub/cub.cuh>

__global__ void no_barrier(const int *in, int *out) {
    using Sort = cub::BlockRadixSort<int, 64, 1>;
    __shared__ typename Sort::TempStorage storage;
    int keys[1] = {in[blockIdx.x * 64 + threadIdx.x]};
    Sort(storage).Sort(keys);
    Sort(storage).SortDescending(keys);
    out[blockIdx.x * 64 + threadIdx.x] = keys[0];
}

__global__ void not_all_threads(const int *in, int *out) {
    using Sort = cub::BlockRadixSort<int, 64, 1>;
    __shared__ typename Sort::TempStorage storage;
    int keys[1] = {in[blockIdx.x * 64 + threadIdx.x]};
    if (threadIdx.x < 32)
        Sort(storage).Sort(keys);
    out[blockIdx.x * 64 + threadIdx.x] = keys[0];
}

__global__ void storage_for_something_else(const int *in, int *out) {
    using Sort = cub::BlockRadixSort<int, 64, 1>;
    __shared__ union {
        typename Sort::TempStorage sort;
        int values[64];
    } storage;
    int keys[1] = {in[blockIdx.x * 64 + threadIdx.x]};
    Sort(storage.sort).Sort(keys);
    storage.values[threadIdx.x] = keys[0];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = storage.values[63 - threadIdx.x];
}
