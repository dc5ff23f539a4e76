//pass
//lockstep: verify --arch sm_80 --block 128 --grid 4
//11 kernels: 11 proved
//
// cuda::barrier, cuda::pipeline, and the copies of libcu++ and cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int stages = 2;
using state_of_two = cuda::pipeline_shared_state<cuda::thread_scope_block, stages>;

// A barrier for all threads of the block, in two words.
__global__ void arrive_and_wait(const int *in, int *out) {
    __shared__ barrier bar;
    __shared__ int s[128];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, blockDim.x);
    block.sync();
    s[t] = in[i];
    bar.arrive_and_wait();
    out[i] = s[127 - t];
}

// Work between the arrival and the wait.
__global__ void split(const int *in, int *out) {
    __shared__ barrier bar;
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 128);
    __syncthreads();
    s[t] = in[i];
    barrier::arrival_token token = bar.arrive();
    int mine = in[i] * 3;
    bar.wait(static_cast<barrier::arrival_token &&>(token));
    out[i] = s[127 - t] + mine;
}

// Two phases in every round: written, and read.
__global__ void rounds(const int *in, int *out, int n) {
    __shared__ barrier bar;
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 128);
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < n; k++) {
        s[t] = in[i] + k;
        bar.arrive_and_wait();
        sum += s[127 - t];
        bar.arrive_and_wait();
    }
    out[i] = sum;
}

// Half of the threads leave, and the barrier goes on with the others.
__global__ void half_drops(const int *in, int *out) {
    __shared__ barrier bar;
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 128);
    __syncthreads();
    s[t] = in[i];
    if (t >= 64) {
        bar.arrive_and_drop();
        return;
    }
    bar.arrive_and_wait();
    out[i] = s[127 - t];
    bar.arrive_and_wait();
    s[t + 64] = 0;
}

// A copy by all threads that the phase waits for.
__global__ void copy(const int *in, int *out) {
    __shared__ barrier bar;
    alignas(16) __shared__ int s[128];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 128);
    block.sync();
    cuda::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(int) * 128, bar);
    bar.arrive_and_wait();
    out[i] = s[127 - t];
}

// A thread's own pipeline; the others' copies need the barrier.
__global__ void thread_pipe(const int *in, int *out) {
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[i], sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    out[i] = s[127 - t];
    pipe.consumer_release();
}

// The next tile comes while this one is read.
__global__ void thread_stages(const int *in, int *out, int n) {
    __shared__ int s[2][128];
    unsigned t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    int sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][t], &in[t], sizeof(int), pipe);
    pipe.producer_commit();
    for (int k = 0; k < n; k++) {
        pipe.producer_acquire();
        if (k + 1 < n) cuda::memcpy_async(&s[(k + 1) % 2][t], &in[(k + 1) * 128 + t], sizeof(int), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        __syncthreads();
        sum += s[k % 2][127 - t];
        __syncthreads();
        pipe.consumer_release();
    }
    out[blockIdx.x * 128 + t] = sum;
}

// All threads produce and consume.
__global__ void block_pipe(const int *in, int *out, int n) {
    __shared__ state_of_two state;
    alignas(16) __shared__ int s[stages][128];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    unsigned t = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < n; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[k % stages], in + k * 128, sizeof(int) * 128, pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += s[k % stages][127 - t];
        pipe.consumer_release();
    }
    out[blockIdx.x * 128 + t] = sum;
}

// Half of the threads produce, the other half consumes.
__global__ void roles(const int *in, int *out, int n) {
    __shared__ state_of_two state;
    __shared__ int s[stages][64];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x;
    auto role = t < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (t < 64) {
        for (int k = 0; k < n; k++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[k % stages][t], in + k * 64 + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
    } else {
        int sum = 0;
        for (int k = 0; k < n; k++) {
            pipe.consumer_wait();
            sum += s[k % stages][127 - t];
            pipe.consumer_release();
        }
        out[blockIdx.x * 64 + t - 64] = sum;
    }
}

// Copies of cooperative groups.
__global__ void whole(const int *in, int *out) {
    alignas(16) __shared__ int s[128];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    cg::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(int) * 128);
    cg::wait(block);
    out[i] = s[127 - t];
}

// … with one under way.
__global__ void two(const int *in, int *out, int n) {
    alignas(16) __shared__ int s[2][128];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x;
    int sum = 0;
    cg::memcpy_async(block, s[0], in, sizeof(int) * 128);
    for (int k = 0; k < n - 1; k++) {
        cg::memcpy_async(block, s[(k + 1) % 2], in + (k + 1) * 128, sizeof(int) * 128);
        cg::wait_prior<1>(block);
        sum += s[k % 2][127 - t];
        block.sync();
    }
    cg::wait(block);
    out[blockIdx.x * 128 + t] = sum;
}
