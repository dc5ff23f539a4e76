// Device code of another file.
extern __device__ int elsewhere(int x);
__global__ void k(int *p) { *p = elsewhere(*p); }
