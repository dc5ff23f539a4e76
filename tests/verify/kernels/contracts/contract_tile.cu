//unknown
//lockstep: verify
//proved if blockDim.x <= 16 && blockDim.y <= 16 && height >= 16\*gridDim.y
//note: write-write race
//
// A tile of 16 × 16 elements that is turned: the block has its size, and both matrices have rows that are as long
// as the grid is wide.
__global__ void turn(float *out, const float *in, int width, int height) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * height + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
