// unknown
// --frontend=clang
// lockstep: verify
// kernel 'copy': unknown
// kernel 'moved': unknown
// kernel 'diagonal': unknown
//
// Nobody is seen to launch these, and what can go wrong does so for layouts that nobody has: the distances of a tensor's
// elements, rows and planes, the place where another part of the array begins, and a matrix that is smaller than the
// grid, whose blocks are numbered anew.
#include <cuda_runtime.h>

__global__ void copy(char *to, int count, int columns, int rows, long long element, long long row, long long plane) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int p = i / (columns * rows), r = (i - p * columns * rows) / columns, c = i - p * columns * rows - r * columns;
    *(float *)(to + p * plane + r * row + c * element) = i;
}

__global__ void moved(float *to, long long part, long long columns, int rounds) {
    float *first = to + blockIdx.x * columns, *second = (float *)((char *)to + part) + blockIdx.x * columns;
    for (int i = 0; i < rounds; i++)
        if (threadIdx.x == 0) first[i] = i + blockIdx.x;
    second[threadIdx.x] = threadIdx.x;
}

__global__ void diagonal(float *to, int width, int height) {
    int number = blockIdx.x + gridDim.x * blockIdx.y;
    int y = number % gridDim.y, x = (number / gridDim.y + y) % gridDim.x;
    int column = y * 16 + threadIdx.x, line = x * 16 + threadIdx.y;
    to[column + line * height] = blockIdx.x + 3 * blockIdx.y + threadIdx.x;
}
