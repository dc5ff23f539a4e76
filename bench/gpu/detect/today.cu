// Fifteen programs of today's kind, each correct and with a planted race (lines marked RACE), for
//     today NAME correct|racy [LAUNCHES [LOG2-OF-ELEMENTS]]
// which prints the wall time of launch and synchronise: of the first launch, and the mean from the second on;
// and a sum of the memory that the kernel leaves, which must be the same with and without a detector.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include <cuda_pipeline.h>

typedef unsigned int u32;

static int N = 1 << 22; // elements

// --- scan: inclusive prefix sums of 256 elements a block, two buffers in turn.
template <bool RACY> __global__ void scan(float *out, const float *in) {
    __shared__ float s[2][256];
    int t = threadIdx.x, now = 0;
    s[0][t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int next = RACY ? 0 : 1 - now;
        float x = s[now][t];
        if (t >= d) x += s[now][t - d]; // RACE scan
        s[next][t] = x;                 // RACE scan
        now = next;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[now][t];
}

// --- reduce: a sum of 2048 elements a block.
template <bool RACY> __global__ void reduce(float *out, const float *in) {
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += in[blockIdx.x * 2048 + i * 256 + t];
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d]; // RACE reduce
        if (!RACY || d != 64) __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

// --- transpose: tiles of 32 by 32 through shared memory.
template <bool RACY> __global__ void transpose(float *out, const float *in, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x]; // RACE transpose
    if (!RACY) __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j]; // RACE transpose
}

// --- stencil: five points of a line, with a halo in shared memory.
template <bool RACY> __global__ void stencil(float *out, const float *in, int n) {
    __shared__ float s[256 + 4];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t + 2] = in[i]; // RACE stencil
    if (t < 2) {
        s[t] = i >= 2 ? in[i - 2] : 0;
        s[t + 258] = i + 256 < n ? in[i + 256] : 0;
    }
    if (!RACY) __syncthreads();
    out[i] = 0.1f * s[t] + 0.2f * s[t + 1] + 0.4f * s[t + 2] + 0.2f * s[t + 3] + 0.1f * s[t + 4]; // RACE stencil
}

// --- softmax: a row of 1024 a block; the maximum and the sum by shuffles and one word a warp.
template <bool RACY> __global__ void softmax(float *out, const float *in) {
    __shared__ float part[8], all;
    int t = threadIdx.x, warp = t / 32;
    float x[4], most = -1e30f, sum = 0;
    for (int i = 0; i < 4; i++) x[i] = in[blockIdx.x * 1024 + i * 256 + t], most = fmaxf(most, x[i]);
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (t % 32 == 0) part[warp] = most;
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < 8; i++) most = fmaxf(most, part[i]);
        all = most;
    }
    __syncthreads();
    most = all; // RACE softmax
    if (!RACY) __syncthreads();
    for (int i = 0; i < 4; i++) x[i] = __expf(x[i] - most), sum += x[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (t % 32 == 0) part[warp] = sum;
    if (RACY) { // everybody adds up, and the first thread writes while others still read
        if (t == 0) all = sum; // RACE softmax
    }
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 8; i++) sum += part[i];
    for (int i = 0; i < 4; i++) out[blockIdx.x * 1024 + i * 256 + t] = x[i] / sum;
}

// --- layer norm: mean and variance of a row of 1024.
template <bool RACY> __device__ float block_sum(float x, float *part) {
    int t = threadIdx.x;
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    if (!RACY) __syncthreads(); // those of the sum before may still read
    if (t % 32 == 0) part[t / 32] = x; // RACE layernorm
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += part[i]; // RACE layernorm
    return sum;
}
template <bool RACY> __global__ void layernorm(float *out, const float *in, const float *scale, const float *shift) {
    __shared__ float part[8];
    int t = threadIdx.x;
    float x[4], sum = 0, squares = 0;
    for (int i = 0; i < 4; i++) x[i] = in[blockIdx.x * 1024 + i * 256 + t], sum += x[i];
    float mean = block_sum<RACY>(sum, part) / 1024;
    for (int i = 0; i < 4; i++) squares += (x[i] - mean) * (x[i] - mean);
    float factor = rsqrtf(block_sum<RACY>(squares, part) / 1024 + 1e-5f);
    for (int i = 0; i < 4; i++) {
        int at = i * 256 + t;
        out[blockIdx.x * 1024 + at] = (x[i] - mean) * factor * scale[at] + shift[at];
    }
}

