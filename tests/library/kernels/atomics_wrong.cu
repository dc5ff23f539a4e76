//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//12 kernels: 12 refuted
//
// … and without it: too narrow a scope, an order that is missing, a plain access beside.
#include <cuda/atomic>

using gpu_int = cuda::atomic<int, cuda::thread_scope_device>;
using gpu_ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
using block_int = cuda::atomic<int, cuda::thread_scope_block>;
using block_ref = cuda::atomic_ref<int, cuda::thread_scope_block>;

__global__ void add_of_block(block_int *n) { n->fetch_add(1, cuda::memory_order_relaxed); }
__global__ void add_and_plain(int *n) {
    gpu_ref(*n).fetch_add(1, cuda::memory_order_relaxed);
    if (threadIdx.x == 0) *n = 0;
}
__global__ void stores_of_block(block_int *n) { n->store((int)blockIdx.x, cuda::memory_order_relaxed); }
__global__ void ref_of_block(int *n) { block_ref(*n).store((int)blockIdx.x, cuda::memory_order_relaxed); }
__global__ void loads_plain(int *n, int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = *n;
    gpu_ref(*n).fetch_or(1, cuda::memory_order_relaxed);
}
__global__ void tickets_of_block(cuda::atomic<unsigned, cuda::thread_scope_block> *next, int *out) {
    out[next->fetch_add(1, cuda::memory_order_relaxed)] = threadIdx.x;
}
__global__ void own_block(int *out) {
    __shared__ block_int sum;
    if (threadIdx.x == 0) sum.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    sum.fetch_add((int)threadIdx.x, cuda::memory_order_relaxed);
    __shared__ int total;
    total = threadIdx.x;
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}
__global__ void message_relaxed(int *data, gpu_int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        flag->store(1, cuda::memory_order_relaxed);
    } else if (blockIdx.x == 1) {
        while (flag->load(cuda::memory_order_acquire) == 0) {}
        out[0] = data[0];
    }
}
__global__ void message_not_acquired(int *data, gpu_int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        flag->store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1) {
        while (flag->load(cuda::memory_order_relaxed) == 0) {}
        out[0] = data[0];
    }
}
__global__ void message_narrow(int *data, gpu_int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
        flag->store(1, cuda::memory_order_relaxed);
    } else if (blockIdx.x == 1) {
        while (flag->load(cuda::memory_order_relaxed) == 0) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        out[0] = data[0];
    }
}
__global__ void lock_relaxed(gpu_int *m, int *sum) {
    if (threadIdx.x != 0) return;
    while (m->exchange(1, cuda::memory_order_acquire) != 0) {}
    *sum += 1;
    m->store(0, cuda::memory_order_relaxed);
}
__global__ void last_relaxed(const int *in, int *part, int *out,
                             cuda::atomic<unsigned, cuda::thread_scope_device> *count) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        is_last = count->fetch_add(1, cuda::memory_order_relaxed) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum += part[i];
        out[0] = sum;
    }
}
