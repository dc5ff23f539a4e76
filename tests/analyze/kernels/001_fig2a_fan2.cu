// 001, Figure 2a: Gaussian elimination with a row for each thread. A[xy] and M[xt] are uncoalesced.
__global__ void fan2(float *A, float *B, const float *M, int N, int t) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid + t + 1 >= N) return;
    int x = tid + t + 1;
    for (int y = t; y < N; y++) {
        int xt = N * x + t;
        int xy = N * x + y;
        int ty = N * t + y;
        A[xy] -= M[xt] * A[ty];
        if (y == t) B[x] -= M[xt] * B[t];
    }
}
