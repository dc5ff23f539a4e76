// pass
// --frontend=clang
// lockstep: verify -v
// kernel 'rows.*: proved .*with h == \(height > 64 \? 64 : height\), gridDim.x == w / 16
// kernel 'rows.*: proved .*with host::h == \(argc > 1 \? atoi_result : 16\), w == host::h \* 16, h == 32, gridDim.x == host::h
//
// What is known of a launch is written in the host code's own words: its variables and members, apart from parameters of the
// kernel that have the same name.
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void rows(float *a, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    a[y * w + x] = (float)h;
}

struct picture {
    int width, height;
};

void of_picture(const picture *p, float *a) {
    rows<<<dim3(p->width / 16, 4), dim3(16, 16)>>>(a, p->width, p->height > 64 ? 64 : p->height);
}

int main(int argc, char **argv) {
    float *a;
    int h = argc > 1 ? atoi(argv[1]) : 16;
    cudaMalloc(&a, 1 << 20);
    rows<<<dim3(h, 2), dim3(16, 16)>>>(a, h * 16, 32);
    return cudaDeviceSynchronize();
}
