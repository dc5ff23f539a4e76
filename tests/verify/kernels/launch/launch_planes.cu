// pass
// --frontend=clang
// Rows of planes: the host code computes the grid from the width and the height, so that no thread goes beyond its row
// or its plane, and what it writes in the first plane and in later ones is its own column.
#include <cuda_runtime.h>

__global__ void planes(float *out, const float *in, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int c = i + j * nx, plane = nx * ny;
    out[c] = in[c];
    c += plane;
    for (int k = 1; k < nz - 1; k++) {
        out[c] = in[c] + out[c - plane];
        c += plane;
    }
    out[c] = in[c] + 1;
}

void run(float *out, const float *in, int nx, int ny, int nz) {
    planes<<<dim3(nx / 64, ny / 4), dim3(64, 4)>>>(out, in, nx, ny, nz);
}
