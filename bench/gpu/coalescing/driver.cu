// Launches every kernel of kernels.def once, in its order, on zeroed memory: what ncu counts.
#include "kernels.cu"

#include <cstdio>

static bool check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return true;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    return false;
}

int main() {
    size_t bytes = size_t(64) << 20;
    void *in = nullptr, *out = nullptr;
    if (!check(cudaMalloc(&in, bytes), "cudaMalloc") || !check(cudaMalloc(&out, bytes), "cudaMalloc")) return 1;
    cudaMemset(in, 0, bytes);
    cudaMemset(out, 0, bytes);
#define KERNEL(name, x, y, grid)                                                                             \
    {                                                                                                        \
        void *arguments[] = {&in, &out};                                                                     \
        cudaError_t error = cudaLaunchKernel((const void *)name, dim3(grid), dim3(x, y), arguments, 0, 0);   \
        if (!check(error, #name) || !check(cudaDeviceSynchronize(), #name)) return 1;                        \
    }
#include "kernels.def"
#undef KERNEL
    std::puts("all kernels ran");
    return 0;
}
