//pass
//lockstep: verify --frontend clang
//
// The grid has as many blocks in a row as fit into it: the launch says that columns are within their row, no
// guard does.
#define SIZE 16

__global__ void step(float *out, const float *in, int columns, int rows) {
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int index = columns * SIZE * by + SIZE * bx + columns * ty + tx;
    out[index] = tx;
}

void run(float *out, const float *in, int columns, int rows) {
    dim3 grid(columns / SIZE, rows / SIZE), block(SIZE, SIZE);
    step<<<grid, block>>>(out, in, columns, rows);
}
