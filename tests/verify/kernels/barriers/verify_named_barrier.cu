//pass
//lockstep: verify --block 64 --grid 1
//
// Any of the sixteen barriers, with all threads of the block, is one for all of them.
__global__ void swap(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    asm volatile("bar.sync 3;" ::: "memory");
    int x = s[t ^ 32];
    asm volatile("barrier.sync 5, 64;" ::: "memory");
    s[t ^ 1] = x;
    out[t] = x;
}
