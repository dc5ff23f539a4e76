//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//flag = 0
//
// … but it can be either.
__global__ void k(bool flag, int *p) { p[threadIdx.x * flag] = threadIdx.x; }
