//pass
//lockstep: verify --block 64 --grid 2
//
// Relaxed stores and loads of the device's scope, as cuda::atomic makes them.
__device__ void put(int *p, int v) { asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
__device__ int get(int *p) {
    int v;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__global__ void k(int *flag, int *out) {
    put(flag, threadIdx.x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = get(flag);
}
