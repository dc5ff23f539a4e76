// The optimiser loads x[i] once, before the loop: the load still has a place in the loop.
__global__ void moved(float *x, const float *a, int n) {
    int i = threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            x[i] += a[j];
        }
    }
}
