//pass
//lockstep: verify --block 64
//takes cub::BlockRadixSort to do what its summary says
//1 proved
//
// A summary stands for the code of BlockRadixSort.
#include <cub/cub.cuh>

__global__ void sort(const int *in, int *out) {
    using Sort = cub::BlockRadixSort<int, 64, 1>;
    __shared__ typename Sort::TempStorage storage;
    int keys[1] = {in[blockIdx.x * 64 + threadIdx.x]};
    Sort(storage).Sort(keys);
    out[blockIdx.x * 64 + threadIdx.x] = keys[0];
}
