// What summaries say (share/lockstep/summaries), held against the implementation, which the emulator runs: within
// a call all accesses are ordered, only the storage is accessed, all threads must come, and the result is one of
// sorting, whatever the sizes.
#include <cub/cub.cuh>

template <class Key, int threads, int items> __device__ void sort(const Key *in, Key *out, bool down) {
    using Sort = cub::BlockRadixSort<Key, threads, items>;
    __shared__ typename Sort::TempStorage storage;
    __shared__ Key sorted[threads * items];
    Key keys[items];
    for (int k = 0; k < items; k++)
        keys[k] = in[threadIdx.x * items + k];
    if (down)
        Sort(storage).SortDescending(keys);
    else
        Sort(storage).Sort(keys);
    __syncthreads();
    Sort(storage).Sort(keys);
    for (int k = 0; k < items; k++)
        sorted[threadIdx.x * items + k] = keys[k];
    __syncthreads();
    for (int k = threadIdx.x + 1; k < threads * items; k += threads)
        if (sorted[k] < sorted[k - 1])
            __trap();
    for (int k = 0; k < items; k++)
        out[threadIdx.x * items + k] = keys[k];
}

//: ints --block 64 --arg "s32[256]=random:1" --arg "s32[256]" => nothing
__global__ void ints(const int *in, int *out) { sort<int, 64, 4>(in, out, true); }

//: bytes --block 96 --arg "u8[96]=random:2" --arg "u8[96]" => nothing
__global__ void bytes(const unsigned char *in, unsigned char *out) { sort<unsigned char, 96, 1>(in, out, false); }

//: doubles --block 32 --arg "f64[96]=random:3" --arg "f64[96]" => nothing
__global__ void doubles(const double *in, double *out) { sort<double, 32, 3>(in, out, true); }
