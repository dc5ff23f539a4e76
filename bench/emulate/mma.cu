// Matrix product of halves by tensor cores: a warp for each 16 × 8 of the result.
extern "C" __global__ void mma(const unsigned *a, const unsigned *b, float *c, int n) {
    int lane = threadIdx.x % 32, tile = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int row = tile / (n / 8) * 16 + lane / 4, column = tile % (n / 8) * 8 + lane / 4, words = n / 2;
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < words; k += 8) {
        int at = k + lane % 4;
        unsigned x[4] = {a[row * words + at], a[(row + 8) * words + at], a[row * words + at + 4],
                         a[(row + 8) * words + at + 4]};
        unsigned y[2] = {b[column * words + at], b[column * words + at + 4]};
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    column = tile % (n / 8) * 8 + lane % 4 * 2;
    c[row * n + column] = sum[0];
    c[row * n + column + 1] = sum[1];
    c[(row + 8) * n + column] = sum[2];
    c[(row + 8) * n + column + 1] = sum[3];
}
