/* A use of most of what CUDA's device code can call: all of it must compile, and leave no call unresolved
 * but those that a GPU's driver resolves (vprintf, malloc, free, __assertfail). */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <vector>
namespace cg = cooperative_groups;
__constant__ float weights[16];
__device__ __managed__ int managed_counter;
extern __shared__ float dynamic_shared[];

__global__ void mathematics(float *f, double *d, int n) {
    int i = threadIdx.x;
    float x = f[i], y;
    double z = d[i], w;
    f[i] = sinf(x) + cosf(x) + tanf(x) + expf(x) + exp2f(x) + logf(x) + log2f(x) + log10f(x) + powf(x, 2.5f) + sqrtf(x) + rsqrtf(x) + cbrtf(x);
    f[i] += asinf(x) + acosf(x) + atanf(x) + atan2f(x, 2) + sinhf(x) + coshf(x) + tanhf(x) + fmodf(x, 3) + hypotf(x, x) + erff(x) + erfcf(x) + tgammaf(x) + lgammaf(x);
    f[i] += floorf(x) + ceilf(x) + truncf(x) + rintf(x) + roundf(x) + fabsf(x) + fmaf(x, x, x) + fminf(x, 1) + fmaxf(x, 2) + copysignf(x, -1) + ldexpf(x, 2) + fdimf(x, 1);
    f[i] += __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + __powf(x, x) + __fdividef(x, 2) + __saturatef(x) + __frcp_rn(x) + __fsqrt_rn(x) + __fadd_rz(x, x) + __fmaf_rn(x, x, x);
    f[i] += std::sqrt(x) + std::abs(x) + std::max(x, 1.0f) + pow(x, 2) + abs(i) + min(i, n) + max(1.0f, x) + sqrt(2) + exp(x) + isnan(x) + std::isinf(x) + norm3df(x, x, x);
    sincosf(x, &y, &f[i + 1]);
    f[i] += y + modff(x, &y) + frexpf(x, &n) + remquof(x, 2, &n);
    d[i] = sin(z) + cos(z) + exp(z) + log(z) + pow(z, 2.0) + sqrt(z) + fma(z, z, z) + floor(z) + atan2(z, 1.0) + fmod(z, 2.0) + __dadd_rn(z, z) + rsqrt(z) + fabs(z);
    sincos(z, &w, &d[i + 1]);
    d[i] += w + normcdf(z) + tanh(z);
}
__global__ void bits(unsigned *u, unsigned long long *l, int *s) {
    int i = threadIdx.x;
    unsigned x = u[i];
    u[i] = __popc(x) + __clz(x) + __ffs(x) + __brev(x) + __byte_perm(x, x, 0x3210) + __funnelshift_l(x, x, 3) + __umulhi(x, x) + __umul24(x, x) + __usad(x, 1, 2) + __dp4a(x, x, 1u) + __vabsdiffu4(x, x);
    l[i] = __popcll(l[i]) + __clzll(l[i]) + __ffsll(l[i]) + __brevll(l[i]) + __umul64hi(l[i], l[i]);
    s[i] = __mulhi(s[i], 3) + __mul24(s[i], 3) + __float_as_int(__int_as_float(s[i])) + __float2int_rn(1.5f) + __double2int_rz(2.5) + __double2hiint(__hiloint2double(1, 2)) + __ldg(&s[i + 1]) + __ldcg(&s[i + 2]);
    __stcg(&s[i + 3], 4);
    s[i] += (int)clock64() + (int)clock() + __isGlobal(s);
}
__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d) {
    atomicAdd(i, 1); atomicAdd(u, 1u); atomicAdd(l, 1ull); atomicAdd(f, 1.0f); atomicAdd(d, 1.0); atomicSub(i, 1); atomicExch(f, 2.0f); atomicMin(i, 1); atomicMax(u, 2u);
    atomicInc(u, 3u); atomicDec(u, 3u); atomicAnd(i, 1); atomicOr(u, 1u); atomicXor(l, 1ull); atomicCAS(i, 1, 2); atomicCAS(l, 1ull, 2ull);
    atomicAdd_block(i, 1); atomicAdd_system(i, 1); atomicMax_block(i, 2); atomicCAS_system(i, 1, 2);
    __shared__ int s;
    atomicAdd(&s, 1);
}
__global__ void warps(int *a, float *f, double *d) {
    int t = threadIdx.x, p;
    unsigned m = __activemask();
    a[t] = __shfl_sync(m, a[t], 1) + __shfl_up_sync(m, a[t], 1) + __shfl_down_sync(m, a[t], 1, 16) + __shfl_xor_sync(m, a[t], 1);
    f[t] = __shfl_xor_sync(m, f[t], 2);
    d[t] = __shfl_xor_sync(m, d[t], 2);
    a[t] += __all_sync(m, a[t]) + __any_sync(m, a[t]) + __ballot_sync(m, a[t]) + __match_any_sync(m, a[t]) + __match_all_sync(m, a[t], &p) + p;
    __syncwarp();
    a[t] += __syncthreads_count(a[t]) + __syncthreads_and(a[t]) + __syncthreads_or(a[t]);
    __threadfence(); __threadfence_block(); __threadfence_system();
    __nanosleep(100);
}
__global__ void halves(__half *h, __half2 *h2, __nv_bfloat16 *b) {
    int t = threadIdx.x;
    h[t] = __hadd(h[t], h[t + 1]) * __float2half(2.0f) + __hfma(h[t], h[t], h[t]) - hexp(h[t]);
    h2[t] = __hadd2(h2[t], __float2half2_rn(1.0f));
    b[t] = b[t] + __float2bfloat16(__bfloat162float(b[t]) * 2.0f);
    if (__hgt(h[t], h[t + 1])) h[t] = __half(1.0f);
}
__global__ void groups(int *a, int n) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int v = a[block.thread_rank()];
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
    v += cg::reduce(tile, v, cg::plus<int>());
    block.sync();
    tile.sync();
    auto active = cg::coalesced_threads();
    if (active.thread_rank() == 0) a[0] = v + active.size() + cg::this_grid().size();
}
__global__ void vectors(float4 *v, int2 *i, uchar4 *c, dim3 size) {
    float4 x = v[threadIdx.x];
    v[threadIdx.x] = make_float4(x.y, x.z, x.w, x.x + size.x);
    i[0] = make_int2(blockDim.x, warpSize);
    c[0] = make_uchar4(1, 2, 3, 4);
    uint3 index = threadIdx;
    i[1] = make_int2(index.x, index.y);
    dynamic_shared[threadIdx.x] = weights[threadIdx.x & 15] + managed_counter;
}
__global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out) {
    out[0] = tex2D<float>(t, 1.5f, 2.5f) + tex1Dfetch<float>(t, 3) + tex3D<float4>(t, 1, 2, 3).x + surf2Dread<float>(s, 4, 5);
    surf2Dwrite(1.0f, s, 4, 5);
}
__global__ void random_numbers(float *out, curandState *states) {
    curandState state = states[threadIdx.x];
    curand_init(1234, threadIdx.x, 0, &state);
    out[threadIdx.x] = curand_uniform(&state) + curand_normal(&state) + curand(&state);
    states[threadIdx.x] = state;
}
__global__ void messages(int n) {
    printf("%d %f\n", n, 1.0);
    assert(n > 0);
    int *p = (int *)malloc(16);
    p[0] = n;
    free(p);
}
int main() {
    std::vector<float> host(16);
    float *f;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    cudaMalloc(&f, 1024);
    cudaMallocManaged((void **)&f, 1024);
    cudaMemcpy(f, host.data(), 64, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(weights, host.data(), 64);
    cudaStreamCreate(&stream);
    cudaEventCreate(&start);
    cudaEventRecord(start, stream);
    random_numbers<<<1, 32, 0, stream>>>(f, nullptr);
    if (cudaGetLastError() != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    printf("%s %d\n", properties.name, properties.multiProcessorCount);
    cudaEventElapsedTime(&host[0], start, stop);
    cudaDeviceSynchronize();
    return cudaFree(f) != cudaSuccess;
}
