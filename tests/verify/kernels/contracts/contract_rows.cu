//unknown
//lockstep: verify
//proved if width >= gridDim.x\*blockDim.x
//note: write-write race
//
// No launch is visible. The kernel is right for rows that are at least as long as the grid is wide: that is its
// contract, and what happens otherwise is a note.
__global__ void rows(float *a, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * width + x] = x;
}
