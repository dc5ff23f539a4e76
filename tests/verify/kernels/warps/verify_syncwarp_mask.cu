//pass
//lockstep: verify --block 64 --grid 1
//
// The lanes that the mask names all pass it.
__global__ void swap(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t % 32 < 16) {
        s[t] = t;
        __syncwarp(0xffff);
        out[t] = s[t ^ 1];
    }
}
