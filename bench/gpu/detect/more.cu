// Thirteen more programs of today's kind, written in other ways than those of today.cu: dynamic shared memory, rows
// that are read in loops, exchanged columns, rings of stages, matrices by wmma and mma, tiles that depend on the
// block's number, atomic counters. Each is there correct and with a planted race (lines marked RACE), for
//     more NAME correct|racy [LAUNCHES [LOG2-OF-ELEMENTS]]
// which prints what today.cu prints.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>
#include <cuda_pipeline.h>
#include <cuda_fp16.h>
#include <mma.h>
typedef unsigned int u32;
static int N = 1 << 22; // elements

// --- softmax: rows of 4096, dynamic shared memory holds the row, reductions in a tree.
template <bool RACY> __global__ void softmax(float *out, const float *in, int columns) {
    extern __shared__ float row[];
    float *red = row + columns;
    int t = threadIdx.x;
    const float *from = in + (size_t)blockIdx.x * columns;
    float most = -1e30f, sum = 0;
    for (int i = t; i < columns; i += blockDim.x) { float x = from[i]; row[i] = x; most = fmaxf(most, x); }
    red[t] = most;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) red[t] = fmaxf(red[t], red[t + d]); // RACE softmax
        __syncthreads();
    }
    most = red[0]; // RACE softmax
    if (!RACY) __syncthreads();
    for (int i = t; i < columns; i += blockDim.x) { float e = __expf(row[i] - most); row[i] = e; sum += e; }
    red[t] = sum; // RACE softmax
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) red[t] += red[t + d];
        __syncthreads();
    }
    sum = red[0];
    for (int i = t; i < columns; i += blockDim.x) out[(size_t)blockIdx.x * columns + i] = row[i] / sum;
}

// --- layer norm: float4, one row a block, sums of warps as float2
template <bool RACY> __global__ void layernorm(float4 *out, const float4 *in, const float4 *w, int quarter) {
    __shared__ float2 part[32];
    __shared__ float mean, scale;
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    float s = 0, q = 0;
    for (int i = t; i < quarter; i += blockDim.x) {
        float4 x = in[blockIdx.x * quarter + i];
        s += x.x + x.y + x.z + x.w, q += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
    }
    for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d), q += __shfl_down_sync(~0u, q, d);
    if (lane == 0) part[warp] = make_float2(s, q);
    __syncthreads();
    if (warp == 0) {
        s = lane < blockDim.x / 32 ? part[lane].x : 0, q = lane < blockDim.x / 32 ? part[lane].y : 0;
        for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d), q += __shfl_down_sync(~0u, q, d);
        if (lane == 0) mean = s / (4 * quarter), scale = rsqrtf(q / (4 * quarter) - mean * mean + 1e-5f); // RACE layernorm
    }
    if (!RACY) __syncthreads();
    for (int i = t; i < quarter; i += blockDim.x) {
        float4 x = in[blockIdx.x * quarter + i], g = w[i];
        float m = mean, f = scale; // RACE layernorm
        out[blockIdx.x * quarter + i] = make_float4((x.x - m) * f * g.x, (x.y - m) * f * g.y, (x.z - m) * f * g.z, (x.w - m) * f * g.w);
    }
}

