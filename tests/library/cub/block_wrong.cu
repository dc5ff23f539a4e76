//xfail:FOUND
//lockstep: verify --block 128
//block_wrong.cu:23:[0-9]+: error: read-write race on 'storage'
//block_wrong.cu:36:[0-9]+: error: threads of a block can disagree on reaching this barrier
//block_wrong.cu:47:[0-9]+: error: read-write race on 'storage'
//block_wrong.cu:57:[0-9]+: error: write-write race on 'storage'
//note: in the library, called from there
//block_wrong.cu:69:[0-9]+: error: read-write race
//block_wrong.cu:82:[0-9]+: error: read-write race
//block_wrong.cu:92:[0-9]+: error: read-write race
//block_wrong.cu:103:[0-9]+: error: lanes that the mask names
//block_wrong.cu:112:[0-9]+: error: lanes that the mask names
//9 refuted
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

__global__ void loaded(const int *in, int *out) {
    using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        int values[512];
    } storage;
    int items[4];
    Load(storage.load).Load(in + blockIdx.x * 512, items);
    storage.values[127 - threadIdx.x] = items[0];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = storage.values[threadIdx.x];
}

__global__ void stored(const int *in, int *out) {
    using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        typename Store::TempStorage store;
        int values[512];
    } storage;
    int items[4] = {1, 2, 3, in[threadIdx.x]};
    Store(storage.store).Store(out + blockIdx.x * 512, items);
    storage.values[127 - threadIdx.x] = items[3];
    __syncthreads();
    out[gridDim.x * 512 + blockIdx.x * 128 + threadIdx.x] = storage.values[threadIdx.x];
}

__global__ void exchanged_twice(const int *in, int *out) {
    using Exchange = cub::BlockExchange<int, 128, 4>;
    __shared__ typename Exchange::TempStorage storage;
    int items[4] = {in[threadIdx.x], 2, 3, 4};
    Exchange(storage).StripedToBlocked(items, items);
    Exchange(storage).StripedToBlocked(items, items);
    for (int k = 0; k < 4; k++)
        out[blockIdx.x * 512 + 4 * threadIdx.x + k] = items[k];
}

__global__ void not_all_lanes(const int *in, int *out) {
    using Reduce = cub::WarpReduce<int>;
    __shared__ typename Reduce::TempStorage storage[4];
    int sum = in[threadIdx.x];
    if (threadIdx.x % 32 < 16)
        sum = Reduce(storage[threadIdx.x / 32]).Sum(sum);
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void lanes_that_scan(const int *in, int *out) {
    using Scan = cub::WarpScan<int>;
    __shared__ typename Scan::TempStorage storage[4];
    int sum = in[threadIdx.x];
    if (threadIdx.x % 2)
        Scan(storage[threadIdx.x / 32]).InclusiveSum(sum, sum);
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
