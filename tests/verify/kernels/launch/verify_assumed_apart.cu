//pass
//--block=512 --grid=1

__global__ void k(float *a, int x) {
    __requires(x >= 0 && x < 185);
    if (threadIdx.x == 15) a[threadIdx.x + x] = sqrtf(threadIdx.x);
    if (threadIdx.x == 200) a[threadIdx.x] = sqrtf(threadIdx.x);
}
