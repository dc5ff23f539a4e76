//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//4 kernels: 4 refuted; 4 errors
//
// The same, where the last element that is read is the first one that is written, or is missed by the steps.
__global__ void down(int n, const float *x, float *y) {
    float sum = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = n; j >= 0; j--) sum += y[j];
    if (n > 0) y[i + n] = x[i] + sum;
}

__global__ void down_to_zero(unsigned n, const float *x, float *y) {
    float sum = 0;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned j = n; j > 0; j--) sum += y[j];
    if (n && n < 1000000) y[i + n] = x[i] + sum;
}

__global__ void compared_behind(int n, const float *x, float *y) {
    float sum = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = 0;
    if (n < 2 || n > 1000) return;
    do sum += y[j];
    while (++j != n);
    y[i + n - 1] = x[i] + sum;
}

__global__ void by_four(int n, const float *x, float *y) {
    float sum = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 8 || n > 1000) return;
    for (int j = 0; j != (n & ~3); j += 4) sum += y[j];
    y[i + n - 8] = x[i] + sum;
}
