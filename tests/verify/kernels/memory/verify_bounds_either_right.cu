//pass
//lockstep: verify --bounds --block 64 --grid 2
__global__ void k(int *o, int n) {
    __shared__ int s[64], u[65];
    int *p = n ? s : u + 1;
    p[threadIdx.x] = 1;
    __syncthreads();
    o[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x] + u[threadIdx.x];
}
