// What the summary of cuda::pipeline says (share/lockstep/summaries/cuda/pipeline), held against the implementation,
// which the emulator runs: every stage comes when it was waited for, in order, and nothing races, also where copies
// end late.
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

template <int stages> __device__ void check(const int *in, int rounds) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    __shared__ int s[stages][128];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int k = 0; k < rounds + stages - 1; k++) {
        if (k < rounds) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[k % stages][threadIdx.x], in + 128 * k + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        }
        int ready = k - (stages - 1);
        if (ready < 0)
            continue;
        pipe.consumer_wait();
        if (s[ready % stages][127 - threadIdx.x] != (int)(128 * ready + 127 - threadIdx.x))
            __trap();
        pipe.consumer_release();
    }
}

//: ahead --arch sm_80 --block 128 --arg "s32[896]=iota" => nothing
__global__ void ahead(const int *in) {
    check<1>(in, 4);
    check<2>(in, 7);
    check<3>(in, 7);
}

//: roles --arch sm_80 --block 128 --arg "s32[448]=iota" => nothing
__global__ void roles(const int *in) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int s[2][64];
    auto block = cg::this_thread_block();
    unsigned t = threadIdx.x;
    auto pipe = cuda::make_pipeline(block, &state, t % 64 < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int k = 0; k < 7; k++) {
        unsigned at = t / 64 * 32 + t % 32;
        if (t % 64 < 32) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[k % 2][at], in + 64 * k + at, sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            if (s[k % 2][63 - at] != (int)(64 * k + 63 - at))
                __trap();
            pipe.consumer_release();
        }
    }
}
