//pass
//lockstep: verify --block 16,16
//
// The distance that rows are added over is a result of floating-point operations, of which nothing is known. Rows that
// it divides are apart by more than its half, whatever it is: of the numbers that two of 16 rows can be apart, all are
// tried.
__global__ void sums(float *out, const float *in) {
    __shared__ float s[32][17];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[(blockIdx.x * 16 + y) * 16 + x];
    __syncthreads();
    for (int i = 1; i <= __log2f(16); i++) {
        int p = __powf(2, i);
        if (y % p == 0) s[y][x] += s[y + p / 2][x];
        __syncthreads();
    }
    if (y == 0) out[blockIdx.x * 16 + x] = s[0][x];
}
