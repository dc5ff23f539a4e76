//pass
//lockstep: verify
//assumes that no remainder is taken with a divisor of zero
//
// What an index is taken apart to, and put together from again: rows and columns of any length. The remainder
// is asked for by its instruction, as compilers make a product and a difference of it beside a division.
static __device__ int rest(int a, int b) {
    int r;
    asm("rem.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

__global__ void rows(float *out, const float *in, int length, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int row = i / length, column = rest(i, length);
    out[row * length + column] = in[i];
}

__global__ void planes(float *out, const float *in, int rows, int length, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int all = i / length, column = rest(i, length);
    int plane = all / rows, row = rest(all, rows);
    float *to = out + plane * rows * length;
    to += row * length;
    to[column] = in[i];
}
