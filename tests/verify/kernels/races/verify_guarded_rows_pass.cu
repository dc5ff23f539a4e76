//pass
//lockstep: verify
//assumes that index arithmetic does not overflow
//
// Each row is as long as the guard says.
__global__ void fill(int *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) m[y * width + x] = 1000 * x + y;
}
