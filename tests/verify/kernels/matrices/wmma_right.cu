//pass
//lockstep: verify --block 128
//
// Each warp has a tile of its own, and what the warps read together stands behind a barrier.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void one_tile_a_warp(const half *a, const half *b, float *c) {
    unsigned warp = (blockIdx.x * 128 + threadIdx.x) / 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < 64; k += 16) {
        wmma::load_matrix_sync(fa, a + k, 64);
        wmma::load_matrix_sync(fb, b + k, 64);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + warp * 256, fc, 16, wmma::mem_row_major);
}

__global__ void through_shared(const half *a, const half *b, float *c) {
    __shared__ half sa[16 * 16], sb[16 * 16];
    for (unsigned i = threadIdx.x; i < 256; i += 128) {
        sa[i] = a[i];
        sb[i] = b[i];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, sa, 16);
    wmma::load_matrix_sync(fb, sb, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c + (blockIdx.x * 4 + threadIdx.x / 32) * 256, fc, 16, wmma::mem_row_major);
}
