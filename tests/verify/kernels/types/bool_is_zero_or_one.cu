//pass
//lockstep: verify --block 64 --grid 1
//
// A bool is 0 or 1: one of 7 is no witness.
__global__ void k(bool flag, int *p) {
    if (flag + 0 > 1) p[0] = threadIdx.x;
    p[threadIdx.x * (1 + flag)] = threadIdx.x;
}
