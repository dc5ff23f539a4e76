// 003, Figure 1 (bottom): threads leave the loop at different times, so d is uniform inside of the loop and
// divergent behind it. Figure 2 has the states of its variables.
__global__ void sumTriangle(float *m, float *v, int c) {
    int tid = threadIdx.x;
    if (tid < c) {
        int d = 0;
        float sum = 0.0F;
        int L = (tid + 1) * c;
        for (int i = tid; i < L; i += c) {
            if (d % 2) {
                sum += m[i];
            }
            d += 1;
        }
        v[d - 1] = sum;
    }
}
