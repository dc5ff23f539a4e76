//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//lanes that the mask names can disagree on reaching this warp barrier
//
// Lanes of a warp pass it different numbers of times, so that one may wait in the loop for another behind it. That
// also leaves the loads without order.
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
