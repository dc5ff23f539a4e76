//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//race on 'flag' between threads of different blocks
//
// The same with the scope of the block.
__device__ void put(int *p, int v) { asm volatile("st.relaxed.cta.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
__global__ void k(int *flag) { put(flag, blockIdx.x); }
