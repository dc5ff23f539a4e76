//pass
//lockstep: verify --block 128
//
// Storage that is used again stands behind a barrier.
#include <cub/cub.cuh>

__global__ void reduce(const int *in, int *out) {
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage storage;
    int sum = Reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

__global__ void reduce_twice(const int *in, int *out) {
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage storage;
    int v = in[blockIdx.x * 128 + threadIdx.x];
    int sum = Reduce(storage).Sum(v);
    __syncthreads();
    int max = Reduce(storage).Reduce(v, cuda::maximum<>{});
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = sum;
        out[2 * blockIdx.x + 1] = max;
    }
}

__global__ void scan(const int *in, int *out) {
    using Scan = cub::BlockScan<int, 128>;
    __shared__ typename Scan::TempStorage storage;
    int i = blockIdx.x * 128 + threadIdx.x, v = in[i];
    Scan(storage).ExclusiveSum(v, v);
    out[i] = v;
}

__global__ void load_store(const int *in, int *out) {
    using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } storage;
    int items[4];
    Load(storage.load).Load(in + blockIdx.x * 512, items);
    __syncthreads();
    for (int &item : items)
        item *= 2;
    Store(storage.store).Store(out + blockIdx.x * 512, items);
}

__global__ void exchange(const int *in, int *out) {
    using Exchange = cub::BlockExchange<int, 128, 4>;
    __shared__ typename Exchange::TempStorage storage;
    int items[4];
    for (int k = 0; k < 4; k++)
        items[k] = in[blockIdx.x * 512 + 128 * k + threadIdx.x];
    Exchange(storage).StripedToBlocked(items, items);
    for (int k = 0; k < 4; k++)
        out[blockIdx.x * 512 + 4 * threadIdx.x + k] = items[k];
}

__global__ void warps(const int *in, int *out) {
    using Reduce = cub::WarpReduce<int>;
    using Scan = cub::WarpScan<int>;
    __shared__ typename Reduce::TempStorage storage[4];
    __shared__ typename Scan::TempStorage scans[4];
    int warp = threadIdx.x / 32, v = in[blockIdx.x * 128 + threadIdx.x];
    int sum = Reduce(storage[warp]).Sum(v);
    Scan(scans[warp]).InclusiveSum(v, v);
    out[blockIdx.x * 128 + threadIdx.x] = v;
    if (threadIdx.x % 32 == 0)
        out[gridDim.x * 128 + blockIdx.x * 4 + warp] = sum;
}
