// 001, Figure 1: coalesced, coalesced, uncoalesced (8 times as many transactions); and the last one again,
// executed by a single thread, which is coalesced.
__global__ void examples(const int *array, int *a, int *b, int *c, int *d) {
    int tid = threadIdx.x;
    a[tid] = array[0];
    b[tid] = array[tid];
    c[tid] = array[8 * tid];
    if (tid == 5) d[tid] = array[8 * tid];
}
