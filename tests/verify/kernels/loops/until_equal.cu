//pass
//lockstep: verify
//5 kernels: 5 proved
//
// Loops that end where a value is reached, upwards and downwards: what they read lies before what threads write.
__global__ void down(int n, const float *x, float *y) {
    float sum = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = n; j >= 0; j--) sum += y[j];
    if (n > 0) y[i + n + 1] = x[i] + sum;
}

__global__ void down_to_zero(unsigned n, const float *x, float *y) {
    float sum = 0;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned j = n; j > 0; j--) sum += y[j];
    if (n < 1000000) y[i + n + 1] = x[i] + sum;
}

__global__ void up(int n, const float *x, float *y) {
    float sum = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 1; j != n; j++) sum += y[j];
    if (n > 0) y[i + n] = x[i] + sum;
}

__global__ void compared_behind(int n, const float *x, float *y) {
    float sum = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = 0;
    if (n <= 0) return;
    do sum += y[j];
    while (++j != n);
    y[i + n] = x[i] + sum;
}

__global__ void by_four(int n, const float *x, float *y) {
    float sum = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0) return;
    for (int j = 0; j != (n & ~3); j += 4) sum += y[j];
    y[i + n] = x[i] + sum;
}