// --- flash: attention with wmma: 64 queries, keys in tiles of 64, head of 64, halves; products through shared memory
using namespace nvcuda;
template <bool RACY> __global__ void __launch_bounds__(128) flash(half *out, const half *q, const half *k, const half *v, int keys) {
    __shared__ __align__(32) half qs[64][72], ks[64][72], vs[64][72];
    __shared__ __align__(32) float ss[64][68];
    __shared__ float most[64], all[64], fade[64];
    int t = threadIdx.x, warp = t / 32;
    size_t head = (size_t)blockIdx.y * keys * 64;
    for (int i = t; i < 64 * 8; i += 128) *(float4 *)&qs[i / 8][i % 8 * 8] = *(const float4 *)&q[head + (size_t)blockIdx.x * 4096 + i * 8];
    if (t < 64) most[t] = -1e30f, all[t] = 0;
    float acc[32] = {0};
    int row = t / 2, side = t % 2 * 32;
    for (int first = 0; first < keys; first += 64) {
        __syncthreads();
        for (int i = t; i < 64 * 8; i += 128) {
            *(float4 *)&ks[i / 8][i % 8 * 8] = *(const float4 *)&k[head + (size_t)first * 64 + i * 8];
            *(float4 *)&vs[i / 8][i % 8 * 8] = *(const float4 *)&v[head + (size_t)first * 64 + i * 8];
        }
        __syncthreads();
        for (int n = 0; n < 4; n++) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
            wmma::fill_fragment(c, 0.f);
            for (int kk = 0; kk < 4; kk++) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
                wmma::load_matrix_sync(a, &qs[warp * 16][kk * 16], 72);
                wmma::load_matrix_sync(b, &ks[n * 16][kk * 16], 72);
                wmma::mma_sync(c, a, b, c);
            }
            wmma::store_matrix_sync(&ss[warp * 16][n * 16], c, 68, wmma::mem_row_major);
        }
        __syncthreads();
        if (t < 64) {
            float m = most[t], sum = 0;
            for (int j = 0; j < 64; j++) m = fmaxf(m, ss[t][j] * 0.125f);
            for (int j = 0; j < 64; j++) { float p = __expf(ss[t][j] * 0.125f - m); ss[t][j] = p; sum += p; } // RACE flash
            fade[t] = __expf(most[t] - m), most[t] = m, all[t] = all[t] * fade[t] + sum; // RACE flash
        }
        if (!RACY) __syncthreads();
        for (int d = 0; d < 32; d++) acc[d] *= fade[row]; // RACE flash
        for (int j = 0; j < 64; j++) {
            float p = ss[row][j]; // RACE flash
            for (int d = 0; d < 32; d++) acc[d] += p * __half2float(vs[j][side + d]);
        }
    }
    __syncthreads();
    for (int d = 0; d < 32; d++) out[head + (size_t)blockIdx.x * 4096 + row * 64 + side + d] = __float2half(acc[d] / all[row]);
}

// --- ring: attention, keys and values by cp.async in a ring of three stages in dynamic shared memory
template <bool RACY> __global__ void __launch_bounds__(128) ring(float *out, const float *q, const float *k, const float *v, int keys) {
    extern __shared__ float4 smem[]; // 3 stages of 16 rows of 64 of k, and of v
    int t = threadIdx.x;
    size_t head = (size_t)blockIdx.y * keys * 64, row = head + ((size_t)blockIdx.x * 128 + t) * 64;
    float qr[64], sum[64], most = -1e30f, all = 0;
    for (int d = 0; d < 64; d++) qr[d] = q[row + d] * .125f, sum[d] = 0;
    int tiles = keys / 16;
    auto fetch = [&](int tile, int stage) {
        for (int i = t; i < 256; i += 128) {
            __pipeline_memcpy_async(&smem[stage * 512 + i], (const float4 *)(k + head + (size_t)tile * 1024) + i, 16); // RACE ring
            __pipeline_memcpy_async(&smem[stage * 512 + 256 + i], (const float4 *)(v + head + (size_t)tile * 1024) + i, 16); // RACE ring
        }
    };
    for (int s = 0; s < 2; s++) { if (s < tiles) fetch(s, s); __pipeline_commit(); }
    int stage = 0, next = 2;
    for (int tile = 0; tile < tiles; tile++) {
        __pipeline_wait_prior(RACY ? 2 : 1);
        __syncthreads();
        if (tile + 2 < tiles) fetch(tile + 2, next);
        __pipeline_commit();
        const float4 *ks = smem + stage * 512, *vs = ks + 256;
        for (int j = 0; j < 16; j++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < 16; d++) { float4 x = ks[j * 16 + d]; s += qr[4 * d] * x.x + qr[4 * d + 1] * x.y + qr[4 * d + 2] * x.z + qr[4 * d + 3] * x.w; } // RACE ring
            float m = fmaxf(most, s), f = __expf(most - m), p = __expf(s - m);
            most = m, all = all * f + p;
#pragma unroll
            for (int d = 0; d < 16; d++) { float4 x = vs[j * 16 + d]; sum[4 * d] = sum[4 * d] * f + p * x.x, sum[4 * d + 1] = sum[4 * d + 1] * f + p * x.y, sum[4 * d + 2] = sum[4 * d + 2] * f + p * x.z, sum[4 * d + 3] = sum[4 * d + 3] * f + p * x.w; } // RACE ring
        }
        stage = stage == 2 ? 0 : stage + 1, next = next == 2 ? 0 : next + 1;
    }
    for (int d = 0; d < 64; d++) out[row + d] = sum[d] / all;
}

