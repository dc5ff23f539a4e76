// Matrix transposes: naive (one side strided), by a tile whose columns conflict (32-way), by a padded tile and
// by a swizzled one (no conflict).
enum { TILE = 32 };
__global__ void __launch_bounds__(1024) naive(float *out, const float *in, int n) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
template <int PITCH, bool SWIZZLE> __device__ void tiled(float *out, const float *in, int n) {
    __shared__ float tile[TILE][PITCH];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][SWIZZLE ? threadIdx.x ^ threadIdx.y : threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][SWIZZLE ? threadIdx.y ^ threadIdx.x : threadIdx.y];
}
__global__ void conflicting(float *out, const float *in, int n) { tiled<32, false>(out, in, n); }
__global__ void padded(float *out, const float *in, int n) { tiled<33, false>(out, in, n); }
__global__ void swizzled(float *out, const float *in, int n) { tiled<32, true>(out, in, n); }
