// libcu++'s barrier, pipeline and atomics, from the bundled headers where CCCL is not installed.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

__device__ cuda::atomic<int, cuda::thread_scope_device> counter;

__global__ void with_barrier(int *out, const int *in) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[128];
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, s, in, sizeof s, bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = s[127 - threadIdx.x];
    counter.fetch_add(1, cuda::memory_order_relaxed);
}

__global__ void with_pipeline(float *out, const float *in) {
    __shared__ float4 s[2][128];
    auto pipe = cuda::make_pipeline();
    const auto size = cuda::aligned_size_t<alignof(float4)>(sizeof(float4));
    for (int i = 0; i < 2; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[i][threadIdx.x], (const float4 *)in + i * 128 + threadIdx.x, size, pipe);
        pipe.producer_commit();
    }
    for (int i = 0; i < 2; i++) {
        pipe.consumer_wait();
        __syncthreads();
        out[i * 128 + threadIdx.x] = s[i][127 - threadIdx.x].x;
        pipe.consumer_release();
    }
}

int main() {
    with_barrier<<<1, 128>>>(0, 0);
    with_pipeline<<<1, 128>>>(0, 0);
}
