// pass
// --frontend=clang
// What the host code says of the launches holds: each of them is proved, though the kernels are not for any launch.
#include <cuda_runtime.h>
#include <stdlib.h>

#define TILE 32

__global__ void transpose(float *out, const float *in, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void rows(float *a, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * width + x] = 1;
}

/* The size comes through a wrapper, and from a member. */
struct image {
    int width, height;
    float *data;
};

static void fill(const image *i) {
    dim3 block(16, 16), grid(i->width / 16, i->height / 16);
    rows<<<grid, block>>>(i->data, i->width);
}

int main(int argc, char **argv) {
    int height = atoi(argv[1]);
    float *a, *b;
    cudaMalloc(&a, 2048 * height * sizeof *a);
    cudaMalloc(&b, 2048 * height * sizeof *b);
    transpose<<<dim3(64, height / 32), dim3(32, 8)>>>(b, a, 2048, height);
    image i = {2048, height, a};
    fill(&i);
    unsigned columns = atoi(argv[2]);
    rows<<<dim3((columns + 15) / 16, 4), 16>>>(a, (columns + 15) / 16 * 16);
    return 0;
}
