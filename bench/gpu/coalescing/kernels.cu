// Micro-kernels for holding predicted sectors and bank conflicts against what a GPU counts. Each has one access
// of its kind that matters: what is read is used by a store that never happens (the data are zero), and shared
// memory is filled and emptied by accesses without conflicts. kernels.def has the launches.
#define SINK(v)                                                                                              \
    if ((v) == 123) out[0] = 1
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_LOAD(name, index)                                                                             \
    extern "C" __global__ void name(const float *__restrict__ in, float *out) {                             \
        [[maybe_unused]] unsigned i = THREAD;                                                                \
        float v = in[index];                                                                                 \
        SINK(v);                                                                                             \
    }

GLOBAL_LOAD(ld_stride1, i)
GLOBAL_LOAD(ld_stride2, i * 2)
GLOBAL_LOAD(ld_stride4, i * 4)
GLOBAL_LOAD(ld_stride8, i * 8)
GLOBAL_LOAD(ld_stride17, i * 17)
GLOBAL_LOAD(ld_stride32, i * 32)
GLOBAL_LOAD(ld_stride33, i * 33)
GLOBAL_LOAD(ld_reverse, 1023 - i)
GLOBAL_LOAD(ld_offset1, i + 1)
GLOBAL_LOAD(ld_offset8, i + 8)
GLOBAL_LOAD(ld_broadcast, blockIdx.x)
GLOBAL_LOAD(ld_div4, i / 4)
GLOBAL_LOAD(ld_mod24, threadIdx.x % 24)
GLOBAL_LOAD(ld_xor5, i ^ 5)
GLOBAL_LOAD(ld_select, (threadIdx.x & 1 ? i + 64 : i))

#define TYPED_LOAD(name, type, index, part)                                                                  \
    extern "C" __global__ void name(const type *__restrict__ in, float *out) {                              \
        unsigned i = THREAD;                                                                                 \
        type v = in[index];                                                                                  \
        SINK(v part);                                                                                        \
    }
TYPED_LOAD(ld_char, char, i, )
TYPED_LOAD(ld_short_stride3, short, i * 3, )
TYPED_LOAD(ld_float2, float2, i, .x + v.y)
TYPED_LOAD(ld_float4, float4, i, .x + v.y + v.z + v.w)
TYPED_LOAD(ld_float4_offset1, float4, i + 1, .x + v.y + v.z + v.w)
TYPED_LOAD(ld_float4_stride2, float4, i * 2, .x + v.y + v.z + v.w)
TYPED_LOAD(ld_double_stride2, double, i * 2, )

struct three { float x, y, z; };
struct five { float a, b, c, d, e; };
extern "C" __global__ void ld_aos12(const three *__restrict__ in, float *out) { SINK(in[THREAD].y); }
extern "C" __global__ void ld_aos20(const five *__restrict__ in, float *out) { SINK(in[THREAD].c); }

#define TILE_LOAD(name, pitch)                                                                               \
    extern "C" __global__ void name(const float *__restrict__ in, float *out) {                             \
        unsigned x = THREAD, y = threadIdx.y;                                                                \
        SINK(in[y * pitch + x]);                                                                             \
    }
TILE_LOAD(ld_8x8_pitch1000, 1000)
TILE_LOAD(ld_8x8_pitch1024, 1024)
TILE_LOAD(ld_16x16_pitch1001, 1001)
TILE_LOAD(ld_16x16_pitch1024, 1024)
TILE_LOAD(ld_32x8_pitch1001, 1001)
TILE_LOAD(ld_12x10_pitch100, 100)
extern "C" __global__ void ld_column_32x8(const float *__restrict__ in, float *out) {
    SINK(in[THREAD * 1024 + threadIdx.y]);
}
extern "C" __global__ void ld_half_warp(const float *__restrict__ in, float *out) {
    if (threadIdx.x % 32 < 16) SINK(in[THREAD]);
}
extern "C" __global__ void ld_single(const float *__restrict__ in, float *out) {
    if (threadIdx.x == 5) SINK(in[THREAD * 8]);
}

