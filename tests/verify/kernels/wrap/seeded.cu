//xfail:FOUND
//lockstep: verify --block 256 --grid 1
//write-write race on 'table' between threads of one block
//
__global__ void k(int *table, unsigned seed) {
    unsigned t = threadIdx.x, h = (t + seed) * 1664525u + 1013904223u;
    table[h >> 24] = t;
}
