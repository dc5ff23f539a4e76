// alignas behind __shared__, as CUDA's guide has it for copies by the TMA: nvcc takes it, clang wants it elsewhere.

//: turned --grid 1 --block 64 --arg 's32[64]=iota' => nothing
extern "C" __global__ void turned(int *p) {
    __shared__ alignas(128) int tile[64];
    static __shared__ alignas(alignof(double2)) int other[1];
    tile[threadIdx.x] = p[threadIdx.x];
    if (threadIdx.x == 0) other[0] = 63;
    __syncthreads();
    p[threadIdx.x] = tile[other[0] - threadIdx.x];
    __lockstep_assert(((size_t)tile & 127) == 0 && ((size_t)other & 15) == 0);
    __lockstep_assert(p[threadIdx.x] == 63 - (int)threadIdx.x);
}
