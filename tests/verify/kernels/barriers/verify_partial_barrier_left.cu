//unknown
//lockstep: verify --block 128 --grid 1
//no proof that this barrier, which only some threads of the block use, is always reached by the same threads
//
// Some of the half may have left before: a barrier with a count waits for them.
__global__ void halves(int *out, const int *in) {
    __shared__ int s[128];
    int t = threadIdx.x;
    if (in[t]) return;
    s[t] = t;
    if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = s[63 - t];
    }
}
