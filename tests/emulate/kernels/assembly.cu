// Assembly as nvcc takes it: a special register with one percent sign beside operands, and operands without a
// comma between them. clang wants both otherwise.

//: lanes --grid 1 --block 64 --arg 'u32[64]' => nothing
extern "C" __global__ void lanes(unsigned *p) {
    unsigned lane, sum;
    asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));
    asm volatile("{\n\t"
                 "add.u32 %0, %1, %2; // %%laneid\n\t"
                 "}" : "=r"(sum) : "r"(lane) "r"(threadIdx.x));
    p[threadIdx.x] = sum;
    __lockstep_assert(p[threadIdx.x] == threadIdx.x + (threadIdx.x & 31));
}
