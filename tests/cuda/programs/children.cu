// Kernels that launch kernels: in streams of the device, in the tail stream, and with sizes that no launch
// may have.
//: nvcc only
//: flags -rdc=true
//: output error 9
//: output sums 1200 1212
//: finds race.global
//: finds race.stream
#include <cstdio>

__global__ void add(int *p, int n, char what) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += what;
}

__global__ void parent(int *p, int n, int depth) {
    if (threadIdx.x) return;
    add<<<(n + 31) / 32, 32>>>(p, n, 1);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    add<<<(n + 31) / 32, 32, 128, s>>>(p, n, 2); // not ordered with the other
    cudaStreamDestroy(s);
    if (depth) parent<<<1, 32, 0, cudaStreamTailLaunch>>>(p, n, depth - 1);
}

__global__ void wrong(int *p) {
    add<<<1, 2000>>>(p, 1, 1);
    printf("error %d\n", (int)cudaGetLastError());
}

// The kernel that this one launches has a race of its own.
__global__ void all_add(int *sum) {
    *sum += threadIdx.x % 2;
}
__global__ void racy(int *p) {
    all_add<<<1, 64>>>(p);
}

static int sum_of(const int *p, int n) {
    int *h = new int[n], sum = 0;
    cudaMemcpy(h, p, n * sizeof *h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += h[i];
    delete[] h;
    return sum;
}

int main() {
    int *p;
    cudaMalloc(&p, 400);
    cudaMemset(p, 0, 400);
    wrong<<<1, 1>>>(p);
    parent<<<1, 32>>>(p, 100, 3);
    int first = sum_of(p, 100);
    parent<<<1, 32>>>(p, 1, 3);
    printf("sums %d %d\n", first, sum_of(p, 100));
    racy<<<1, 1>>>(p);
    cudaFree(p);
    return cudaDeviceSynchronize() != cudaSuccess;
}
