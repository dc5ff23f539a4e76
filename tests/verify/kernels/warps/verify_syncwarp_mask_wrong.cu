//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//error: .*race on 's' between threads of one block
//
// A lane that the mask does not name is not waited for.
__global__ void swap(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (t % 32 < 16) {
        __syncwarp(0xffff);
        out[t] = s[t ^ 16];
    }
}
