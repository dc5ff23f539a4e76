//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 128 --grid 1
//race on 's'
//
// A half waits for its own threads, and reads what the other one writes.
__global__ void halves(int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = s[t + 64];
    }
}
