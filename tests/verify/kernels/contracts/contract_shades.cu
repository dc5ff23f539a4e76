//unknown
//lockstep: verify
//proved if width >= gridDim.x\*blockDim.x
//
// What a thread's number is divided by as a floating-point number says nothing of rows: they are as long as the grid
// is wide.
__global__ void shades(float *a, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * width + x] = x / (float)width;
}
