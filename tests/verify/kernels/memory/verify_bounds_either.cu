//xfail:FOUND
//lockstep: verify --bounds --block 64 --grid 2
//access out of bounds of '[su]' or '[su]'
//confirmed in the emulator
//
// A pointer to one of two arrays is held against the sizes of both.
__global__ void k(int *o, int n) {
    __shared__ int s[64], u[64];
    int *p = n ? s : u;
    p[threadIdx.x + 1] = 1;
    __syncthreads();
    o[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x] + u[threadIdx.x];
}
