//pass
//lockstep: verify --block 128 --grid 1
//
// Each half of the block has a barrier of its own, in a loop, and exchanges among its own threads.
__global__ void halves(int *out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, x = t;
    if (t < 64) {
        for (int i = 0; i < n; i++) {
            s[t] = x;
            asm volatile("bar.sync 1, 64;" ::: "memory");
            x += s[63 - t];
            asm volatile("bar.sync 1, 64;" ::: "memory");
        }
    } else {
        s[t] = x;
        asm volatile("bar.sync 2, 64;" ::: "memory");
        x = s[t ^ 1];
    }
    __syncthreads();
    out[t] = x;
}

// The number is computed.
__global__ void computed(int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    asm volatile("bar.sync %0, 32;" ::"r"(1 + t / 32) : "memory");
    out[t] = s[t ^ 31];
}
