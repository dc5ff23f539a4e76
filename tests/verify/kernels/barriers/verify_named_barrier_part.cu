//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//write-read race on 's'
//
// All threads come, and half of them are enough to go on: the others may still have to write.
__global__ void swap(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    asm volatile("barrier.sync 5, 32;" ::: "memory");
    out[t] = s[t ^ 32];
}
