// A failed assertion of the device: found, an error of the program's next call, and a line for each thread as CUDA's
// driver writes it.
//: finds assert
//: says block: [1,0,0], thread: [2,0,0] Assertion `i < n` failed.
//: says block: [1,0,0], thread: [3,0,0] Assertion `i < n` failed.
//: output device-side assert triggered
#include <cassert>
#include <cstdio>

__global__ void below(int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n);
}

int main() {
    below<<<2, 4>>>(6);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
