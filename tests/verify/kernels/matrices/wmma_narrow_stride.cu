//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//write-write race on 'out' between threads of one block
//
// Tiles of two warps side by side in rows of 24 elements overlap.
#include <mma.h>
using namespace nvcuda;

__global__ void k(float *out) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, (float)(threadIdx.x / 32));
    wmma::store_matrix_sync(out + threadIdx.x / 32 * 8, c, 24, wmma::mem_row_major);
}
