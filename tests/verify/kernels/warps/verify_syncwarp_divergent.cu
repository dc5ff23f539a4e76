//unknown
//lockstep: verify --block 64 --grid 1
//possible .*race on 's' .*: it depends on synchronisation within a warp that is not modelled
//
// Lanes of a warp pass it different numbers of times, so that one may wait in the loop for another behind it: no
// order, and so no proof; but no race is claimed either.
__global__ void swap(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    int i = 0;
    do __syncwarp();
    while (i++ < in[t]);
    __syncwarp();
    out[t] = s[t ^ 1];
}
