//xfail:FOUND
//lockstep: verify --block 64 --assume height>0 --assume width>0
// kernel 'short_rows': refuted
// kernel 'lost': refuted
// kernel 'unguarded': refuted
//
// Digits of an index that do not give it again: rows that are too short, a digit that is left out, and a last digit
// that nothing limits.
__global__ void short_rows(const float *in, float *out, int height, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= height * width) return;
    out[x % width * (height - 1) + x / width] = in[x];
}

__global__ void lost(const float *in, float *out, int height, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= height * width) return;
    out[x % width * height] = in[x];
}

__global__ void unguarded(const float *in, float *out, int height, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    out[x % width * height + x / width] = in[x];
}
