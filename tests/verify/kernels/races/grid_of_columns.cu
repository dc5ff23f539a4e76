// pass
// --frontend=clang
// lockstep: verify --accept-contracts
// kernel 'rows': proved if .*gridDim\.x == 1
//
// Blocks are told apart by their number in y alone: a grid that has several in x as well is none that is meant, but a launch
// that has them races. So it is a condition.
__global__ void rows(float *out, int width) {
    if (threadIdx.x < width) out[blockIdx.y * width + threadIdx.x] *= 2;
}