#define GLOBAL_STORE(name, index)                                                                            \
    extern "C" __global__ void name(const float *__restrict__ in, float *out) {                             \
        unsigned i = THREAD;                                                                                 \
        out[index] = 1;                                                                                      \
    }
GLOBAL_STORE(st_stride1, i)
GLOBAL_STORE(st_stride2, i * 2)
GLOBAL_STORE(st_stride33, i * 33)
GLOBAL_STORE(st_offset1, i + 1)
GLOBAL_STORE(st_column_16x16, i * 1024 + threadIdx.y)
extern "C" __global__ void st_float4(const float *__restrict__ in, float4 *out) {
    out[THREAD] = make_float4(1, 2, 3, 4);
}

// Transposes of 32 x 32 tiles of a matrix that is 128 wide, by 32 x 8 threads, four rows each.
extern "C" __global__ void transpose_naive(const float *__restrict__ in, float *out) {
    unsigned x = blockIdx.x * 32 + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8) out[x * 128 + threadIdx.y + k] = in[(threadIdx.y + k) * 128 + x];
}
template <int PITCH, bool SWIZZLE> __device__ void transpose(const float *__restrict__ in, float *out) {
    __shared__ float tile[32 * PITCH];
    unsigned x = blockIdx.x * 32 + threadIdx.x, tx = threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8) {
        unsigned y = threadIdx.y + k;
        tile[y * PITCH + (SWIZZLE ? tx ^ y : tx)] = in[y * 128 + x];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8) {
        unsigned y = threadIdx.y + k;
        out[(blockIdx.x * 32 + y) * 128 + tx] = tile[tx * PITCH + (SWIZZLE ? y ^ tx : y)];
    }
}
extern "C" __global__ void transpose_tile(const float *__restrict__ in, float *out) { transpose<32, false>(in, out); }
extern "C" __global__ void transpose_padded(const float *__restrict__ in, float *out) { transpose<33, false>(in, out); }
extern "C" __global__ void transpose_swizzled(const float *__restrict__ in, float *out) { transpose<32, true>(in, out); }

// Shared memory: one store without conflicts, a barrier, the load that is measured.
#define SHARED_LOAD(name, type, size, index, part)                                                           \
    extern "C" __global__ void name(const float *__restrict__ in, float *out) {                             \
        __shared__ __align__(128) type s[size];                                                              \
        unsigned t = threadIdx.x;                                                                            \
        ((volatile float *)s)[t] = 0;                                                                        \
        __syncthreads();                                                                                     \
        type v = s[index];                                                                                   \
        SINK(v part);                                                                                        \
    }
SHARED_LOAD(sl_stride2, float, 64 * 33, t * 2, )
SHARED_LOAD(sl_stride4, float, 64 * 33, t * 4, )
SHARED_LOAD(sl_stride8, float, 64 * 33, t * 8, )
SHARED_LOAD(sl_stride17, float, 64 * 33, t * 17, )
SHARED_LOAD(sl_stride32, float, 64 * 33, t * 32, )
SHARED_LOAD(sl_stride33, float, 64 * 33, t * 33, )
SHARED_LOAD(sl_broadcast, float, 64 * 33, t / 32, )
SHARED_LOAD(sl_mod5, float, 64 * 33, t % 5 * 32, )
SHARED_LOAD(sl_char_stride1, char, 256, t, )
SHARED_LOAD(sl_float2, float2, 64 * 2, t, .x + v.y)
SHARED_LOAD(sl_float2_stride2, float2, 64 * 2, t * 2, .x + v.y)
SHARED_LOAD(sl_float4, float4, 64, t, .x + v.y + v.z + v.w)
SHARED_LOAD(sl_float4_stride2, float4, 64 * 2, t * 2, .x + v.y + v.z + v.w)
SHARED_LOAD(sl_float4_stride5, float4, 64 * 5, t * 5, .x + v.y + v.z + v.w)
extern "C" __global__ void sl_column_16x16(const float *__restrict__ in, float *out) {
    __shared__ float s[16 * 16];
    volatile float *fill = s;
    fill[threadIdx.y * 16 + threadIdx.x] = 0;
    __syncthreads();
    SINK(s[threadIdx.x * 16 + threadIdx.y]);
}

