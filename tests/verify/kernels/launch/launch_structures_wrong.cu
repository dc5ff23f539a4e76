// xfail:FOUND
// --frontend=clang
// lockstep: verify
// kernel 'fill': refuted for block 32×8.* with p.pitch == p.cols \+ -1
// kernel 'turn': refuted
// kernel 'small': refuted for block 64, grid 1.* with s.first == 0, s.second == 1, s.third == 1
//
// The same with rows that are shorter than what is written of them, with one array under two names, and with an array
// that is too short by one.
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
    if (x < p.cols && y < p.rows) p.data[y * p.pitch + x] = x;
}
__global__ void turn(arrays s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.n) s.z[i] = s.x[i] + s.y[s.n - 1 - i];
}
__global__ void small(steps s, float *a) { a[s.second * threadIdx.x + s.third] = threadIdx.x; }

int main(int count, char **words) {
    image p;
    p.rows = atoi(words[1]);
    p.cols = atoi(words[2]);
    p.pitch = p.cols - 1;
    cudaMalloc(&p.data, sizeof(float) * p.rows * p.cols);
    fill<<<dim3((p.cols + 31) / 32, (p.rows + 7) / 8), dim3(32, 8)>>>(p);
    arrays s = {.n = atoi(words[3])};
    cudaMalloc(&s.x, s.n * sizeof(float));
    cudaMalloc(&s.y, s.n * sizeof(float));
    s.z = s.y;
    turn<<<(s.n + 255) / 256, 256>>>(s);
    steps one = {0, 1, 1};
    float *a;
    cudaMalloc(&a, 64 * sizeof(float));
    small<<<1, 64>>>(one, a);
}
