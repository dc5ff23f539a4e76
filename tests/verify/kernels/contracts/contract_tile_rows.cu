//unknown
//lockstep: verify
//kernel 'turn': proved if blockDim.x <= 32 && blockDim.y <= 8 && height >= 32\*gridDim.y
//kernel 'copy': proved if blockDim.x <= 32 && blockDim.y <= 8 && height >= 32\*gridDim.y
//
// A block of 32 × 8 threads turns a tile of 32 × 32 elements, with and without shared memory: rows must be as long
// as all tiles together, which are four times as many elements as threads.
__global__ void turn(float *out, const float *in, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    int from = y * width + x;
    int to = (blockIdx.x * 32 + threadIdx.y) * height + blockIdx.y * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[from + k * width];
    __syncthreads();
    for (int k = 0; k < 32; k += 8) out[to + k * height] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void copy(float *out, const float *in, int width, int height) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[x * height + y + k] = in[(y + k) * width + x];
}