// --- swizzle: transpose with exchanged columns (swizzle) instead of padding
template <bool RACY> __global__ void swizzle(float *out, const float *in, int n) {
    __shared__ float tile[32 * 32];
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = y; j < 32; j += 8) tile[j * 32 + (x ^ j)] = in[(size_t)(blockIdx.y * 32 + j) * n + blockIdx.x * 32 + x]; // RACE swizzle
    if (!RACY) __syncthreads();
    for (int j = y; j < 32; j += 8) out[(size_t)(blockIdx.x * 32 + j) * n + blockIdx.y * 32 + x] = tile[x * 32 + (j ^ x)]; // RACE swizzle
}

// --- segments: segmented scan by shuffles, with sums of warps in shared memory
template <bool RACY> __global__ void segments(float *out, const float *in, const u32 *keys) {
    __shared__ float sums[8];
    __shared__ u32 flags[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    size_t i = (size_t)blockIdx.x * 256 + t;
    float x = in[i];
    u32 f = keys[i] % 61 == 0;
    for (int d = 1; d < 32; d *= 2) {
        float y = __shfl_up_sync(~0u, x, d);
        u32 g = __shfl_up_sync(~0u, f, d);
        if (lane >= d) { if (!f) x += y; f |= g; }
    }
    if (lane == 31) sums[warp] = x, flags[warp] = f;
    __syncthreads();
    if (warp == 0 && lane < 8) {
        float s = sums[lane]; u32 g = flags[lane];
        for (int d = 1; d < 8; d *= 2) {
            float y = __shfl_up_sync(0xff, s, d); u32 h = __shfl_up_sync(0xff, g, d);
            if (lane >= d) { if (!g) s += y; g |= h; }
        }
        sums[lane] = s, flags[lane] = g; // RACE segments
    }
    if (!RACY) __syncthreads();
    if (warp && !f) x += sums[warp - 1]; // RACE segments
    out[i] = x;
}

// --- radixselect: top-k by radix select: histograms of digits in shared memory, then a gather with an atomic counter
template <bool RACY> __global__ void radixselect(u32 *out, const u32 *in) {
    __shared__ u32 bins[256], chosen, left, count;
    int t = threadIdx.x;
    u32 x[4], prefix = 0, mask = 0;
    for (int i = 0; i < 4; i++) x[i] = in[blockIdx.x * 1024 + i * 256 + t];
    u32 want = 32;
    for (int shift = 24; shift >= 0; shift -= 8) {
        bins[t] = 0;
        __syncthreads();
        for (int i = 0; i < 4; i++) if ((x[i] & mask) == prefix) atomicAdd(&bins[x[i] >> shift & 255], 1u);
        __syncthreads();
        if (t == 0) {
            u32 have = 0; int d = 255;
            for (; d > 0 && have + bins[d] < want; d--) have += bins[d];
            chosen = d, left = want - have; // RACE radixselect
        }
        if (!RACY) __syncthreads();
        prefix |= chosen << shift, mask |= 255u << shift, want = left; // RACE radixselect
        __syncthreads();
    }
    if (t == 0) count = 0;
    __syncthreads();
    for (int i = 0; i < 4; i++) if (x[i] > prefix) out[blockIdx.x * 64 + (atomicAdd(&count, 1u) & 63)] = 1;
}

// --- spmv: sparse matrix by vector, a warp a row, its partial sums in shared memory
template <bool RACY> __global__ void spmv(float *out, const float *values, const u32 *columns, const float *x, const u32 *starts, int n) {
    __shared__ float part[8][33];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, row = blockIdx.x * 8 + warp;
    float sum = 0;
    for (u32 i = starts[row] + lane; i < starts[row + 1]; i += 32) sum += values[i] * x[columns[i] & (n - 1)];
    part[warp][lane] = sum; // RACE spmv
    for (int d = 16; d; d >>= 1) {
        if (!RACY) __syncwarp();
        if (lane < d) part[warp][lane] += part[warp][lane + d]; // RACE spmv
    }
    if (!RACY) __syncthreads();
    if (t < 8) out[blockIdx.x * 8 + t] = part[t][0]; // RACE spmv
}

// --- histogram: one of each warp, added up in the end
template <bool RACY> __global__ void histogram(u32 *bins, const u32 *in, int each) {
    __shared__ u32 own[8][256];
    int t = threadIdx.x, warp = t >> 5;
    for (int i = t; i < 8 * 256; i += 256) (&own[0][0])[i] = 0;
    __syncthreads();
    for (int i = 0; i < each; i++) atomicAdd(&own[warp][in[((size_t)blockIdx.x * each + i) * 256 + t] >> 24], 1u); // RACE histogram
    if (!RACY) __syncthreads();
    u32 sum = 0;
    for (int w = 0; w < 8; w++) sum += own[w][t]; // RACE histogram
    atomicAdd(&bins[t], sum);
}

// --- lastblock: matmul with its depth split, parts to memory, the last block of a tile adds them up
template <bool RACY> __global__ void lastblock(float *c, float *parts, u32 *tickets, const float *a, const float *b, int n) {
    __shared__ float as[32][33], bs[32][33];
    __shared__ bool last;
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    int depth = n / gridDim.z, first = blockIdx.z * depth;
    float sum[4] = {0};
    for (int k = first; k < first + depth; k += 32) {
        for (int j = 0; j < 32; j += 8) as[ty + j][tx] = a[(row + j) * n + k + tx], bs[ty + j][tx] = b[(k + ty + j) * n + col]; // RACE lastblock
        __syncthreads();
        for (int i = 0; i < 32; i++) for (int j = 0; j < 4; j++) sum[j] += as[ty + 8 * j][i] * bs[i][tx]; // RACE lastblock
        if (!RACY) __syncthreads();
    }
    for (int j = 0; j < 4; j++) parts[((size_t)blockIdx.z * n + row + 8 * j) * n + col] = sum[j];
    __threadfence();
    __syncthreads();
    if (tx == 0 && ty == 0) last = atomicAdd(&tickets[blockIdx.y * gridDim.x + blockIdx.x], 1u) % gridDim.z == gridDim.z - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int j = 0; j < 4; j++) {
        float all = 0;
        for (int z = 0; z < gridDim.z; z++) all += parts[((size_t)z * n + row + 8 * j) * n + col];
        c[(size_t)(row + 8 * j) * n + col] = all;
    }
}

