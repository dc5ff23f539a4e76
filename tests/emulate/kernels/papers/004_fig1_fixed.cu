// 004, Figure 1 with the barrier that it lacks.
extern __shared__ int s[];
__global__ void kernel(int *out) {
  int id = threadIdx.x;
  int nt = blockDim.x;
  s[id] = id;
  __syncthreads();
  out[id] = s[(id + 1) % nt];
}

//: kernel --block 64 --grid 1 --shared 256 --arg 's32[256]' --check all => nothing
