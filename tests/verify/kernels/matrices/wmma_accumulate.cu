//pass
//lockstep: verify --block 64
//
// A warp loads and stores its own tile again and again: the fragment's layout is the same each time.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void k(const half *in, float *out, int n) {
    float *mine = out + (blockIdx.x * 2 + threadIdx.x / 32) * 256;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    for (int i = 0; i < n; i++) {
        wmma::load_matrix_sync(a, in + 256 * i, 16);
        wmma::load_matrix_sync(b, in + 256 * i, 16);
        wmma::load_matrix_sync(c, mine, 16, wmma::mem_row_major);
        wmma::mma_sync(c, a, b, c);
        wmma::store_matrix_sync(mine, c, 16, wmma::mem_row_major);
    }
}
