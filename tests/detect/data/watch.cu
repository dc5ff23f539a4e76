// Kernels whose races values do not show, or whose values cannot be compared. watch.ptx is made of it:
// nvcc -arch=sm_75 -lineinfo -ptx watch.cu

// On zeros nothing changes.
extern "C" __global__ void smooth(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1) return;
    int left = data[i - 1];               // race
    data[i] = (left + data[i]) / 2; // race
}

extern "C" __global__ void smooth_tile(int *out, const int *in) {
    __shared__ int tile[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = in[i];
    __syncthreads();
    int left = tile[(t + 255) % 256]; // race
    tile[t] = (left + tile[t]) / 2;   // race
    __syncthreads();
    out[i] = tile[t];
}

// A plain store to what atomic operations of others change: only where clear is below 64.
extern "C" __global__ void bins(int *counts, const int *where, int clear) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) counts[clear] = 0;        // race
    atomicAdd(&counts[where[i] & 63], 1); // race
}

// A list in shared memory whose places are given out by an atomic operation: no race, unless places are shared.
extern "C" __global__ void listed(int *out, int shift) {
    __shared__ int list[256], next;
    int t = threadIdx.x;
    if (t == 0) next = 0;
    __syncthreads();
    int at = atomicAdd(&next, 1);
    list[at >> shift] = t;
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = list[t >> shift];
}

// All warps write the same value: no race, but they meet.
extern "C" __global__ void agreed(int *out, int *any) {
    __shared__ int seen;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) seen = 0;
    __syncthreads();
    if (out[i] > 3) seen = 1, *any = 1;
    __syncthreads();
    out[i] = seen;
}

// Warps of a block pass values on through global memory; one block reads and writes them without a barrier between.
extern "C" __global__ void handed(int *data, int *out, const int *where, int racy) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[where[i]] = i * 3;
    __syncthreads();
    int v = data[where[blockIdx.x * blockDim.x + (threadIdx.x + 32) % blockDim.x]]; // race
    if (blockIdx.x == racy) data[where[i]] = v + 1;                                 // race
    __syncthreads();
    out[i] = data[where[i]] + v;
}

// A counter for each block, set by one thread before others count: no race where there is a barrier between.
extern "C" __global__ void counters(int *counts, const int *where, int late) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) counts[where[i]] = 0; // race where late
    if (!late) __syncthreads();
    atomicAdd(&counts[where[blockIdx.x * blockDim.x]], 1);
}

// A pointer from memory: where it goes is not known before; blocks meet.
extern "C" __global__ void pointed(int **table) {
    table[0][threadIdx.x] = blockIdx.x; // race
}

// As handed, with reads that follow one another: of four other threads, or one of them in the next block.
extern "C" __global__ void handed_many(int *data, int *out, const int *where, int racy, int next) {
    int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
    data[where[i]] = i * 3;
    __syncthreads();
    int a = where[first + (threadIdx.x + 32) % blockDim.x], b = where[first + (threadIdx.x + 33) % blockDim.x];
    int c = where[first + (threadIdx.x + 34) % blockDim.x],
        d = where[(first + next + (threadIdx.x + 35) % blockDim.x) % (gridDim.x * blockDim.x)];
    int v = data[a] + data[b] + data[c] + data[d]; // race
    if (blockIdx.x == racy) data[where[i]] = v + 1; // race
    __syncthreads();
    out[i] = data[where[i]] + v;
}
