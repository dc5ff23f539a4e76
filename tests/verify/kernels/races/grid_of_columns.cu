// pass
// --frontend=clang
// lockstep: verify -v
// assumes gridDim\.x = 1, as the kernel does not use it
//
// Blocks are told apart by their number in y alone: a grid that has several in x as well is none that is meant.
__global__ void rows(float *out, int width) {
    if (threadIdx.x < width) out[blockIdx.y * width + threadIdx.x] = threadIdx.x;
}
