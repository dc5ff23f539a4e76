//xfail:FOUND
//lockstep: verify --block 32 --grid 1
//error: write-read race on 's' between threads of one block
//
// A shuffle exchanges values, but orders no memory.
__global__ void swap(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    int other = __shfl_xor_sync(0xffffffff, t, 1);
    out[t] = s[t ^ 1] + other;
}
