// Findings that only a program shows.
//: output done
//: finds memory.bounds
//: finds memory.copy
//: finds memory.free
//: finds race.stream
//: finds memory.uninitialized
//: finds error.unchecked
//: finds memory.leak
//: says thread 100 of block 0 writes p[100]
//: from source
#include <cstdio>

__global__ void fill(int *p) {
    p[threadIdx.x] = threadIdx.x;
}
__global__ void take(const int *p, int *q) {
    q[threadIdx.x] = p[threadIdx.x];
}

int main() {
    int *a, *b, *c, host[100];
    cudaMalloc(&a, 100 * sizeof(int));
    cudaMalloc(&b, 100 * sizeof(int));
    cudaMalloc(&c, 100 * sizeof(int));
    fill<<<1, 128>>>(a);
    take<<<1, 64>>>(b, a);
    cudaMemcpy(host, a, 101 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(b);
    take<<<1, 64>>>(b, a);
    cudaFree(b);
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    fill<<<1, 32, 0, s>>>(c);
    take<<<1, 32, 0, t>>>(c, a);
    cudaDeviceSynchronize();
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(a);
    cudaGetLastError();
    fill<<<1, 2048>>>(c);
    printf("done\n");
    return 0;
}
