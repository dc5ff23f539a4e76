// The same scan with reads and writes of a round kept apart by a second barrier.
__global__ void scan(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int left = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[t];
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 1024 * sizeof(int));
    cudaMalloc(&out, 1024 * sizeof(int));
    scan<<<4, 256>>>(out, in);
    return cudaDeviceSynchronize();
}
