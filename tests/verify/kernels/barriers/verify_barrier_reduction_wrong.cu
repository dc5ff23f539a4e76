//unknown
//lockstep: verify --strict-exit --no-replay --block 64 --grid 1
//no proof .*that threads of a block agree on the branch
//
// A vote is one of a warp only.
__global__ void relax(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x, x = in[t];
    while (__any_sync(0xffffffff, x > 3)) {
        s[t] = x;
        __syncthreads();
        x = s[t ^ 1] - 1;
        __syncthreads();
    }
    out[t] = x;
}
