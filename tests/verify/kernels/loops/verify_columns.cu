//pass
//lockstep: verify --frontend clang
//
// Columns are kept even ones first: t / 2 + (t & 1) * 34. Three threads have a column at the edge as well.
__device__ int column(int c) { c += 2; return c / 2 + (c & 1) * 34; }
__global__ void columns(int *out, int n, int steps) {
    __shared__ int s[10 * 68];
    int t = threadIdx.x, own = column(t), edge = 0;
    if (t < 3) edge = column(t + (t == 0 ? 64 : -3));
    for (int w = 0; w < steps; w++) {
        for (int i = 0; i < 10; i++) s[own + i * 68] = n + i;
        if (t < 3)
            for (int i = 0; i < 10; i++) s[edge + i * 68] = n - i;
        __syncthreads();
        out[(blockIdx.x * steps + w) * 64 + t] = s[own + 68] + s[own + 1];
        __syncthreads();
    }
}
void go(int *a, int n) { columns<<<n, 64>>>(a, n, 8); }