// --- sgemm: matmul, 128 by 128 a block, 8 by 8 a thread, two buffers in turn
template <bool RACY> __global__ void __launch_bounds__(256) sgemm(float *c, const float *a, const float *b, int n) {
    __shared__ float as[2][8][128], bs[2][8][128];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const float *pa = a + (size_t)(blockIdx.y * 128 + t / 2) * n + t % 2 * 4, *pb = b + (size_t)(t / 32) * n + blockIdx.x * 128 + t % 32 * 4;
    float acc[8][8] = {{0}};
    float4 va = *(const float4 *)pa, vb = *(const float4 *)pb;
    as[0][t % 2 * 4][t / 2] = va.x, as[0][t % 2 * 4 + 1][t / 2] = va.y, as[0][t % 2 * 4 + 2][t / 2] = va.z, as[0][t % 2 * 4 + 3][t / 2] = va.w;
    *(float4 *)&bs[0][t / 32][t % 32 * 4] = vb;
    __syncthreads();
    int now = 0;
    for (int k = 8; k <= n; k += 8) {
        if (k < n) va = *(const float4 *)(pa + k), vb = *(const float4 *)(pb + (size_t)k * n);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float x[8], y[8];
            for (int j = 0; j < 8; j += 4) *(float4 *)&x[j] = *(float4 *)&as[now][i][ty * 8 + j], *(float4 *)&y[j] = *(float4 *)&bs[now][i][tx * 8 + j]; // RACE sgemm
            for (int j = 0; j < 8; j++) for (int l = 0; l < 8; l++) acc[j][l] += x[j] * y[l];
        }
        if (k < n) {
            int next = RACY ? now : now ^ 1;
            as[next][t % 2 * 4][t / 2] = va.x, as[next][t % 2 * 4 + 1][t / 2] = va.y, as[next][t % 2 * 4 + 2][t / 2] = va.z, as[next][t % 2 * 4 + 3][t / 2] = va.w; // RACE sgemm
            *(float4 *)&bs[next][t / 32][t % 32 * 4] = vb; // RACE sgemm
            __syncthreads();
            now = next;
        }
    }
    for (int j = 0; j < 8; j++) for (int l = 0; l < 8; l += 4) *(float4 *)&c[(size_t)(blockIdx.y * 128 + ty * 8 + j) * n + blockIdx.x * 128 + tx * 8 + l] = *(float4 *)&acc[j][l];
}

