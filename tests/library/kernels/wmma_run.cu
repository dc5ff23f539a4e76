// What a run shows of wmma: addresses and leading dimensions that it does not take, and what a tile costs.
#include <mma.h>
using namespace nvcuda;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major>;
using C = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// Not a multiple of eight halves.
//: odd_stride --arch sm_80 --grid 1 --block 64 --arg "f16[512]" --arg "f16[256]" --arg "f32[512]" => memory.misaligned a
__global__ void odd_stride(const half *a, const half *b, float *c) {
    A x; B y; C z;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a, 18); // [a]
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c + threadIdx.x / 32 * 256, z, 16, wmma::mem_row_major);
}
// Not aligned.
//: misaligned --arch sm_80 --grid 1 --block 64 --arg "f16[512]" --arg "f16[256]" --arg "f32[512]" => memory.misaligned b
__global__ void misaligned(const half *a, const half *b, float *c) {
    A x; B y; C z;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a + 4, 16); // [b]
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c + threadIdx.x / 32 * 256, z, 16, wmma::mem_row_major);
}
// 16 rows of 32 are wanted of a matrix that has 16 columns.
//: too_far --arch sm_80 --grid 1 --block 64 --arg "f16[512]" --arg "f16[256]" --arg "f32[512]" => memory.bounds c
__global__ void too_far(const half *a, const half *b, float *c) {
    A x; B y; C z;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a, 64); // [c]
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c + threadIdx.x / 32 * 256, z, 16, wmma::mem_row_major);
}
