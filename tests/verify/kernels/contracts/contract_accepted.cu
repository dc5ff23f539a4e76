//pass
//lockstep: verify --accept-contracts
//proved if width >= gridDim.x\*blockDim.x
//note: write-write race
//
// The contract is accepted: the kernel counts as proved.
__global__ void rows(float *a, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * width + x] = x;
}
