// pass
//lockstep: verify --block 32,8
// 3 kernels: 3 proved; 3 notes
//
// Every row of threads copies the whole tile: what they write to one place they have read at one place, in the
// same iteration. The twin, copies of parts that overlap, is verify_overlapping_copies.cl.
__global__ void tile(const float *in, float *out) {
    __shared__ float s[128];
    for (int k = 0; k < 4; k++)
        s[threadIdx.x + 32 * k] = in[128 * blockIdx.x + threadIdx.x + 32 * k];
    __syncthreads();
    out[(8 * blockIdx.x + threadIdx.y) * 32 + threadIdx.x] = s[4 * threadIdx.x];
}

__global__ void table(const float *in, float *out, int n) {
    __shared__ float s[128];
    for (int k = 0; k < n; k++)
        s[k] = in[k];
    __syncthreads();
    out[(8 * blockIdx.x + threadIdx.y) * 32 + threadIdx.x] = s[4 * threadIdx.x];
}

__global__ void weights(const float *in, float *out) {
    __shared__ float s[128];
    for (int k = 0; k < 128; k++)
        s[k] = expf(in[k]);
    __syncthreads();
    out[(8 * blockIdx.x + threadIdx.y) * 32 + threadIdx.x] = s[4 * threadIdx.x];
}