// --- histogram: 256 bins in shared memory with atomics, added to global memory with atomics.
template <bool RACY> __global__ void histogram(u32 *bins, const u32 *in) {
    __shared__ u32 s[256];
    int t = threadIdx.x;
    s[t] = 0; // RACE histogram
    if (!RACY) __syncthreads();
    for (int i = 0; i < 16; i++) atomicAdd(&s[in[(blockIdx.x * 16 + i) * 256 + t] & 255], 1u); // RACE histogram
    __syncthreads();
    atomicAdd(&bins[t], s[t]);
}

// --- segmented scan: sums that start anew where a flag is set.
template <bool RACY> __global__ void segments(float *out, const float *in, const u32 *keys) {
    __shared__ float v[256];
    __shared__ int head[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    v[t] = in[i];
    head[t] = t == 0 || keys[i] % 61 == 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        float x = v[t];
        int h = head[t];
        if (t >= d && !h) x += v[t - d]; // RACE segments
        if (t >= d) h |= head[t - d]; // RACE segments
        if (!RACY || d != 32) __syncthreads();
        v[t] = x; // RACE segments
        head[t] = h; // RACE segments
        __syncthreads();
    }
    out[i] = v[t];
}

// --- matmul: tiles of 32 by 32.
template <bool RACY> __global__ void matmul(float *c, const float *a, const float *b, int n) {
    __shared__ float as[32][32], bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
    float sum[4] = {0};
    for (int k = 0; k < n; k += 32) {
        for (int j = 0; j < 32; j += 8) {
            as[ty + j][tx] = a[(row + j) * n + k + tx];
            bs[ty + j][tx] = b[(k + ty + j) * n + column]; // RACE matmul
        }
        __syncthreads();
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 32; i++) sum[j] += as[ty + 8 * j][i] * bs[i][tx]; // RACE matmul
        if (!RACY) __syncthreads();
    }
    for (int j = 0; j < 4; j++) c[(row + 8 * j) * n + column] = sum[j];
}

// --- pipeline: tiles that cp.async brings, two in flight, each thread reads its neighbour's.
template <bool RACY> __global__ void pipeline(float *out, const float *in, int tiles) {
    __shared__ __align__(16) float s[2][1024];
    int t = threadIdx.x;
    const float *from = in + (size_t)blockIdx.x * tiles * 1024;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][4 * t], from + 4 * t, 16);
    __pipeline_commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) __pipeline_memcpy_async(&s[(k + 1) & 1][4 * t], from + (k + 1) * 1024 + 4 * t, 16); // RACE pipeline
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int i = 0; i < 4; i++) sum += s[k & 1][(4 * t + 132 + i) & 1023]; // RACE pipeline
        if (!RACY) __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum;
}

// --- attention: 128 queries a block, keys and values in tiles of 32 rows of 64, sums kept up to date with the
// largest product so far.
struct attention_row {
    float q[64], sum[64], most, all;
};
static __device__ void attention_begin(attention_row &r, const float *q) {
    for (int d = 0; d < 64; d++) r.q[d] = q[d] * 0.125f, r.sum[d] = 0;
    r.most = -1e30f, r.all = 0;
}
static __device__ void attention_tile(attention_row &r, const float (*ks)[64], const float (*vs)[64]) {
    for (int j = 0; j < 32; j++) {
        float s = 0;
#pragma unroll
        for (int d = 0; d < 64; d++) s += r.q[d] * ks[j][d]; // RACE attention RACE copied
        float most = fmaxf(r.most, s), fade = __expf(r.most - most), p = __expf(s - most);
        r.most = most, r.all = r.all * fade + p;
#pragma unroll
        for (int d = 0; d < 64; d++) r.sum[d] = r.sum[d] * fade + p * vs[j][d]; // RACE attention RACE copied
    }
}
template <bool RACY>
__global__ void __launch_bounds__(128) attention(float *out, const float *q, const float *k, const float *v, int keys) {
    __shared__ __align__(16) float ks[32][64], vs[32][64];
    int t = threadIdx.x, head = blockIdx.y * keys;
    size_t row = head + blockIdx.x * 128 + t;
    attention_row r;
    attention_begin(r, q + row * 64);
    for (int first = 0; first < keys; first += 32) {
        for (int i = t; i < 32 * 64; i += 128) {
            ks[i / 64][i % 64] = k[(size_t)(head + first) * 64 + i]; // RACE attention
            vs[i / 64][i % 64] = v[(size_t)(head + first) * 64 + i]; // RACE attention
        }
        __syncthreads();
        attention_tile(r, ks, vs);
        if (!RACY) __syncthreads();
    }
    for (int d = 0; d < 64; d++) out[row * 64 + d] = r.sum[d] / r.all;
}

