// Kernels whose PTX has what real PTX has: shared memory, barriers, shuffles, votes, atomics, vector accesses,
// half precision, calls (direct, indirect, recursive), printf, assert, local arrays, constants, textures,
// cooperative groups, asynchronous copies, tensor cores.
#include <cassert>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

__constant__ float weights[16] = {1, 2, 3, 4};
__device__ int counter;
__device__ unsigned histogram[256];

template <int TILE> __global__ void transpose(float *out, const float *in, int n) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
template __global__ void transpose<16>(float *, const float *, int);
template __global__ void transpose<32>(float *, const float *, int);

__global__ void reduce(float *out, const float4 *in, int n) {
    extern __shared__ float sums[];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        sum += v.x + v.y * weights[1] + v.z + v.w;
    }
    for (int offset = 16; offset; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)blockDim.x / 32; i++) sum += sums[i];
        atomicAdd(out, sum);
        __threadfence();
        if (atomicInc((unsigned *)&counter, gridDim.x) == gridDim.x - 1) out[1] = out[0];
    }
}

__global__ void count(const unsigned char *data, size_t n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    cg::thread_block block = cg::this_thread_block();
    block.sync();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    block.sync();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&histogram[i], local[i]);
}

__device__ __noinline__ int collatz(long long x, int depth) {
    if (x == 1 || depth > 100) return depth;
    return x % 2 ? collatz(3 * x + 1, depth + 1) : collatz(x / 2, depth + 1);
}
typedef float (*shape)(float);
__device__ float round_shape(float x) { return sqrtf(1 - x * x); }
__device__ float flat_shape(float x) { return sinf(x) + __expf(x); }
__device__ shape shapes[2] = {round_shape, flat_shape};

__global__ void calls(int *out, float *values, int which) {
    int local[32];
    for (int i = 0; i < 32; i++) local[i] = collatz(threadIdx.x + i + 1, 0);
    out[threadIdx.x] = local[which & 31];
    assert(which >= 0);
    values[threadIdx.x] = shapes[which & 1](values[threadIdx.x]);
    if (which == 77) printf("%d %f\n", which, (double)values[0]);
}

__global__ void halves(__half2 *a, const __half2 *b, double *d, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    a[i] = __hfma2(a[i], b[i], __float2half2_rn(0.5f));
    d[i] = fma(d[i], 3.0, rsqrt(d[i]));
    switch (i & 7) {
    case 0: d[i] += 1; break;
    case 1: d[i] *= 2; break;
    case 2: d[i] = -d[i]; break;
    case 3: d[i] = exp(d[i]); break;
    case 4: d[i] /= 3; break;
    case 5: d[i] = __ddiv_rz(d[i], 7); break;
    default: d[i] = 0;
    }
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int total = cg::reduce(tile, i, cg::plus<int>());
    if (__ballot_sync(__activemask(), total > 5) & 1) d[i] += total;
}

__global__ void sample(cudaTextureObject_t picture, cudaSurfaceObject_t canvas, float4 *out) {
    out[threadIdx.x] = tex2D<float4>(picture, threadIdx.x + 0.5f, 1.5f);
    surf2Dwrite(threadIdx.x, canvas, threadIdx.x * 4, 0);
}

__global__ void tensor(const __half *a, const __half *b, float *c) {
    using namespace nvcuda::wmma;
    __shared__ __half tile[256];
    for (int i = threadIdx.x; i < 32; i += 32)
        __pipeline_memcpy_async(&tile[8 * i], &a[8 * i], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    load_matrix_sync(fa, tile, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 16, mem_row_major);
}
