// Many kernels of one file, each with variables in shared memory of its own: a block has room for those of
// one.
//: output sum 1792 attribute 40960
#include <cstdio>

template <int N> __global__ void turn(int *out) {
    __shared__ int tile[10240];
    tile[threadIdx.x] = N;
    __syncthreads();
    out[N * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

template <int N> void launch_all(int *out) {
    turn<N><<<1, 64>>>(out);
    if constexpr (N > 0) launch_all<N - 1>(out);
}

int main() {
    const int count = 8 * 64;
    int *out, host[count], sum = 0;
    cudaFuncAttributes attributes;
    cudaMalloc(&out, sizeof host);
    launch_all<7>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int k = 0; k < count; k++) sum += host[k];
    cudaFuncGetAttributes(&attributes, turn<3>);
    printf("sum %d attribute %zu\n", sum, attributes.sharedSizeBytes);
    cudaFree(out);
    return cudaGetLastError();
}
