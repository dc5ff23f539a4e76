// 001, Figure 2b: the same with a column for each thread: nothing is uncoalesced.
__global__ void fan2(float *A, float *B, const float *M, int N, int t) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid + t >= N) return;
    int y = tid + t;
    for (int x = t + 1; x < N; x++) {
        int xt = N * x + t;
        int xy = N * x + y;
        int ty = N * t + y;
        A[xy] -= M[xt] * A[ty];
        if (y == t) B[x] -= M[xt] * B[t];
    }
}
