// 003, Figure 15: every thread fills a row of the matrix. With polynomials of degree one i is divergent, with
// degree two it is affine with an unknown slope.
__global__ void s(int *m, int n) {
    int tid = threadIdx.x;
    int i = n * tid, k = (tid + 1) * n;
    while (i < k) {
        m[i] = 1;
        i = i + 1;
    }
}
