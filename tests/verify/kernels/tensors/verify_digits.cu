// pass
//lockstep: verify
// kernel 'copied': proved
// kernel 'halves': proved
// kernel 'planes': proved
// kernel 'strided': proved
// 4 kernels: 4 proved; nothing found
//
// Kernels that split an index into the digits of a tensor's place, whatever the sizes are, and put them together
// again as they were.
__global__ void copied(const float *in, float *out, int n, int channels, int height, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= n * channels * height * width) return;
    int w = x % width, h = x / width % height, c = x / (width * height) % channels, i = x / (width * height * channels);
    out[((i * channels + c) * height + h) * width + w] = in[x];
}

__global__ void halves(const float *in, float *out, int m, int split, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= m * split * n) return;
    int i = x / split / n, j = x / n % split, k = x % n;
    out[i * split * n + j * n + k] = in[2 * i * split * n + j * n + k];
}

__global__ void planes(const float *in, float *out, int size, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= size) return;
    out[blockIdx.y * size + x / width * width + x % width] = in[x];
}

__global__ void strided(const float *in, float *out, int n, int channels, int width) {
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < n * channels * width; x += gridDim.x * blockDim.x) {
        int w = x % width, c = x / width % channels, i = x / width / channels;
        out[(i * channels + c) * width + w] = in[x];
    }
}
