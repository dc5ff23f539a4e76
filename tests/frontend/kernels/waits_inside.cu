// A kernel that launches a kernel and waits for it, which toolkits since CUDA 12 do not compile.
__global__ void child(int *p) { p[threadIdx.x] = 1; }

__global__ void parent(int *p) {
    child<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    p[0] = 2;
}
