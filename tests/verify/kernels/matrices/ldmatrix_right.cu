//pass
//lockstep: verify --block 64
//
// Rows of 16 bytes at the address of each lane, behind a barrier.
#include <cuda_fp16.h>

__device__ void load(unsigned (&r)[4], const half *row) {
    unsigned address = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

__global__ void k(const half *in, unsigned *out) {
    __shared__ half s[16 * 72];
    for (int i = threadIdx.x; i < 16 * 64; i += 64)
        s[i / 64 * 72 + i % 64] = in[i];
    __syncthreads();
    unsigned r[4];
    load(r, s + threadIdx.x % 16 * 72 + threadIdx.x / 16 * 8);
    for (int i = 0; i < 4; i++)
        out[(blockIdx.x * 4 + i) * 64 + threadIdx.x] = r[i];
}
