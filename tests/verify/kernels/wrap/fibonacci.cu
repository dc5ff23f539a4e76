//xfail:FOUND
//lockstep: verify --block 256 --grid 1
//write-write race on 'table' between threads of one block
//
// A hash wraps around by design: that it does not is no assumption that could be made.
__global__ void k(int *table) {
    unsigned t = threadIdx.x, h = t * 2654435761u;
    table[h >> 26] = t;
}
