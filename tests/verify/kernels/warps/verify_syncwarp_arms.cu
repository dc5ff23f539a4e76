//unknown
//lockstep: verify --block 32 --grid 1
//possible .*race on 's' .*: it depends on synchronisation within a warp that is not modelled
//
// Each half of the warp has a __syncwarp of its own.
__global__ void swap(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16) {
        s[t] = t;
        __syncwarp();
        out[t] = s[t + 16];
    } else {
        s[t] = 2 * t;
        __syncwarp();
        out[t] = s[t - 16];
    }
}
