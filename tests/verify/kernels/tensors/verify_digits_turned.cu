// pass
//lockstep: verify --assume n>0 --assume channels>0 --assume height>0 --assume width>0
// kernel 'transposed': proved
// kernel 'last': proved
// kernel 'within': proved
// 3 kernels: 3 proved; nothing found
//
// The digits of an index in another order: each is less than its radix, the last by the guard. Sizes that are not
// positive would let them overlap.
__global__ void transposed(const float *in, float *out, int n, int channels, int height, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= height * width) return;
    int w = x % width, h = x / width;
    out[w * height + h] = in[x];
}

__global__ void last(const float *in, float *out, int n, int channels, int height, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= n * channels * height * width) return;
    int w = x % width, h = x / width % height, c = x / width / height % channels, i = x / width / height / channels;
    out[((i * height + h) * width + w) * channels + c] = in[x];
}

__global__ void within(const float *in, float *out, int n, int channels, int height, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= n * channels * height * width) return;
    int plane = x / (height * width), place = x % (height * width), h = place / width, w = place % width;
    out[plane * height * width + w * height + h] = in[x];
}
