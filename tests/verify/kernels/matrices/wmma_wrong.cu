//xfail:FOUND
//lockstep: verify --block 128
//write-read race on 'sa' between threads of one block
//write-write race on 'c' between threads of one block
//lanes of a warp can disagree on reaching this matrix operation
//
// No barrier before the matrix is read; one tile for all warps; half of a warp.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void no_barrier(const half *a, const half *b, float *c) {
    __shared__ half sa[16 * 16];
    for (unsigned i = threadIdx.x; i < 256; i += 128)
        sa[i] = a[i];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, sa, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c + (blockIdx.x * 4 + threadIdx.x / 32) * 256, fc, 16, wmma::mem_row_major);
}

__global__ void all_warps_one_tile(const half *a, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, (float)(threadIdx.x / 32));
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, a, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c + blockIdx.x * 256, fc, 16, wmma::mem_row_major);
}

__global__ void half_a_warp(const half *a, float *c) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    if (threadIdx.x % 32 < 16)
        wmma::store_matrix_sync(c + (blockIdx.x * 4 + threadIdx.x / 32) * 256, fc, 16, wmma::mem_row_major);
}
