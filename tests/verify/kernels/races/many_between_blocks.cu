//xfail:FOUND
//lockstep: verify -j 2 --block 64 --grid 8
//race on 'd' between threads of different blocks
//
// Without a barrier the pairs of accesses of one block and those of two blocks are the same ones: what several
// threads of the verifier have found out about the first says nothing about the second.
__global__ void k(int *d, int *out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            d[0] = 1;
            d[0] = 2;
            d[0] = 3;
        } else {
            out[blockIdx.x] = d[0];
        }
    }
}
