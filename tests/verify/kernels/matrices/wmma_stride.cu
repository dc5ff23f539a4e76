//pass
//lockstep: verify --block 64 --grid 1
//
// … in rows of 32 they do not.
#include <mma.h>
using namespace nvcuda;

__global__ void k(float *out) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, (float)(threadIdx.x / 32));
    wmma::store_matrix_sync(out + threadIdx.x / 32 * 16, c, 32, wmma::mem_row_major);
}
