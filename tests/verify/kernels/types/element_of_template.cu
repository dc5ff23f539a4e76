//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 16,16 --grid 1 --as-written
//reads a\[[0-9]+\]\[[0-9]+\]
//writes b\[[0-9]+\]\[[0-9]+\]
//
// Elements of arrays whose type and lengths are the template's, and of the second of two names in a declaration.
template <typename T, int N> __global__ void swap(T *x) {
    __shared__ T a[N][N], b[N][N + 1];
    int i = threadIdx.x, j = threadIdx.y;
    a[j][i] = x[j * N + i];
    b[j][i] = a[i][j];
    x[j * N + i] = b[i][j];
}
template __global__ void swap<float, 16>(float *);
