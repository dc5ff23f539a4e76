//unknown
//lockstep: verify
//proved if blockDim.x <= 32 && blockDim.y <= 8 && width >= 32\*gridDim.x
//note: write-write race
//
// Eight elements for each thread of a block of 8 × 32: a block that is wider has threads that write the same ones.
__global__ void columns(float *out, const float *in, int width) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    for (int k = 0; k < 32; k += 8) out[(y + k) * width + x] = tile[threadIdx.y + k][threadIdx.x] * 2;
}
