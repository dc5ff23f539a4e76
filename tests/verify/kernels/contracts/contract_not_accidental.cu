//xfail:NOT_ALL_VERIFIED
//lockstep: verify
//error: write-write race on 'out' between threads of different blocks
//
// All blocks write to the same places. "One block only" would make it right, but the kernel asks for its block's
// number, so that it is meant for several: the race is not excused by a contract.
__global__ void last_block(int *out, int n) {
    if (threadIdx.x < n) out[threadIdx.x] = blockIdx.x;
}
