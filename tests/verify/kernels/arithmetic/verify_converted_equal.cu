//pass
//--block=64 --grid=2

__global__ void k(float *a) {
    a[threadIdx.x] = threadIdx.x;
}
