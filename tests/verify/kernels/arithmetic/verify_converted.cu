//xfail:FOUND
//--block=64 --grid=2
//
// Different integers are different floats, as long as they are small.

__global__ void k(float *a) {
    a[threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
}
