//unknown
//lockstep: verify --block 64 --grid 1
//a barrier of a part of the block's threads is not modelled
//
// With half of the threads it is not.
__global__ void swap(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    asm volatile("barrier.sync 5, 32;" ::: "memory");
    out[t] = s[t ^ 32];
}
