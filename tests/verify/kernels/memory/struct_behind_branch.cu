// pass
//
// Pointers of a structure that is passed by value, which the compiler loads through a copy of its address behind a branch.
struct arrays {
    const float *in;
    float *out, *more;
    int n;
};

__global__ void copy(arrays a, bool *failed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.n) {
        a.out[i] = a.in[i];
        if (a.in[i] > 1e-5f) *failed = true;
        a.more[i] = a.in[i] * 2;
    }
}