// The store is what is measured; then a load without conflicts.
#define SHARED_STORE(name, type, size, index, value)                                                         \
    extern "C" __global__ void name(const float *__restrict__ in, float *out) {                             \
        __shared__ __align__(128) type s[size];                                                              \
        unsigned t = threadIdx.x;                                                                            \
        s[index] = value;                                                                                    \
        __syncthreads();                                                                                     \
        SINK(((volatile float *)s)[t]);                                                                      \
    }
SHARED_STORE(ss_stride2, float, 64 * 2, t * 2, (float)t)
SHARED_STORE(ss_stride32, float, 64 * 32, t * 32, (float)t)
SHARED_STORE(ss_float2_stride2, float2, 64 * 2, t * 2, make_float2((float)t, 1))
SHARED_STORE(ss_float4_stride2, float4, 64 * 2, t * 2, make_float4((float)t, 1, 2, 3))

// Reductions of 128 numbers: with interleaved addressing (conflicts grow with the step) and with sequential.
extern "C" __global__ void reduce_interleaved(const float *__restrict__ in, float *out) {
    __shared__ float s[128];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
#pragma unroll 1
    for (unsigned step = 1; step < 128; step *= 2) {
        unsigned i = 2 * step * t;
        if (i < 128) s[i] += s[i + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void reduce_sequential(const float *__restrict__ in, float *out) {
    __shared__ float s[128];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
#pragma unroll 1
    for (unsigned step = 64; step > 0; step /= 2) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

// Matrices: wmma's loads and stores, and ldmatrix and stmatrix by their PTX; a pitch is in elements.
#include <mma.h>
using namespace nvcuda;
template <class F> __device__ float sum_of(const F &f) {
    float sum = 0;
    for (int i = 0; i < f.num_elements; i++) sum += (float)f.x[i];
    return sum;
}
template <int M, int N, int K, class T, class L> using matrix_a = wmma::fragment<wmma::matrix_a, M, N, K, T, L>;
template <int M, int N, int K, class T, class L> using matrix_b = wmma::fragment<wmma::matrix_b, M, N, K, T, L>;
template <class T> struct sums_of { typedef wmma::fragment<wmma::accumulator, 16, 16, 16, T> type; };
template <> struct sums_of<double> { typedef wmma::fragment<wmma::accumulator, 8, 8, 4, double> type; };
template <class T> using sums = typename sums_of<T>::type;
typedef signed char tiny;
typedef wmma::precision::tf32 tf32;

#define WMMA_GLOBAL(name, type, pitch, ...)                                                                  \
    extern "C" __global__ void name(const type *__restrict__ in, float *out) {                              \
        __VA_ARGS__ f;                                                                                       \
        wmma::load_matrix_sync(f, in + threadIdx.x / 32 * 32 * pitch, pitch);                                \
        SINK(sum_of(f));                                                                                     \
    }
#define WMMA_SHARED(name, type, pitch, ...)                                                                  \
    extern "C" __global__ void name(const float *__restrict__ in, float *out) {                             \
        __shared__ __align__(128) type s[32 * pitch];                                                        \
        ((volatile float *)s)[threadIdx.x] = 0;                                                              \
        __syncthreads();                                                                                     \
        __VA_ARGS__ f;                                                                                       \
        wmma::load_matrix_sync(f, s, pitch);                                                                 \
        SINK(sum_of(f));                                                                                     \
    }
#define WMMA_BOTH(name, type, pitch, ...)                                                                    \
    WMMA_GLOBAL(ld_##name, type, pitch, __VA_ARGS__)                                                         \
    WMMA_SHARED(sl_##name, type, pitch, __VA_ARGS__)
WMMA_BOTH(wmma_a_row_16, half, 16, matrix_a<16, 16, 16, half, wmma::row_major>)
WMMA_BOTH(wmma_a_row_64, half, 64, matrix_a<16, 16, 16, half, wmma::row_major>)
WMMA_BOTH(wmma_a_row_72, half, 72, matrix_a<16, 16, 16, half, wmma::row_major>)
WMMA_BOTH(wmma_a_col_32, half, 32, matrix_a<16, 16, 16, half, wmma::col_major>)
WMMA_BOTH(wmma_b_row_32, half, 32, matrix_b<16, 16, 16, half, wmma::row_major>)
WMMA_BOTH(wmma_b_col_24, half, 24, matrix_b<16, 16, 16, half, wmma::col_major>)
WMMA_BOTH(wmma_a_tall, half, 40, matrix_a<32, 8, 16, half, wmma::col_major>)
WMMA_BOTH(wmma_b_wide, half, 40, matrix_b<8, 32, 16, half, wmma::row_major>)
WMMA_BOTH(wmma_a_byte_row, tiny, 32, matrix_a<16, 16, 16, tiny, wmma::row_major>)
WMMA_BOTH(wmma_a_byte_col, tiny, 32, matrix_a<16, 16, 16, tiny, wmma::col_major>)
WMMA_BOTH(wmma_a_tf32_row_8, float, 8, matrix_a<16, 16, 8, tf32, wmma::row_major>)
WMMA_BOTH(wmma_a_tf32_row_20, float, 20, matrix_a<16, 16, 8, tf32, wmma::row_major>)
WMMA_BOTH(wmma_a_tf32_col_16, float, 16, matrix_a<16, 16, 8, tf32, wmma::col_major>)
WMMA_BOTH(wmma_b_tf32_row_24, float, 24, matrix_b<16, 16, 8, tf32, wmma::row_major>)
WMMA_BOTH(wmma_b_tf32_col_12, float, 12, matrix_b<16, 16, 8, tf32, wmma::col_major>)
WMMA_BOTH(wmma_a_double_row_4, double, 4, matrix_a<8, 8, 4, double, wmma::row_major>)
WMMA_BOTH(wmma_a_double_row_6, double, 6, matrix_a<8, 8, 4, double, wmma::row_major>)
WMMA_BOTH(wmma_a_double_col_8, double, 8, matrix_a<8, 8, 4, double, wmma::col_major>)
WMMA_BOTH(wmma_b_double_row_16, double, 16, matrix_b<8, 8, 4, double, wmma::row_major>)
WMMA_BOTH(wmma_b_double_col_4, double, 4, matrix_b<8, 8, 4, double, wmma::col_major>)

#define WMMA_SUMS(name, type, pitch, layout)                                                                 \
    extern "C" __global__ void ld_##name(const type *__restrict__ in, float *out) {                         \
        sums<type> f;                                                                                        \
        wmma::load_matrix_sync(f, in, pitch, layout);                                                        \
        SINK(sum_of(f));                                                                                     \
    }                                                                                                        \
    extern "C" __global__ void st_##name(const float *__restrict__ in, type *out) {                         \
        sums<type> f;                                                                                        \
        wmma::fill_fragment(f, (type)1.0f);                                                                  \
        wmma::store_matrix_sync(out + threadIdx.x / 32 * 16 * pitch, f, pitch, layout);                      \
    }                                                                                                        \
    extern "C" __global__ void ss_##name(const float *__restrict__ in, float *out) {                        \
        __shared__ __align__(128) type s[16 * pitch];                                                        \
        sums<type> f;                                                                                        \
        wmma::fill_fragment(f, (type)1.0f);                                                                  \
        wmma::store_matrix_sync(s, f, pitch, layout);                                                        \
        __syncthreads();                                                                                     \
        SINK(((volatile float *)s)[threadIdx.x]);                                                            \
    }
WMMA_SUMS(wmma_sums_row_16, float, 16, wmma::mem_row_major)
WMMA_SUMS(wmma_sums_row_20, float, 20, wmma::mem_row_major)
WMMA_SUMS(wmma_sums_col_32, float, 32, wmma::mem_col_major)
WMMA_SUMS(wmma_halves_row_24, half, 24, wmma::mem_row_major)
WMMA_SUMS(wmma_halves_col_32, half, 32, wmma::mem_col_major)
WMMA_SUMS(wmma_doubles_row_8, double, 8, wmma::mem_row_major)
WMMA_SUMS(wmma_doubles_row_10, double, 10, wmma::mem_row_major)
WMMA_SUMS(wmma_doubles_col_16, double, 16, wmma::mem_col_major)

#define LDMATRIX(name, pitch, row, form, registers, ...)                                                     \
    extern "C" __global__ void name(const float *__restrict__ in, float *out) {                             \
        __shared__ __align__(128) char s[32 * pitch];                                                        \
        unsigned t = threadIdx.x % 32, r[4] = {0};                                                           \
        ((volatile float *)s)[threadIdx.x] = 0;                                                              \
        __syncthreads();                                                                                     \
        unsigned at = (unsigned)__cvta_generic_to_shared(s + row);                                           \
        asm volatile("ldmatrix.sync.aligned.m8n8." form ".shared.b16 " registers ";" : __VA_ARGS__ : "r"(at)); \
        SINK((float)(r[0] + r[1] + r[2] + r[3]));                                                            \
    }
#define ONE "=r"(r[0])
#define TWO ONE, "=r"(r[1])
#define FOUR TWO, "=r"(r[2]), "=r"(r[3])
LDMATRIX(sl_ldmatrix_x1_16, 16, t % 8 * 16, "x1", "{%0}, [%1]", ONE)
LDMATRIX(sl_ldmatrix_x2_32, 32, t % 16 * 32, "x2", "{%0, %1}, [%2]", TWO)
LDMATRIX(sl_ldmatrix_x4_64, 64, t * 64, "x4", "{%0, %1, %2, %3}, [%4]", FOUR)
LDMATRIX(sl_ldmatrix_x4_80, 80, t * 80, "x4", "{%0, %1, %2, %3}, [%4]", FOUR)
LDMATRIX(sl_ldmatrix_x4_128, 128, t * 128, "x4.trans", "{%0, %1, %2, %3}, [%4]", FOUR)
LDMATRIX(sl_ldmatrix_x4_swizzled, 128, t * 128 + (t % 8 * 16), "x4", "{%0, %1, %2, %3}, [%4]", FOUR)

#define STMATRIX(name, pitch, row, form, registers, ...)                                                     \
    extern "C" __global__ void name(const float *__restrict__ in, float *out) {                             \
        __shared__ __align__(128) char s[32 * pitch];                                                        \
        unsigned t = threadIdx.x % 32;                                                                       \
        unsigned at = (unsigned)__cvta_generic_to_shared(s + row);                                           \
        asm volatile("stmatrix.sync.aligned.m8n8." form ".shared.b16 [%0], " registers ";" ::"r"(at),        \
                     __VA_ARGS__);                                                                           \
        __syncthreads();                                                                                     \
        SINK(((volatile float *)s)[threadIdx.x]);                                                            \
    }
STMATRIX(ss_stmatrix_x1_64, 64, t % 8 * 64, "x1", "{%1}", "r"(t))
STMATRIX(ss_stmatrix_x4_16, 16, t * 16, "x4", "{%1, %2, %3, %4}", "r"(t), "r"(t), "r"(t), "r"(t))
STMATRIX(ss_stmatrix_x4_32, 32, t * 32, "x4.trans", "{%1, %2, %3, %4}", "r"(t), "r"(t), "r"(t), "r"(t))
