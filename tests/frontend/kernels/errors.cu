/* The compiler's own errors: line 4, column 30. */
__global__ void broken(int *a) {
    int i = threadIdx.x;
    a[i] = 1 + 2 +         * undeclared;
}
