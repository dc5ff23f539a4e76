// An inclusive scan of one block's elements in shared memory, with a missing barrier: a thread may read
// s[t - d] after its neighbour has already added to it in the same round.
#include <cstdio>

__global__ void scan(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        if (t >= d) s[t] += s[t - d]; // reads and writes of the same round are not kept apart
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[t];
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 1024 * sizeof(int));
    cudaMalloc(&out, 1024 * sizeof(int));
    scan<<<4, 256>>>(out, in);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
