//xfail:FOUND
//lockstep: verify --block 8,8 --grid 4,4
//race.global
//
// The guard is that of the transposed matrix.
__global__ void fill(int *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < width && x < height) m[y * width + x] = 1000 * x + y;
}
