// What today's deep-learning code includes, each header with something of it in use.
#include <cooperative_groups.h>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <mma.h>
#include <nvrtc.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>

__global__ void small_floats(float *p, __half *h, __nv_bfloat16 *b) {
    int i = threadIdx.x;
    __nv_fp8_e4m3 a(p[i]);
    __nv_fp8_e5m2 c(p[i]);
    __nv_fp4x2_e2m1 d(make_float2(p[i], p[i]));
    p[i] = float(a) + float(c) + ((float2)d).x;
    h[i] = hexp(h[i]) + __shfl_xor_sync(~0u, h[i], 1);
    b[i] = __hmax(b[i], __float2bfloat16(1.0f));
}

using namespace nvcuda;
__global__ void product(const half *a, const half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__device__ int variadic(int first, ...) { return first; }
__global__ void calls_variadic(int *p) { *p = variadic(1, 2, 3); }

int main() {
    float *p;
    half *h;
    cudaMalloc(&p, 4096);
    cudaMallocManaged(&h, 4096);
    cudaMemPrefetchAsync(p, 4096, 0);                                       /* CUDA 12 */
    cudaMemPrefetchAsync(p, 4096, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0); /* CUDA 13 */
    nvtxRangePush("range");
    cublasHandle_t blas;
    cublasCreate(&blas);
    float one = 1;
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, p, 4, p, 4, &one, p, 4);
    cublasLtHandle_t lt;
    cublasLtCreate(&lt);
    product<<<1, 32>>>(h, h, p);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(3);
    config.blockDim = dim3(64);
    cudaLaunchKernelEx(&config, small_floats, p, h, (__nv_bfloat16 *)h);
    nvtxRangePop();
    return cudaDeviceSynchronize();
}
