// 004, Figure 1: a thread reads what its neighbour writes, without a barrier. RAW hazard on line 8.
extern __shared__ int s[];
__global__ void kernel(int *out) {
  int id = threadIdx.x;
  int nt = blockDim.x;
  s[id] = id;  // [w]

  out[id] = s[(id + 1) % nt];  // [r]
}

//: kernel --block 64 --grid 1 --shared 256 --arg 's32[256]' --check all => race.shared w r
