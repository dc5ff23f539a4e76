//pass
//lockstep: verify --block 32 --grid 4
//21 kernels: 21 proved
//
// libcu++'s atomics: counters, flags, locks and tickets, each with the scope and the order that it needs.
#include <cuda/atomic>

using gpu_int = cuda::atomic<int, cuda::thread_scope_device>;
using gpu_ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
using block_int = cuda::atomic<int, cuda::thread_scope_block>;

__global__ void add_relaxed(gpu_int *n) { n->fetch_add(1, cuda::memory_order_relaxed); }
__global__ void add_default(gpu_int *n) { n->fetch_add(1); }
__global__ void add_ref(int *n) { gpu_ref(*n).fetch_add(1, cuda::memory_order_relaxed); }
__global__ void operators(gpu_int *n) { (*n)++, *n += 2, *n |= 4; }
__global__ void minimum(gpu_int *n) { n->fetch_min((int)threadIdx.x, cuda::memory_order_relaxed); }
__global__ void stores(gpu_int *n) { n->store((int)threadIdx.x, cuda::memory_order_relaxed); }
__global__ void stores_ref(int *n) { gpu_ref(*n).store((int)blockIdx.x, cuda::memory_order_relaxed); }
__global__ void loads(gpu_int *n, int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = n->load(cuda::memory_order_relaxed);
    n->fetch_or(1, cuda::memory_order_relaxed);
}
__global__ void exchanges(gpu_int *n, int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = n->exchange((int)threadIdx.x, cuda::memory_order_acq_rel);
}
__global__ void wide(cuda::atomic<unsigned long long, cuda::thread_scope_system> *n) {
    n->fetch_add(threadIdx.x, cuda::memory_order_relaxed);
}
__global__ void reals(cuda::atomic<float, cuda::thread_scope_device> *n) {
    n->fetch_add(1.0f, cuda::memory_order_relaxed);
}
__global__ void swap(gpu_int *n) {
    int seen = n->load(cuda::memory_order_relaxed);
    while (!n->compare_exchange_weak(seen, seen * 2 + 1, cuda::memory_order_relaxed)) {}
}
__global__ void swap_strong(gpu_int *n, int *winner) {
    int none = 0;
    if (n->compare_exchange_strong(none, 1 + (int)threadIdx.x, cuda::memory_order_relaxed))
        gpu_ref(*winner).store(1, cuda::memory_order_relaxed);
}
__global__ void tickets(cuda::atomic<unsigned, cuda::thread_scope_device> *next, int *out) {
    out[next->fetch_add(1, cuda::memory_order_relaxed)] = threadIdx.x;
}
__global__ void own_block(int *out) {
    __shared__ block_int sum;
    if (threadIdx.x == 0) sum.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    sum.fetch_add((int)threadIdx.x, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum.load(cuda::memory_order_relaxed);
}
__global__ void message(int *data, gpu_int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        flag->store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1) {
        while (flag->load(cuda::memory_order_acquire) == 0) {}
        out[0] = data[0];
    }
}
__global__ void message_fences(int *data, gpu_int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        flag->store(1, cuda::memory_order_relaxed);
    } else if (blockIdx.x == 1) {
        while (flag->load(cuda::memory_order_relaxed) == 0) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        out[0] = data[0];
    }
}
__global__ void message_ref(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    gpu_ref f(*flag);
    if (blockIdx.x == 0) {
        data[0] = 42;
        f.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1) {
        if (f.load(cuda::memory_order_acquire) == 1) out[0] = data[0];
    }
}
__global__ void lock(gpu_int *m, int *sum) {
    if (threadIdx.x != 0) return;
    while (m->exchange(1, cuda::memory_order_acquire) != 0) {}
    *sum += 1;
    m->store(0, cuda::memory_order_release);
}
__global__ void chain(int *data, gpu_int *flags) {
    if (threadIdx.x != 0) return;
    int b = blockIdx.x, before = 0;
    if (b > 0) {
        while (flags[b - 1].load(cuda::memory_order_acquire) == 0) {}
        before = data[b - 1];
    }
    data[b] = before + b;
    flags[b].store(1, cuda::memory_order_release);
}
__global__ void last(const int *in, int *part, int *out, cuda::atomic<unsigned, cuda::thread_scope_device> *count) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        is_last = count->fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum += part[i];
        out[0] = sum;
    }
}
