// The "last block" reduction: ordered by a fence and an atomic. Nothing is wrong with it.
__device__ unsigned arrived;
__global__ void reduce(const float *in, float *part, float *out) {
  __shared__ float s[64];
  __shared__ bool last;
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int d = 32; d; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];  // [part]
#ifndef NO_FENCE
    __threadfence();
#endif
    last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float sum = 0;
  for (int i = t; i < gridDim.x; i += 64) sum += part[i];  // [sum]
  s[t] = sum;
  __syncthreads();
  if (t == 0) {
    sum = 0;
    for (int i = 0; i < 64; i++) sum += s[i];
    out[0] = sum;
    arrived = 0;
  }
}

//: reduce --block 64 --grid 40 --arg 'f32[2560]=ones' --arg 'f32[64]' --arg 'f32[1]' => nothing
//: reduce --block 64 --grid 40 --arg 'f32[2560]=ones' --arg 'f32[64]' --arg 'f32[1]' -D NO_FENCE => race.global part sum
