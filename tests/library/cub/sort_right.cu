//pass
//lockstep: verify --block 64
//assumes that cub::BlockRadixSort does what its summary says
//2 proved
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

// As CUB's device-wide sorts call it (and Thrust's, which are those): the order is a constant by value.
template <bool value> inline constexpr auto constant = cuda::std::bool_constant<value>{};

__global__ void pairs(const int *in, int *out) {
    using Sort = cub::BlockRadixSort<int, 64, 1, int>;
    __shared__ typename Sort::TempStorage storage;
    int keys[1] = {in[blockIdx.x * 64 + threadIdx.x]}, values[1] = {keys[0]};
    Sort(storage).SortBlockedToStriped(keys, values, 0, 32, constant<true>, constant<false>);
    out[blockIdx.x * 64 + threadIdx.x] = values[0];
}
