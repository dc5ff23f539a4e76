// A declaration that is only there for nvcc, as some headers have it, and headers of old intrinsics.
#include <sm_32_intrinsics.h>
#include <sm_61_intrinsics.h>

#ifdef __NVCC__
__global__ void number(int *p);
#endif

int main() {
    int *p;
    cudaMalloc(&p, 1024);
    number<<<2, 128>>>(p);
    return cudaDeviceSynchronize();
}

__global__ void number(int *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = __dp4a(i, i, 0);
}
