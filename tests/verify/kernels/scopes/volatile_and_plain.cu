//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//race on 'flag' between threads of different blocks
//
// A plain access is weak: it races with a strong one.
__global__ void k(int *flag) {
    if (blockIdx.x == 0)
        *(volatile int *)flag = 1;
    else
        *flag = 2;
}
