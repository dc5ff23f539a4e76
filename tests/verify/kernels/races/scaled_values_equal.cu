//pass
//lockstep: verify
//1 kernel: 1 proved
//
// The same with one value for all: threads that write equal values do not race.
__global__ void spread(float a, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * 3.0f;
    if (i % 2) y[i + 1] = a * 3.0f;
}
