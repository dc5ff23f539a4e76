//xfail:LIMIT
//lockstep: run
//launch_shared\.cu:\d+:\d+: error: .*shared memory
//
// The file's own launch asks for 4 GB of shared memory.
__global__ void k(int *p) {
    extern __shared__ int s[];
    s[threadIdx.x] = p[threadIdx.x];
    p[threadIdx.x] = s[threadIdx.x + 1000000];
}
int main() {
    int *p = nullptr;
    k<<<1, 1, 4294967100u>>>(p);
}
