//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 2
//kernel 'place': refuted for block 64, grid 2
//
// A launch that is given is verified for any data.
__global__ void place(float *out, const float *in, const int *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[to[i]] = in[i];
}
