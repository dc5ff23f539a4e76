//pass
//lockstep: verify
//assumes that index arithmetic does not overflow
//
// Grid-stride loops of any launch and length, with counters of 32 and 64 bits, with and without a sign.
__global__ void with_int(float *z, const float *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) z[i] = 2 * x[i];
}
__global__ void with_unsigned(float *z, const float *x, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) z[i] = 2 * x[i];
}
__global__ void with_mixed(float *z, const float *x, unsigned long n) {
    for (unsigned long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) z[i] = x[i];
}
__global__ void with_long(float4 *z, const float4 *x, unsigned long n) {
    unsigned long step = (unsigned long)blockDim.x * gridDim.x;
    for (unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        z[i].x = x[i].w;
        z[i].w = x[i].x;
    }
}