// --- the same with the next tiles on their way (cp.async) while these are used; one barrier a tile.
static __device__ void copy_tile(float (*to)[64], const float *from) {
    for (int i = threadIdx.x; i < 32 * 16; i += 128)
        __pipeline_memcpy_async(&to[i / 16][i % 16 * 4], from + i * 4, 16); // RACE copied
}
template <bool RACY>
__global__ void __launch_bounds__(128) copied(float *out, const float *q, const float *k, const float *v, int keys) {
    __shared__ __align__(16) float ks[2][32][64], vs[2][32][64];
    int t = threadIdx.x, head = blockIdx.y * keys;
    size_t row = head + blockIdx.x * 128 + t;
    attention_row r;
    attention_begin(r, q + row * 64);
    k += (size_t)head * 64, v += (size_t)head * 64;
    copy_tile(ks[0], k), copy_tile(vs[0], v);
    __pipeline_commit();
    for (int tile = 0; tile < keys / 32; tile++) {
        int next = (tile + 1) & 1;
        bool more = (tile + 1) * 32 < keys;
        if (RACY && more) copy_tile(ks[next], k + (tile + 1) * 2048), copy_tile(vs[next], v + (tile + 1) * 2048);
        if (RACY) __pipeline_commit();
        __pipeline_wait_prior(RACY ? 1 : 0);
        __syncthreads();
        if (!RACY && more) copy_tile(ks[next], k + (tile + 1) * 2048), copy_tile(vs[next], v + (tile + 1) * 2048);
        if (!RACY) __pipeline_commit();
        attention_tile(r, ks[tile & 1], vs[tile & 1]);
    }
    for (int d = 0; d < 64; d++) out[row * 64 + d] = r.sum[d] / r.all;
}

// --- top-k: the 16 largest of 1024 with their places, by a bitonic sort in shared memory.
template <bool RACY> __global__ void topk(float *out, const float *in) {
    __shared__ float v[1024];
    __shared__ int at[1024];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 256) v[i] = in[blockIdx.x * 1024 + i], at[i] = i;
    __syncthreads();
    for (int size = 2; size <= 1024; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            for (int i = t; i < 512; i += 256) {
                int low = i / step * 2 * step + i % step, high = low + step;
                float a = v[low], b = v[high]; // RACE topk
                if ((a < b) == ((low & size) == 0)) {
                    int x = at[low];
                    v[low] = b, v[high] = a; // RACE topk
                    at[low] = at[high], at[high] = x; // RACE topk
                }
            }
            if (!RACY || step != 64) __syncthreads();
        }
    if (t < 16) out[blockIdx.x * 32 + t] = v[t], out[blockIdx.x * 32 + 16 + t] = at[t];
}

// --- sparse matrix by vector: 64 rows a block, products in shared memory, then a sum for each row.
template <bool RACY> __global__ void spmv(float *out, const float *values, const u32 *columns, const float *x, const u32 *starts, int n) {
    __shared__ float s[1024];
    int t = threadIdx.x, row = blockIdx.x * 64 + t;
    u32 first = starts[blockIdx.x * 64], last = starts[blockIdx.x * 64 + 64];
    for (u32 i = first + t; i < last && i - first < 1024; i += 256)
        s[i - first] = values[i] * x[columns[i] & (n - 1)]; // RACE spmv
    if (!RACY) __syncthreads();
    if (t >= 64) return;
    float sum = 0;
    for (u32 i = starts[row]; i < starts[row + 1]; i++) sum += s[i - first]; // RACE spmv
    out[row] = sum;
}

// --- matmul with its depth split among blocks, which add their parts; of small whole numbers, so that the
// order does not matter.
template <bool RACY> __global__ void splitk(float *c, const float *a, const float *b, int n) {
    __shared__ float as[32][32], bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
    int depth = n / gridDim.z, first = blockIdx.z * depth;
    float sum[4] = {0};
    for (int k = first; k < first + depth; k += 32) {
        for (int j = 0; j < 32; j += 8) {
            as[ty + j][tx] = floorf(4 * a[(row + j) * n + k + tx]);
            bs[ty + j][tx] = floorf(4 * b[(k + ty + j) * n + column]);
        }
        __syncthreads();
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 32; i++) sum[j] += as[ty + 8 * j][i] * bs[i][tx];
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) {
        float *to = &c[(row + 8 * j) * n + column];
        if (RACY) *to += sum[j]; // RACE splitk
        else atomicAdd(to, sum[j]);
    }
}

