//xfail:FOUND
//lockstep: verify --block 256 --grid 4
//error: atomic access-write race on 'count'
//
// The counter is set again between two rounds, without a barrier that keeps the rounds apart: numbers come twice.
__global__ void compact(const int *in, int *out) {
    __shared__ unsigned count;
    __shared__ int kept[256];
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x == round) kept[0] = round, count = 0;
        __syncthreads();
        kept[atomicAdd(&count, 1)] = in[round * 256 + threadIdx.x];
    }
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = kept[threadIdx.x];
}
