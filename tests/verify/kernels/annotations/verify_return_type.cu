//xfail:REFUSED
//lockstep: verify --block 64 --grid 1
//__return_val_int, but the function returns 8 bytes
__device__ long long twice(int i) {
    __ensures(__return_val_int() == 2 * i);
    return 2 * i;
}

__global__ void k(long long *a) {
    a[threadIdx.x] = twice(threadIdx.x);
}
