//xfail:FOUND
//lockstep: verify --block 128
//block_wrong.cu:18:[0-9]+: error: read-write race on 'storage'
//block_wrong.cu:31:[0-9]+: error: threads of a block can disagree on reaching this barrier
//block_wrong.cu:42:[0-9]+: error: read-write race on 'storage'
//block_wrong.cu:52:[0-9]+: error: write-write race on 'storage'
//note: in the library, called from there
//4 refuted
//
// Storage that is used again without a barrier between, a collective that not all threads reach, and one storage
// for all warps: each is told at the line of this file, with the library's lines as notes.
#include <cub/cub.cuh>

__global__ void reduce_twice(const int *in, int *out) {
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage storage;
    int v = in[blockIdx.x * 128 + threadIdx.x];
    int sum = Reduce(storage).Sum(v);
    int max = Reduce(storage).Reduce(v, cuda::maximum<>{});
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = sum;
        out[2 * blockIdx.x + 1] = max;
    }
}

__global__ void not_all_threads(const int *in, int *out) {
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage storage;
    int sum = 0;
    if (threadIdx.x < 64)
        sum = Reduce(storage).Sum(in[threadIdx.x]);
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void storage_reused(const int *in, int *out) {
    using Scan = cub::BlockScan<int, 128>;
    __shared__ union {
        typename Scan::TempStorage scan;
        int values[128];
    } storage;
    int v = in[blockIdx.x * 128 + threadIdx.x];
    Scan(storage.scan).ExclusiveSum(v, v);
    storage.values[threadIdx.x] = v;
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = storage.values[127 - threadIdx.x];
}

__global__ void one_storage_for_all_warps(const int *in, int *out) {
    using Exchange = cub::WarpExchange<int, 2>;
    __shared__ typename Exchange::TempStorage storage;
    int items[2] = {in[threadIdx.x], in[128 + threadIdx.x]};
    Exchange(storage).StripedToBlocked(items, items);
    out[blockIdx.x * 256 + 2 * threadIdx.x] = items[0];
    out[blockIdx.x * 256 + 2 * threadIdx.x + 1] = items[1];
}