// --- The programs ---------------------------------------------------------------------------------------------
static float *in, *out, *more;
static u32 *words, *starts;

template <bool RACY> static bool launch(const char *name) {
    dim3 tile(32, 8);
    int side = 1, heads = N / (1024 * 64) > 32 ? 32 : N / (1024 * 64);
    while (side * side < N) side *= 2;
    if (!strcmp(name, "scan")) scan<RACY><<<N / 256, 256>>>(out, in);
    else if (!strcmp(name, "reduce")) reduce<RACY><<<N / 2048, 256>>>(out, in);
    else if (!strcmp(name, "transpose")) transpose<RACY><<<dim3(side / 32, side / 32), tile>>>(out, in, side);
    else if (!strcmp(name, "stencil")) stencil<RACY><<<N / 256, 256>>>(out, in, N);
    else if (!strcmp(name, "softmax")) softmax<RACY><<<N / 1024, 256>>>(out, in);
    else if (!strcmp(name, "layernorm")) layernorm<RACY><<<N / 1024, 256>>>(out, in, more, more + 1024);
    else if (!strcmp(name, "histogram")) histogram<RACY><<<N / 4096, 256>>>((u32 *)out, words);
    else if (!strcmp(name, "segments")) segments<RACY><<<N / 256, 256>>>(out, in, words);
    else if (!strcmp(name, "matmul")) matmul<RACY><<<dim3(side / 128, side / 128), tile>>>(out, in, more, side / 4);
    else if (!strcmp(name, "pipeline")) pipeline<RACY><<<N / 1024 / 16, 256>>>(out, in, 16);
    else if (!strcmp(name, "attention")) attention<RACY><<<dim3(8, heads), 128>>>(out, in, more, in, 1024);
    else if (!strcmp(name, "copied")) copied<RACY><<<dim3(8, heads), 128>>>(out, in, more, in, 1024);
    else if (!strcmp(name, "topk")) topk<RACY><<<N / 1024, 256>>>(out, in);
    else if (!strcmp(name, "spmv")) spmv<RACY><<<N / 1024, 256>>>(out, in, words, more, starts, N);
    else if (!strcmp(name, "splitk")) splitk<RACY><<<dim3(side / 128, side / 128, 4), tile>>>(out, in, more, side / 4);
    else return false;
    return true;
}

static double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "scan";
    bool racy = argc > 2 && !strcmp(argv[2], "racy");
    int launches = argc > 3 ? atoi(argv[3]) : 40;
    if (argc > 4) N = 1 << atoi(argv[4]); // an even number, at least 16
    std::vector<float> host(N);
    for (int i = 0; i < N; i++) host[i] = (float)((i * 2654435761u) >> 8) / (1 << 24);
    cudaMalloc(&in, N * 4), cudaMalloc(&out, N * 4), cudaMalloc(&more, N * 4), cudaMalloc(&words, N * 4);
    cudaMemcpy(in, host.data(), N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(more, host.data(), N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(words, host.data(), N * 4, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, N * 4);
    std::vector<u32> rows(N / 16 + 1);
    for (int i = 0; i <= N / 16; i++) rows[i] = 16 * i - (i % 2 ? 8 : 0); // 8 and 24 elements in turn
    cudaMalloc(&starts, rows.size() * 4);
    cudaMemcpy(starts, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice);
    double first = 0, total = 0, calls = 0, least = 1e30;
    for (int i = 0; i < launches; i++) {
        double start = now();
        if (!(racy ? launch<true>(name) : launch<false>(name))) return 2;
        double called = now() - start;
        cudaDeviceSynchronize();
        double took = now() - start;
        if (!i) first = took;
        else total += took, calls += called, least = took < least ? took : least;
    }
    unsigned long long sum = 0;
    std::vector<u32> result(N);
    cudaMemcpy(result.data(), out, N * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) sum = sum * 1099511628211ull + result[i];
    printf("%-10s %-7s first %9.1f us, then %9.1f us in the mean, %9.1f at least (%7.1f in the call); sum %016llx; %s\n", name,
           racy ? "racy" : "correct", first, total / (launches - 1), least, calls / (launches - 1), sum, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
