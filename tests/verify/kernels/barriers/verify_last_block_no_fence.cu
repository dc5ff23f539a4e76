//xfail:FOUND
//lockstep: verify --block 64 --grid 8
//error: write-read race on 'part' between threads of different blocks
//
// Every block reads, without waiting for anything.
__global__ void sum(int *part, unsigned *done, int *out) {
    int t = threadIdx.x;
    if (t == 0) {
        part[blockIdx.x] = blockIdx.x;
        atomicInc(done, gridDim.x);
        out[blockIdx.x] = part[0] + part[blockIdx.x];
    }
}