// --- hgemm: matmul of halves: cp.async in four stages, exchanged columns, ldmatrix, mma
template <bool RACY> __global__ void __launch_bounds__(128) hgemm(half *c, const half *a, const half *b, int n) {
    extern __shared__ __align__(128) half pool[]; // stages of 64 by 32 of a, 64 by 32 of b (both along k)
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    float acc[8][4] = {{0}};
    auto at = [](int row, int piece) { return row * 32 + (piece ^ (row >> 1 & 3)) * 8; };
    auto fetch = [&](int k, int stage) {
        half *as = pool + stage * 4096, *bs = as + 2048;
        for (int i = t; i < 256; i += 128) {
            __pipeline_memcpy_async(as + at(i / 4, i % 4), a + (size_t)(blockIdx.y * 64 + i / 4) * n + k + i % 4 * 8, 16); // RACE hgemm
            __pipeline_memcpy_async(bs + at(i / 4, i % 4), b + (size_t)(blockIdx.x * 64 + i / 4) * n + k + i % 4 * 8, 16); // RACE hgemm
        }
    };
    int steps = n / 32;
    for (int s = 0; s < 3; s++) { if (s < steps) fetch(s * 32, s); __pipeline_commit(); }
    for (int s = 0; s < steps; s++) {
        __pipeline_wait_prior(RACY ? 3 : 2);
        __syncthreads();
        if (s + 3 < steps) fetch((s + 3) * 32, (s + 3) % 4);
        __pipeline_commit();
        const half *as = pool + s % 4 * 4096, *bs = as + 2048;
        for (int kk = 0; kk < 2; kk++) {
            u32 fa[4];
            u32 pa = (u32)__cvta_generic_to_shared(as + at(warp * 16 + lane % 16, kk * 2 + lane / 16));
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(pa)); // RACE hgemm
            for (int j = 0; j < 8; j++) {
                u32 fb[2];
                u32 pb = (u32)__cvta_generic_to_shared(bs + at(j * 8 + lane % 8, kk * 2 + lane / 8 % 2));
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(pb)); // RACE hgemm
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
            }
        }
    }
    for (int j = 0; j < 8; j++) {
        size_t row = blockIdx.y * 64 + warp * 16 + lane / 4, col = blockIdx.x * 64 + j * 8 + lane % 4 * 2;
        *(half2 *)&c[row * n + col] = __floats2half2_rn(acc[j][0], acc[j][1]);
        *(half2 *)&c[(row + 8) * n + col] = __floats2half2_rn(acc[j][2], acc[j][3]);
    }
}

// --- causal: attention where the number of tiles depends on the block's number
template <bool RACY> __global__ void __launch_bounds__(128) causal(float *out, const float *q, const float *k, const float *v, int keys) {
    __shared__ float4 ks[32][16], vs[32][16];
    int t = threadIdx.x;
    size_t head = (size_t)blockIdx.y * keys * 64, row = head + ((size_t)blockIdx.x * 128 + t) * 64;
    float4 qr[16], sum[16];
    float most = -1e30f, all = 0;
    for (int d = 0; d < 16; d++) qr[d] = ((const float4 *)(q + row))[d], sum[d] = make_float4(0, 0, 0, 0);
    int last = (blockIdx.x + 1) * 128;
    for (int first = 0; first < last; first += 32) {
        for (int i = t; i < 512; i += 128) ks[i / 16][i % 16] = ((const float4 *)(k + head + (size_t)first * 64))[i], vs[i / 16][i % 16] = ((const float4 *)(v + head + (size_t)first * 64))[i]; // RACE causal
        __syncthreads();
        for (int j = 0; j < 32 && first + j <= (int)blockIdx.x * 128 + t; j++) {
            float s = 0;
            for (int d = 0; d < 16; d++) s += qr[d].x * ks[j][d].x + qr[d].y * ks[j][d].y + qr[d].z * ks[j][d].z + qr[d].w * ks[j][d].w; // RACE causal
            float m = fmaxf(most, s), f = __expf(most - m), p = __expf(s - m);
            most = m, all = all * f + p;
            for (int d = 0; d < 16; d++) sum[d].x = sum[d].x * f + p * vs[j][d].x, sum[d].y = sum[d].y * f + p * vs[j][d].y, sum[d].z = sum[d].z * f + p * vs[j][d].z, sum[d].w = sum[d].w * f + p * vs[j][d].w; // RACE causal
        }
        if (!RACY) __syncthreads();
    }
    for (int d = 0; d < 16; d++) ((float4 *)(out + row))[d] = make_float4(sum[d].x / all, sum[d].y / all, sum[d].z / all, sum[d].w / all);
}

