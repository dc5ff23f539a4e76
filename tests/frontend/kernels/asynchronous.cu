// What asynchronous kernels need of the front end: loops with #pragma unroll become their iterations, with the array that
// they index in registers; a parameter marked __grid_constant__ stays where it is; float2 arithmetic; a variable __ite.
#include <unordered_set>

struct map {
    char bytes[128];
};

__global__ void asynchronous(const __grid_constant__ map m, float2 *out, int n) {
    float sums[4] = {0};
    asm volatile("prefetch.tensormap [%0];" ::"l"(&m));
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (unsigned i = 0; i < 4; i++) asm volatile("abs.f32 %0, %0;" : "+f"(sums[i])::"memory");
        asm volatile("wgmma.fence.sync.aligned;");
    }
    out[threadIdx.x] = __fmul2_rn(make_float2(sums[0], sums[1]), make_float2(sums[2], sums[3]));
}
