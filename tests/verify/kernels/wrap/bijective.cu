//pass
//lockstep: verify --block 256 --grid 1
//
// An odd factor is a permutation of the numbers modulo 2^8, and modulo 2^32: with and without wrapping around.
__global__ void low(int *table) {
    unsigned t = threadIdx.x, h = t * 2654435761u;
    table[h & 255] = t;
}
__global__ void all(int *table) {
    unsigned t = threadIdx.x, h = t * 2654435761u;
    table[h] = t;
}
