//xfail:FOUND
//lockstep: verify --arch sm_80 --block 64 --grid 1
//wmma_wrong.cu:24:[0-9]+: error: write-write race on 'c'
//wmma_wrong.cu:[0-9]+:[0-9]+: error: write-write race on 's'
//wmma_wrong.cu:[0-9]+:[0-9]+: error: write-read race on 's'
//can disagree on reaching this matrix operation
//4 kernels: 4 refuted
//
// Tiles that are not where they are meant to be, and operations of half a warp.
#include <mma.h>
using namespace nvcuda;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major>;
using C = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// The leading dimension is that of another matrix: warps store into each other's tiles.
__global__ void wrong_ldm(const half *a, const half *b, float *c) {
    A x; B y; C z;
    int warp = threadIdx.x / 32;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a + warp * 256, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c + warp * 16, z, 16, wmma::mem_row_major);
}
// Tiles of different warps overlap in shared memory.
__global__ void overlap(const half *a, const half *b, float *c) {
    __shared__ float s[2 * 256];
    A x; B y; C z;
    int warp = threadIdx.x / 32;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a + warp * 256, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(s + warp * 128, z, 16, wmma::mem_row_major);
    __syncthreads();
    c[threadIdx.x] = s[threadIdx.x];
}
// Read before the barrier.
__global__ void no_barrier(const half *a, const half *b, float *c) {
    __shared__ float s[512];
    A x; B y; C z;
    int warp = threadIdx.x / 32;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a + warp * 256, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(s + warp * 256, z, 16, wmma::mem_row_major);
    c[threadIdx.x] = s[511 - threadIdx.x];
}
// Half of a warp comes to it.
__global__ void half_warp(const half *a, const half *b, float *c) {
    A x; B y; C z;
    if (threadIdx.x % 32 < 16) {
        wmma::fill_fragment(z, 0.0f);
        wmma::load_matrix_sync(x, a, 16);
        wmma::load_matrix_sync(y, b, 16);
        wmma::mma_sync(z, x, y, z);
        wmma::store_matrix_sync(c + threadIdx.x / 32 * 256, z, 16, wmma::mem_row_major);
    }
}