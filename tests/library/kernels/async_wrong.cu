//xfail:FOUND
//lockstep: verify --arch sm_80 --block 128 --grid 4
//17 kernels: 17 refuted
//async_wrong.cu:(106|114):[0-9]+: error: .*(asynchronous copy writes 's' while another thread may still read it|race on 's')
//async_wrong.cu:39:[0-9]+: error: .*a wait for a phase of an mbarrier that never ends: 64 of 128
//async_wrong.cu:92:[0-9]+: error: .*'s' is read while an asynchronous copy may still be writing it
//
// … and their misuses, each told at the line of the kernel.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int stages = 2;
using state_of_two = cuda::pipeline_shared_state<cuda::thread_scope_block, stages>;

// Read between the arrival and the wait.
__global__ void missing_wait(const int *in, int *out) {
    __shared__ barrier bar;
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 128);
    __syncthreads();
    s[t] = in[i];
    auto token = bar.arrive();
    out[i] = s[127 - t];
    bar.wait(static_cast<barrier::arrival_token &&>(token));
}

// Half of the threads wait for the others for ever.
__global__ void some_arrive(const int *in, int *out) {
    __shared__ barrier bar;
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 128);
    __syncthreads();
    s[t] = in[i];
    if (t < 64) bar.arrive_and_wait();
    out[i] = s[t];
}

// The phase ends when a quarter of the threads has come.
__global__ void few_expected(const int *in, int *out) {
    __shared__ barrier bar;
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 32);
    __syncthreads();
    s[t] = in[i];
    bar.arrive_and_wait();
    out[i] = s[127 - t];
}

// Others may come before the barrier is there.
__global__ void no_barrier_behind_init(const int *in, int *out) {
    __shared__ barrier bar;
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 128);
    s[t] = in[i];
    bar.arrive_and_wait();
    out[i] = s[127 - t];
}

// The next round writes what others may still read.
__global__ void used_again(const int *in, int *out, int n) {
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
    }
    out[i] = sum;
}

// A barrier of the block does not wait for copies.
__global__ void copy_not_awaited(const int *in, int *out) {
    __shared__ barrier bar;
    alignas(16) __shared__ int s[128];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 128);
    block.sync();
    cuda::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(int) * 128, bar);
    block.sync();
    out[i] = s[127 - t];
    bar.arrive_and_wait();
}

// The stage is given back before it is read.
__global__ void released_early(const int *in, int *out, int n) {
    __shared__ state_of_two state;
    __shared__ int s[stages][64];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x;
    auto pipe = cuda::make_pipeline(block, &state, t < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
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
            pipe.consumer_release();
            sum += s[k % stages][127 - t];
        }
        out[blockIdx.x * 64 + t - 64] = sum;
    }
}

// It is the other stage that was waited for.
__global__ void wrong_stage(const int *in, int *out, int n) {
    __shared__ state_of_two state;
    __shared__ int s[stages][64];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x;
    auto pipe = cuda::make_pipeline(block, &state, t < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
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
            sum += s[(k + 1) % stages][127 - t];
            pipe.consumer_release();
        }
        out[blockIdx.x * 64 + t - 64] = sum;
    }
}

// Read before the wait.
__global__ void no_wait(const int *in, int *out, int n) {
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
        sum += s[k % stages][127 - t];
        pipe.consumer_wait();
        pipe.consumer_release();
    }
    out[blockIdx.x * 128 + t] = sum;
}

// Two stages, and memory for one.
__global__ void too_few_buffers(const int *in, int *out, int n) {
    __shared__ state_of_two state;
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x;
    auto pipe = cuda::make_pipeline(block, &state, t < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    if (t < 64) {
        for (int k = 0; k < n; k++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[t], in + k * 64 + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
    } else {
        int sum = 0;
        for (int k = 0; k < n; k++) {
            pipe.consumer_wait();
            sum += s[127 - t];
            pipe.consumer_release();
        }
        out[blockIdx.x * 64 + t - 64] = sum;
    }
}

// A thread waits for its own copies only.
__global__ void thread_scope_no_barrier(const int *in, int *out) {
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[i], sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[i] = s[127 - t];
    pipe.consumer_release();
}

// One group too many is left open.
__global__ void thread_scope_prior(const int *in, int *out, int n) {
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
        cuda::pipeline_consumer_wait_prior<2>(pipe);
        __syncthreads();
        sum += s[k % 2][127 - t];
        __syncthreads();
        pipe.consumer_release();
    }
    out[blockIdx.x * 128 + t] = sum;
}

// A barrier is no wait.
__global__ void unawaited(const int *in, int *out) {
    alignas(16) __shared__ int s[128];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    cg::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(int) * 128);
    block.sync();
    out[i] = s[127 - t];
}

// The newest copy may still be under way.
__global__ void waits_for_the_other(const int *in, int *out) {
    alignas(16) __shared__ int s[2][128];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x;
    cg::memcpy_async(block, s[0], in, sizeof(int) * 128);
    cg::memcpy_async(block, s[1], in + 128, sizeof(int) * 128);
    cg::wait_prior<1>(block);
    out[blockIdx.x * 128 + t] = s[1][127 - t];
    cg::wait(block);
}

// They leave without dropping out: the second phase never ends.
__global__ void half_leaves(const int *in, int *out) {
    __shared__ barrier bar;
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 128);
    __syncthreads();
    s[t] = in[i];
    if (t >= 64) {
        bar.arrive();
        return;
    }
    bar.arrive_and_wait();
    out[i] = s[127 - t];
    bar.arrive_and_wait();
    s[t + 64] = 0;
}

// Those that drop out still write.
__global__ void drops_too_early(const int *in, int *out) {
    __shared__ barrier bar;
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t == 0) init(&bar, 128);
    __syncthreads();
    if (t >= 64) {
        bar.arrive_and_drop();
        s[t] = in[i];
        return;
    }
    bar.arrive_and_wait();
    out[i] = s[127 - t];
}

// The state is kept for the next round, which writes what others may still read.
__global__ void kept_state(const int *in, int *out, int n) {
    __shared__ barrier bar;
    __shared__ int s[128];
    unsigned t = threadIdx.x;
    if (t == 0) init(&bar, 128);
    __syncthreads();
    s[t] = in[t];
    auto token = bar.arrive();
    int sum = 0;
    for (int k = 1; k < n; k++) {
        bar.wait(static_cast<barrier::arrival_token &&>(token));
        sum += s[127 - t];
        s[t] = in[k * 128 + t];
        token = bar.arrive();
    }
    bar.wait(static_cast<barrier::arrival_token &&>(token));
    out[blockIdx.x * 128 + t] = sum;
}
