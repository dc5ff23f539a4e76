//pass
//lockstep: verify
//index arithmetic does not overflow
//
// Rows of any length: that their places are numbers of 32 bits is what the caller has to see to.
__global__ void k(float *a, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) a[y * w + x] = 1;
}
