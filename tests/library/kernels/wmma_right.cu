//pass
//lockstep: verify --arch sm_80 --block 64 --grid 4
//3 kernels: 3 proved
//
// Every warp has a tile of its own; what goes through shared memory is behind a barrier.
#include <mma.h>
using namespace nvcuda;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major>;
using C = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

__global__ void tiles(const half *a, const half *b, float *c) {
    A x; B y; C z;
    int tile = blockIdx.x * 2 + threadIdx.x / 32;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a + tile * 256, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c + tile * 256, z, 16, wmma::mem_row_major);
}

// Side by side in a matrix of 32 columns.
__global__ void columns(const half *a, const half *b, float *c) {
    A x; B y; C z;
    int warp = threadIdx.x / 32;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b + warp * 256, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c + blockIdx.x * 512 + warp * 16, z, 32, wmma::mem_row_major);
}

__global__ void staged(const half *a, const half *b, float *c) {
    __shared__ float s[512];
    A x; B y; C z;
    int warp = threadIdx.x / 32;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a + warp * 256, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(s + warp * 256, z, 16, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += 64)
        c[blockIdx.x * 512 + i] = s[511 - i];
}
