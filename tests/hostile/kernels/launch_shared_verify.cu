//xfail:LIMIT
//lockstep: verify
//launch_shared_verify\.cu:\d+:\d+: error: .*bytes of shared memory, but a block can have at most
//
// A launch that no GPU takes is no launch that something can be proved of.
__global__ void k(int *p) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    p[threadIdx.x] = s[threadIdx.x];
}
int main() {
    int *p = nullptr;
    k<<<1, 1, 4294967100u>>>(p);
}
