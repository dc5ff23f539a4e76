// xfail:NOT_ALL_VERIFIED
// lockstep: verify
// error: write-write race
//
// Two threads write one element of an array of the structure.
struct arrays {
    const float *in;
    float *out, *more;
    int n;
};

__global__ void copy(arrays a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.n) {
        a.out[i] = a.in[i];
        a.more[i / 2] = (float)i;
    }
}
