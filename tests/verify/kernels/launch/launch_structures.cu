// pass
// --frontend=clang
// lockstep: verify --bounds -v
// kernel 'fill': proved for block 32×8.* with p.rows == 480, p.cols == .*, p.pitch ==
// for 'p.data' of .* bytes \(allocated at line 43\)
// kernel 'add': proved for block 256
// for 's.z' of s.n \* 4 bytes \(allocated at line 48\): accesses stay inside
// kernel 'small': proved for block 64
// for 'a' of 256 bytes \(allocated at line 53\): accesses stay inside
//
// Structures that are passed by value, by their address and in registers: their members are known, and so is the memory
// that pointers in them have; the parameter behind a structure of several registers is still the one that it is.
#include <cuda_runtime.h>
#include <stdlib.h>

struct image {
    int rows, cols, pitch;
    float *data;
};
struct arrays {
    float *x, *y, *z;
    int n;
};
struct steps {
    int first, second, third;
};

__global__ void fill(image p) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 0 && x < p.cols && y >= 0 && y < p.rows) p.data[y * (long)p.pitch + x] = x;
}
__global__ void add(arrays s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 0 && i < s.n) s.z[i] = s.x[i] + s.y[i];
}
__global__ void small(steps s, float *a) { a[s.second * threadIdx.x + s.third] = threadIdx.x; }

int main(int count, char **words) {
    image p;
    p.rows = 480;
    p.cols = atoi(words[1]) & 1023;
    p.pitch = (p.cols + 31) / 32 * 32;
    cudaMalloc(&p.data, sizeof(float) * 480 * 1024);
    fill<<<dim3((p.cols + 31) / 32, (p.rows + 7) / 8), dim3(32, 8)>>>(p);
    arrays s = {.n = atoi(words[2])};
    cudaMalloc(&s.x, s.n * sizeof(float));
    cudaMalloc(&s.y, s.n * sizeof(float));
    cudaMalloc(&s.z, s.n * sizeof(float));
    add<<<(s.n + 255) / 256, 256>>>(s);
    steps one = {0, 1, 0};
    float *a;
    steps none = {count, count, count};
    cudaMalloc(&a, 64 * sizeof(float));
    small<<<1, 64>>>(one, a);
    return none.first;
}
