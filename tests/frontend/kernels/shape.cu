/* Source shape: two barriers stay two, a store that is overwritten stays, the loop's test stays at its head,
 * volatile is what the source says, an annotation stands in its block, a contract keeps its function. */
__device__ int inlined(int *p) { return *p + 1; }
__device__ int with_contract(int *p) {
    __requires(p != 0);
    return *p;
}
__global__ void shape(int *a, volatile int *v, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = 1;
        __syncthreads();
    } else {
        s[t] = 1;
        __syncthreads();
    }
    v[t] = v[t + 1];
    for (int i = 0; __invariant(i >= 0), i < n; i++) a[i * 64 + t] = s[t];
    a[t] = 3;
    a[t] = 4;
    int unused = a[t + 7];
    (void)unused;
    __assert(a[t] == 4);
    a[0] = inlined(a);
    a[1] = with_contract(a);
}