static float *in, *out, *more;
static u32 *words, *starts;
template <bool RACY> static bool launch(const char *name) {
    dim3 tile(32, 8);
    int side = 1, heads = N / (1024 * 64) > 32 ? 32 : N / (1024 * 64);
    while (side * side < N) side *= 2;
    int small = side / 4;
    if (!strcmp(name, "softmax")) softmax<RACY><<<N / 4096, 256, (4096 + 256) * 4>>>(out, in, 4096);
    else if (!strcmp(name, "layernorm")) layernorm<RACY><<<N / 4096, 256>>>((float4 *)out, (float4 *)in, (float4 *)more, 1024);
    else if (!strcmp(name, "flash")) flash<RACY><<<dim3(16, heads), 128>>>((half *)out, (half *)words, (half *)words, (half *)words, 1024);
    else if (!strcmp(name, "ring")) { cudaFuncSetAttribute(ring<RACY>, cudaFuncAttributeMaxDynamicSharedMemorySize, 24576); ring<RACY><<<dim3(8, heads), 128, 24576>>>(out, in, more, in, 1024); }
    else if (!strcmp(name, "swizzle")) swizzle<RACY><<<dim3(side / 32, side / 32), tile>>>(out, in, side);
    else if (!strcmp(name, "segments")) segments<RACY><<<N / 256, 256>>>(out, in, words);
    else if (!strcmp(name, "radixselect")) radixselect<RACY><<<N / 1024, 256>>>((u32 *)out, words);
    else if (!strcmp(name, "spmv")) spmv<RACY><<<N / 16 / 8, 256>>>(out, in, words, more, starts, N);
    else if (!strcmp(name, "histogram")) histogram<RACY><<<N / 4096, 256>>>((u32 *)out, words, 16);
    else if (!strcmp(name, "lastblock")) lastblock<RACY><<<dim3(small / 32, small / 32, 4), tile>>>(out, out + small * small, starts + 1024, in, more, small);
    else if (!strcmp(name, "sgemm")) sgemm<RACY><<<dim3(small / 128, small / 128), 256>>>(out, in, more, small);
    else if (!strcmp(name, "hgemm")) hgemm<RACY><<<dim3(small / 64, small / 64), 128, 32768>>>((half *)out, (half *)words, (half *)words, small);
    else if (!strcmp(name, "causal")) causal<RACY><<<dim3(8, heads), 128>>>(out, in, more, in, 1024);
    else return false;
    return true;
}
static double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e6 + t.tv_nsec * 1e-3; }
int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "softmax";
    bool racy = argc > 2 && !strcmp(argv[2], "racy");
    int launches = argc > 3 ? atoi(argv[3]) : 40;
    if (argc > 4) N = 1 << atoi(argv[4]);
    std::vector<float> host(N);
    for (int i = 0; i < N; i++) host[i] = (float)((i * 2654435761u) >> 8) / (1 << 24);
    std::vector<u32> bits(N);
    for (int i = 0; i < N; i++) bits[i] = i * 2654435761u & 0x3fff3fff;
    cudaMalloc(&in, N * 4), cudaMalloc(&out, N * 4), cudaMalloc(&more, N * 4), cudaMalloc(&words, N * 4);
    cudaMemcpy(in, host.data(), N * 4, cudaMemcpyHostToDevice), cudaMemcpy(more, host.data(), N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(words, bits.data(), N * 4, cudaMemcpyHostToDevice), cudaMemset(out, 0, N * 4);
    std::vector<u32> rows(N / 16 + 1);
    for (int i = 0; i <= N / 16; i++) rows[i] = strcmp(name, "lastblock") ? 16 * i - (i % 2 ? 8 : 0) : 0;
    cudaMalloc(&starts, rows.size() * 4), cudaMemcpy(starts, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice);
    double first = 0, total = 0, least = 1e30, calls = 0;
    for (int i = 0; i < launches; i++) {
        double start = now();
        if (!(racy ? launch<true>(name) : launch<false>(name))) return 2;
        double called = now() - start;
        cudaDeviceSynchronize();
        double took = now() - start;
        if (!i) first = took; else total += took, calls += called, least = took < least ? took : least;
    }
    unsigned long long sum = 0;
    std::vector<u32> result(N);
    cudaMemcpy(result.data(), out, N * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) sum = sum * 1099511628211ull + result[i];
    printf("%-11s %-7s first %9.1f us, then %9.1f us in the mean, %9.1f at least (%7.1f in the call); sum %016llx; %s\n", name, racy ? "racy" : "correct", first, total / (launches - 1), least, calls / (launches - 1), sum, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
