//pass
//lockstep: verify --block 64
//assumes that cub::BlockRadixSort does what its summary says
//1 proved
//
// Barriers stand between the uses of a storage. (With nvcc, the bounds of the second call stay unknown.)
#include <cub/cub.cuh>

__global__ void sort_twice(const int *in, int *out) {
    using Sort = cub::BlockRadixSort<int, 64, 1, float>;
    __shared__ union {
        typename Sort::TempStorage sort;
        int values[64];
    } storage;
    int keys[1] = {in[blockIdx.x * 64 + threadIdx.x]};
    float values[1] = {1.0f};
    Sort(storage.sort).Sort(keys, values, 0, 16);
    __syncthreads();
    Sort(storage.sort).SortDescending(keys, values);
    __syncthreads();
    storage.values[threadIdx.x] = keys[0];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = storage.values[63 - threadIdx.x];
}
