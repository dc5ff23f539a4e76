// What unlinked.cu calls.
__device__ int elsewhere(int x) { return x + 1; }
