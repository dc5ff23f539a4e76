// 003, Figure 1 (top): every thread sums a column; the loop's trip count is the same for all threads, because
// the thread identifier cancels out of i < N. Figure 2 has the states of its variables.
__global__ void avgSquare(float *m, float *v, int c) {
    int tid = threadIdx.x;
    if (tid < c) {
        int d = 0;
        float sum = 0.0F;
        int N = tid + c * c;
        for (int i = tid; i < N; i += c) {
            sum += m[i];
            d += 1;
        }
        v[tid] = sum / d;
    }
}
