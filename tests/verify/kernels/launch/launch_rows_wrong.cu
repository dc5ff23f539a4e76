//xfail:FOUND
//lockstep: verify --frontend clang
//
// The grid has one block too many in a row, and no
// guard leaves its threads out: their columns are those of the next row.
#define SIZE 16

__global__ void step(float *out, const float *in, int columns, int rows) {
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int index = columns * SIZE * by + SIZE * bx + columns * ty + tx;
    out[index] = tx;
}

void run(float *out, const float *in, int columns, int rows) {
    dim3 grid(columns / SIZE + 1, rows / SIZE), block(SIZE, SIZE);
    step<<<grid, block>>>(out, in, columns, rows);
}
