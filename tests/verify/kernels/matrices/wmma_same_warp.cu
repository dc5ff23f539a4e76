//xfail:FOUND
//lockstep: verify --block 32 --grid 1
//write-read race on 's' between threads of one block
//
// Each thread writes just the part that a lane could be thought to read, but which lane reads which part of a
// matrix is left open: the lanes must synchronise.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void k(const half *in, float *out) {
    __shared__ half s[256];
    for (int i = 0; i < 8; i++)
        s[8 * threadIdx.x + i] = in[8 * threadIdx.x + i];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::load_matrix_sync(a, s, 16);
    wmma::load_matrix_sync(b, in, 16);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}
