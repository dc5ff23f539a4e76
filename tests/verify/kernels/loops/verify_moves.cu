//pass
//lockstep: verify --frontend clang --as-written
//4 kernels: 4 proved
//
// Indices that go down a column row by row: by an inner loop, only as long as the image has rows, and with columns
// beside the image that stay where they are. Blocks have `8 * steps` rows each.
__global__ void all(int *out, int width, int steps) {
    int x = blockIdx.x * 64 + threadIdx.x;
    if (x >= width) return;
    int next = x + width * (blockIdx.y * 8 * steps);
    for (int s = 0; s < steps; s++)
        for (int r = 0; r < 8; r++) {
            out[next] = s;
            next += width;
        }
}

__global__ void stopping(int *out, int width, int height, int steps) {
    int x = blockIdx.x * 64 + threadIdx.x;
    if (x >= width) return;
    int next = x + width * (blockIdx.y * 8 * steps), end = width * height + x;
    for (int s = 0; s < steps; s++)
        for (int r = 0; r < 8; r++)
            if (next != end) {
                out[next] = s;
                next += width;
            }
}

__global__ void beside(int *out, int width, int height, int steps) {
    int x = blockIdx.x * 64 + threadIdx.x, next = 0, end = 0, stride = 0;
    if (x < width) {
        next = x + width * (blockIdx.y * 8 * steps);
        end = width * height + x;
        stride = width;
    }
    for (int s = 0; s < steps; s++)
        for (int r = 0; r < 8; r++)
            if (next != end) {
                out[next] = s;
                next += stride;
            }
}

__global__ void sometimes(int *out, int width, int height, int steps) {
    int x = blockIdx.x * 64 + threadIdx.x;
    if (x >= width) return;
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
    all<<<grid, 64>>>(out, width, steps);
    stopping<<<grid, 64>>>(out, width, height, steps);
    beside<<<grid, 64>>>(out, width, height, steps);
    sometimes<<<(width + 63) / 64, 64>>>(out, width, height, steps);
}
