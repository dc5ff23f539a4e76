//xfail:FOUND
//lockstep: verify
//write-write race on 'table' between threads of one block
//
// … nor for any number of them, of which some two would have to be left.
__global__ void k(int *table, int n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) {
        unsigned h = t * 2654435761u;
        table[h >> 26] = t;
    }
}
