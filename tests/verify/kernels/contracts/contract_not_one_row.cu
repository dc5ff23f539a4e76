//unknown
//lockstep: verify
//kernel 'turned': unknown
//
// Threads' numbers are split into rows and columns, and no guard leaves out those behind the last element. That rows
// are as long as there are threads would make it right, with one row alone: nobody launches the kernel so.
__global__ void turned(int m, int n, float *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t % m, j = t / m;
    out[i * n + j] = t;
}
