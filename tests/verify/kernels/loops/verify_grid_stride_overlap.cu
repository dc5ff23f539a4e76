//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//write-write race on 'z' between threads of one block
//
// The loop of verify_grid_stride_any.cu with a store into the next thread's element: the distance of two threads is one
// element, however the index is made.
__global__ void with_long(float4 *z, const float4 *x, unsigned long n) {
    unsigned long step = (unsigned long)blockDim.x * gridDim.x;
    for (unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        z[i].x = x[i].w;
        z[i + 1].x = x[i].x;
    }
}
