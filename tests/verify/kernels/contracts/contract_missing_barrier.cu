//xfail:NOT_ALL_VERIFIED
//lockstep: verify
//error: .* race on 's'
//
// A barrier is missing. No size of the launch mends that, and the witness is a usual launch: whole warps.
__global__ void shift(int *out, const int *in, int n) {
    __shared__ int s[256];
    s[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (threadIdx.x + 1 < n) out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x + 1];
}
