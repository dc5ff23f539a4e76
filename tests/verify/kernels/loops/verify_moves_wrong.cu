//xfail:FOUND
//lockstep: verify --frontend clang --as-written
//2 kernels: 1 refuted, 1 unknown
//
// Racy twins of verify_moves.cu: a move too many in each round, so that a block comes to the next one's rows, and a
// column too many, which is the next row's first.
__global__ void stopping(int *out, int width, int height, int steps) {
    int x = blockIdx.x * 64 + threadIdx.x;
    if (x >= width) return;
    int next = x + width * (blockIdx.y * 8 * steps), end = width * height + x;
    for (int s = 0; s < steps; s++)
        for (int r = 0; r < 8; r++)
            if (next != end) {
                out[next] = s + blockIdx.y;
                next += r == 0 ? 2 * width : width;
            }
}

__global__ void sometimes(int *out, int width, int height, int steps) {
    int x = blockIdx.x * 64 + threadIdx.x;
    if (x > width) return;
    int next = x;
    for (int y = 0; y < height; y++)
        if (y % 3 != steps % 3) {
            out[next] = y;
            next += width;
        }
}

void launch(int *out, int width, int height) {
    int steps = (height + 119) / 120;
    dim3 grid((width + 63) / 64, (height + 8 * steps - 1) / (8 * steps));
    stopping<<<grid, 64>>>(out, width, height, steps);
    sometimes<<<4, 64>>>(out, 200, 6, 1);
}
