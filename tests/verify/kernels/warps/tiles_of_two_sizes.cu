//unknown
//lockstep: verify --block 64 --grid 1
//
// A barrier of eight lanes and one of sixteen: what the second orders beyond the first is not followed.
__global__ void k(int *data) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    __syncwarp(0xffu << (t & 24));
    int v = s[t ^ 1];
    __syncwarp(0xffffu << (t & 16));
    data[t] = v + s[t ^ 8];
}
