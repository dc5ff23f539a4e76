//xfail:FOUND
//lockstep: verify --block 16,16 --grid 8,8
//it is proved for launches that satisfy this condition: --assume 'width >= gridDim\.x\*blockDim\.x'
//
// Rows overlap when a row is shorter than the grid is wide. That is what the programmer took for granted.
__global__ void fill(float *matrix, int width, float value) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    matrix[y * width + x] = value + x;
}
