// unknown
// --frontend=clang
// lockstep: verify
// kernel 'swapped': proved for block 256, grid 4096
// kernel 'chosen': proved for block 256, grid 4096
// the launch gives the parameters 'a' and 'b' pointers into the same memory
// kernel 'replaced': unknown
// kernel 'elements': proved for block 256, grid 4096
// kernel 'one_element': unknown
//
// A loop around a launch that swaps its two arrays, or that chooses which of them is which, never gives the same array
// twice; one that puts one array in the place of the other does, from the second launch on. Of an array of pointers, two
// elements that are always different are different memory, and others may be the same.
#include <cuda_runtime.h>

__device__ void mean(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}
__global__ void swapped(const float *a, float *b, int n) { mean(a, b, n); }
__global__ void chosen(const float *a, float *b, int n) { mean(a, b, n); }
__global__ void replaced(const float *a, float *b, int n) { mean(a, b, n); }
__global__ void elements(const float *a, float *b, int n) { mean(a, b, n); }
__global__ void one_element(const float *a, float *b, int n) { mean(a, b, n); }

int main() {
    const int n = 1 << 20;
    float *a, *b;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    for (int t = 0; t < 100; t++) {
        swapped<<<n / 256, 256>>>(a, b, n);
        float *other = a;
        a = b;
        b = other;
    }
    for (int t = 0; t < 100; t++) {
        bool odd = t % 2;
        chosen<<<n / 256, 256>>>(odd ? a : b, odd ? b : a, n);
    }
    for (int t = 0; t < 100; t++) {
        replaced<<<n / 256, 256>>>(a, b, n);
        a = b;
    }
    float *both[2];
    cudaMalloc(&both[0], n * sizeof(float));
    cudaMalloc(&both[1], n * sizeof(float));
    for (int t = 0, current = 0; t < 100; t++, current = 1 - current) {
        elements<<<n / 256, 256>>>(both[current], both[1 - current], n);
        one_element<<<n / 256, 256>>>(both[current], both[t / 50], n);
    }
}
