// 004, Figure 1: a thread reads what its neighbour writes, without a barrier. RAW hazard on line 8.
extern __shared__ int s[];
__global__ void kernel(int *out) {
  int id = threadIdx.x;
  int nt = blockDim.x;
  s[id] = id;

  out[id] = s[(id + 1) % nt];
}
