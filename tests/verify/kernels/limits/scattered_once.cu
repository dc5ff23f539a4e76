// xfail:NOT_ALL_VERIFIED
// lockstep: check --block 128 --grid 4
// 11:.*warning: scattered read of 'a\[j\]'
// note: so is this read of 'b\[j\]'
// note: and 1 more like it in this kernel
// 1 kernel: 1 proved; 1 warning
//
// That an index is data is said once for a kernel, with the other accesses beside it.
__global__ void gather(const int *place, const float *a, const float *b, const float *c, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = place[i];
    out[i] = a[j] + b[j] + c[j];
    out[i] += a[j + 7] * b[j + 9] * c[j + 11];
}
