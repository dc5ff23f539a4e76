//unknown
//lockstep: verify
//there is no proof for launches with
//note: .* race on
//
// No launch is visible. The kernel's own constants speak of blocks of 16 threads, and its rows are longer than the grid
// is wide: nothing is known to go wrong then, though it is not proved (the place of a row comes from a table). What goes
// wrong in other launches, as in blocks of 32, is a note.
__global__ void tiles(int *matrix, const int *table, int cols, int round) {
    __shared__ int ref[16][16];
    int t = threadIdx.x, row = table[blockIdx.x] * 16 + round;
    for (int y = 0; y < 16; y++) ref[y][t] = matrix[(row + y) * cols + t];
    __syncthreads();
    for (int y = 0; y < 16; y++) matrix[(row + y) * cols + t] = ref[y][t] + ref[y][15 - t];
}
