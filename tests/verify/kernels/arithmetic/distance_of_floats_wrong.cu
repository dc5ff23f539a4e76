//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 16,16
//
// As distance_of_floats.cu, but the rows are added that the distance leaves a rest of 0 or 1 for: with a distance of 2,
// row 1 is added to row 0 while row 1 is changed.
__global__ void sums(float *out, const float *in) {
    __shared__ float s[32][17];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[(blockIdx.x * 16 + y) * 16 + x];
    __syncthreads();
    for (int i = 1; i <= __log2f(16); i++) {
        int p = __powf(2, i);
        if (y % p < 2) s[y][x] += s[y + p / 2][x];
        __syncthreads();
    }
    if (y == 0) out[blockIdx.x * 16 + x] = s[0][x];
}
