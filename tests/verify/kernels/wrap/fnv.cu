//xfail:FOUND
//lockstep: verify --block 256 --grid 1
//write-write race on 'table' between threads of one block
//
// The hash wraps around in most threads, and 256 of them share 101 places.
__global__ void k(int *table) {
    unsigned t = threadIdx.x, h = (2166136261u ^ t) * 16777619u;
    table[h % 101] = t;
}
