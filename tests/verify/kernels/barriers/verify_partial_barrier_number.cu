//xfail:FOUND
//lockstep: verify --block 128 --grid 1
//error: .*race on 's'
//no proof that this barrier, which only some threads of the block use, is always reached by the same threads
//
// Both halves use the same barrier: threads of one count for the other.
__global__ void halves(int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = s[63 - t];
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = s[t ^ 1];
    }
}
