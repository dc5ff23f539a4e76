// A scan with one barrier too few: when a thread writes its element, it has read it itself, and so has another thread.
__global__ void scan(int *data) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = data[blockIdx.x * blockDim.x + t];
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        int v = t >= d ? s[t - d] : 0;
        s[t] += v;
    }
    data[blockIdx.x * blockDim.x + t] = s[t];
}
