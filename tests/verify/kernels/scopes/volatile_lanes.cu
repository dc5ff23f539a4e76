//xfail:FOUND
//lockstep: verify --block 32 --grid 1
//race on 's'
//
// Lanes that pass values through volatile shared memory take it for granted that the warp runs in lock-step.
__global__ void k(int *out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    s[t] += s[t + 16 & 31];
    out[t] = s[t];
}
