/* Every rule by example: a small file in which it is found, the same file mended, and how. A test runs the
 * named subcommand on both. */
#include "cli/explanations.h"

static const ls_explanation explanations[LS_RULE_COUNT] = {
    [LS_RULE_RACE_SHARED] = {"verify",
                             "__global__ __launch_bounds__(64) void shift(int *out) {\n"
                             "    __shared__ int s[64];\n"
                             "    s[threadIdx.x] = threadIdx.x;\n"
                             "    out[blockIdx.x * 64 + threadIdx.x] = s[(threadIdx.x + 1) % 64];\n"
                             "}\n"
                             "void launch(int *out) { shift<<<4, 64>>>(out); }\n",
                             "__global__ __launch_bounds__(64) void shift(int *out) {\n"
                             "    __shared__ int s[64];\n"
                             "    s[threadIdx.x] = threadIdx.x;\n"
                             "    __syncthreads();\n"
                             "    out[blockIdx.x * 64 + threadIdx.x] = s[(threadIdx.x + 1) % 64];\n"
                             "}\n"
                             "void launch(int *out) { shift<<<4, 64>>>(out); }\n",
                             "Put a __syncthreads() (in OpenCL a barrier(CLK_LOCAL_MEM_FENCE)) that all "
                             "threads of the block reach "
                             "between the two accesses, or let each thread use its own element. Threads of "
                             "one warp need one too, "
                             "or a __syncwarp()."},
    [LS_RULE_RACE_GLOBAL] = {"verify",
                             "__global__ void count(const int *keys, int *bins) {\n"
                             "    int i = blockIdx.x * 128 + threadIdx.x;\n"
                             "    bins[keys[i] & 15] += 1;\n"
                             "}\n"
                             "void launch(const int *keys, int *bins) { count<<<8, 128>>>(keys, bins); }\n",
                             "__global__ void count(const int *keys, int *bins) {\n"
                             "    int i = blockIdx.x * 128 + threadIdx.x;\n"
                             "    atomicAdd(&bins[keys[i] & 15], 1);\n"
                             "}\n"
                             "void launch(const int *keys, int *bins) { count<<<8, 128>>>(keys, bins); }\n",
                             "Use an atomic operation, let each thread write its own element, or split the "
                             "work into two kernels: a "
                             "barrier orders only the threads of one block."},
    [LS_RULE_BARRIER_DIVERGENCE] =
        {"verify --strict-exit",
         "__global__ void half(int *a) {\n"
         "    __shared__ int s[64];\n"
         "    s[threadIdx.x] = a[threadIdx.x];\n"
         "    if (threadIdx.x < 32) {\n"
         "        __syncthreads();\n"
         "        a[threadIdx.x] = s[threadIdx.x];\n"
         "    }\n"
         "}\n"
         "void launch(int *a) { half<<<1, 64>>>(a); }\n",
         "__global__ void half(int *a) {\n"
         "    __shared__ int s[64];\n"
         "    s[threadIdx.x] = a[threadIdx.x];\n"
         "    __syncthreads();\n"
         "    if (threadIdx.x < 32) a[threadIdx.x] = s[threadIdx.x];\n"
         "}\n"
         "void launch(int *a) { half<<<1, 64>>>(a); }\n",
         "Move the barrier out of the condition or loop on which the threads of the block disagree."},
    [LS_RULE_ASSERT] = {"verify",
                        "#include <lockstep.h>\n"
                        "__global__ void fill(int *a, int n) {\n"
                        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "    __assert(i < n);\n"
                        "    a[i] = i;\n"
                        "}\n"
                        "void launch(int *a) { fill<<<4, 64>>>(a, 200); }\n",
                        "#include <lockstep.h>\n"
                        "__global__ void fill(int *a, int n) {\n"
                        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "    if (i >= n) return;\n"
                        "    __assert(i < n);\n"
                        "    a[i] = i;\n"
                        "}\n"
                        "void launch(int *a) { fill<<<4, 64>>>(a, 200); }\n",
                        "Make the code guarantee what the assertion states, or state what the caller "
                        "guarantees with __requires."},
    [LS_RULE_MEMORY_BOUNDS] =
        {"verify --bounds",
         "__global__ void fill(int *a) {\n"
         "    __shared__ int s[32];\n"
         "    s[threadIdx.x] = 1;\n"
         "    a[threadIdx.x] = s[threadIdx.x];\n"
         "}\n"
         "void launch(int *a) { fill<<<1, 64>>>(a); }\n",
         "__global__ void fill(int *a) {\n"
         "    __shared__ int s[64];\n"
         "    s[threadIdx.x] = 1;\n"
         "    a[threadIdx.x] = s[threadIdx.x];\n"
         "}\n"
         "void launch(int *a) { fill<<<1, 64>>>(a); }\n",
         "Make the array as large as the block needs it, or guard the access: if (i < n) …"},
    [LS_RULE_MEMORY_UNINITIALIZED] =
        {"run",
         "__global__ void sum(int *a) {\n"
         "    __shared__ int s[64];\n"
         "    if (threadIdx.x < 32) s[threadIdx.x] = a[threadIdx.x];\n"
         "    __syncthreads();\n"
         "    a[threadIdx.x] = s[63 - threadIdx.x];\n"
         "}\n"
         "void launch(int *a) { sum<<<1, 64>>>(a); }\n",
         "__global__ void sum(int *a) {\n"
         "    __shared__ int s[64];\n"
         "    s[threadIdx.x] = a[threadIdx.x];\n"
         "    __syncthreads();\n"
         "    a[threadIdx.x] = s[63 - threadIdx.x];\n"
         "}\n"
         "void launch(int *a) { sum<<<1, 64>>>(a); }\n",
         "Write every element before it is read; shared memory holds anything when a block starts."},
    [LS_RULE_MEMORY_MISALIGNED] = {"run",
                                   "__global__ void clear(float *a) {\n"
                                   "    *(float4 *)(a + 1 + 4 * threadIdx.x) = make_float4(0, 1, 2, 3);\n"
                                   "}\n"
                                   "void launch(float *a) { clear<<<1, 32>>>(a); }\n",
                                   "__global__ void clear(float *a) {\n"
                                   "    *(float4 *)(a + 4 * threadIdx.x) = make_float4(0, 1, 2, 3);\n"
                                   "}\n"
                                   "void launch(float *a) { clear<<<1, 32>>>(a); }\n",
                                   "Vector accesses need addresses that are multiples of their size: 16 "
                                   "bytes for a float4. Start at such an "
                                   "element, or use scalar accesses."},
    [LS_RULE_COALESCING] =
        {"analyze",
         "__global__ void scale(float *a, int n) {\n"
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    a[i * 32] *= 2;\n"
         "}\n"
         "void launch(float *a) { scale<<<4, 128>>>(a, 0); }\n",
         "__global__ void scale(float *a, int n) {\n"
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    a[i] *= 2;\n"
         "}\n"
         "void launch(float *a) { scale<<<4, 128>>>(a, 0); }\n",
         "Let neighbouring lanes (threadIdx.x) access neighbouring elements: swap the loops or the index, "
         "use a "
         "structure of arrays instead of an array of structures, or go through shared memory."},
    [LS_RULE_BANK_CONFLICT] = {"analyze",
                               "__global__ void turn(float *a) {\n"
                               "    __shared__ float tile[32][32];\n"
                               "    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];\n"
                               "    __syncthreads();\n"
                               "    a[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n"
                               "}\n"
                               "void launch(float *a) { turn<<<1, dim3(32, 32)>>>(a); }\n",
                               "__global__ void turn(float *a) {\n"
                               "    __shared__ float tile[32][33];\n"
                               "    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];\n"
                               "    __syncthreads();\n"
                               "    a[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n"
                               "}\n"
                               "void launch(float *a) { turn<<<1, dim3(32, 32)>>>(a); }\n",
                               "Pad the rows by one element (33 instead of 32), or swizzle the index, so "
                               "that the lanes of a warp fall into "
                               "different banks."},
    [LS_RULE_DIVERGENCE_BRANCH] =
        {"run",
         "__global__ void parity(int *a) {\n"
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    if (i % 2) {\n"
         "        for (int k = 0; k < a[i]; k++) atomicAdd(a, k);\n"
         "    }\n"
         "}\n"
         "void launch(int *a) { parity<<<1, 64>>>(a); }\n",
         "__global__ void parity(int *a) {\n"
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    atomicAdd(a, i);\n"
         "}\n"
         "void launch(int *a) { parity<<<1, 64>>>(a); }\n",
         "Let the threads of a warp take the same side: branch on something that is the same for 32 threads "
         "in a row, "
         "or compute both sides without a branch. Short divergent branches cost little."},
    [LS_RULE_MEMORY_FREE] = {"run", "", "",
                             "Free every allocation once, with the pointer that cudaMalloc gave, and not "
                             "while work that uses it is "
                             "still under way. `lockstep run -- ./app` reports it of whole programs, with "
                             "the place of the allocation "
                             "and of the first free."},
    [LS_RULE_MEMORY_LEAK] = {"run", "", "",
                             "Call cudaFree for every cudaMalloc before the program ends. `lockstep run -- "
                             "./app` names the call that "
                             "made the allocation."},
    [LS_RULE_MEMORY_COPY] =
        {"run", "", "",
         "Give cudaMemcpy a size that both sides have, and the direction that the pointers have; "
         "cudaMemcpyDefault takes it from the pointers. `lockstep run -- ./app` reports it of whole "
         "programs."},
    [LS_RULE_HOST_ACCESS] =
        {"run", "", "",
         "Copy device memory to the host before the host reads it, or allocate it with cudaMallocManaged. "
         "`lockstep run -- ./app` stops the program at the access and shows its line."},
    [LS_RULE_RACE_STREAM] =
        {"run", "", "",
         "Order work on different streams that touches the same memory: cudaEventRecord on one and "
         "cudaStreamWaitEvent on the other, or cudaStreamSynchronize between them. `lockstep run -- ./app` "
         "shows "
         "both operations."},
    [LS_RULE_ERROR_UNCHECKED] = {"run", "", "",
                                 "Check what CUDA calls return, and call cudaGetLastError after a launch. "
                                 "`lockstep run -- ./app` names the call whose error was never checked."},
    [LS_RULE_TERMINATION] =
        {"model", "", "",
         "Make sure that every loop is left by every thread. `lockstep model` reports it of kernels in the "
         "papers' "
         "languages (docs/model.md); a run that does not end is stopped by `lockstep run --timeout`."},
    [LS_RULE_DIVISION] = {"verify --div0",
                          "__global__ void share(int *a, int n) {\n"
                          "    int i = blockIdx.x * 64 + threadIdx.x;\n"
                          "    a[i] = a[i] / n;\n"
                          "}\n"
                          "void launch(int *a, int n) { share<<<4, 64>>>(a, n); }\n",
                          "__global__ void share(int *a, int n) {\n"
                          "    int i = blockIdx.x * 64 + threadIdx.x;\n"
                          "    if (n != 0) a[i] = a[i] / n;\n"
                          "}\n"
                          "void launch(int *a, int n) { share<<<4, 64>>>(a, n); }\n",
                          "Guard the division, or state that the divisor is not zero: __requires(n != 0), or "
                          "--assume 'n != 0'."},
    [LS_RULE_ASYNC_PROXY] =
        {"run --arch sm_90a",
         "#define PTX(text, ...) asm volatile(text ::__VA_ARGS__ : \"memory\")\n"
         "#define AT(p) \"r\"((unsigned)__cvta_generic_to_shared(p))\n"
         "__global__ __launch_bounds__(64) void twice(const int *in, int *out) {\n"
         "    __shared__ __align__(128) int s[64];\n"
         "    s[threadIdx.x] = 2 * in[threadIdx.x];\n"
         "    __syncthreads();\n"
         "    if (threadIdx.x) return;\n"
         "    PTX(\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\", \"l\"(out), AT(s));\n"
         "    PTX(\"cp.async.bulk.commit_group;\\n\\tcp.async.bulk.wait_group 0;\");\n"
         "}\n"
         "void launch(const int *in, int *out) { twice<<<1, 64>>>(in, out); }\n",
         "#define PTX(text, ...) asm volatile(text ::__VA_ARGS__ : \"memory\")\n"
         "#define AT(p) \"r\"((unsigned)__cvta_generic_to_shared(p))\n"
         "__global__ __launch_bounds__(64) void twice(const int *in, int *out) {\n"
         "    __shared__ __align__(128) int s[64];\n"
         "    s[threadIdx.x] = 2 * in[threadIdx.x];\n"
         "    PTX(\"fence.proxy.async.shared::cta;\");\n"
         "    __syncthreads();\n"
         "    if (threadIdx.x) return;\n"
         "    PTX(\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\", \"l\"(out), AT(s));\n"
         "    PTX(\"cp.async.bulk.commit_group;\\n\\tcp.async.bulk.wait_group 0;\");\n"
         "}\n"
         "void launch(const int *in, int *out) { twice<<<1, 64>>>(in, out); }\n",
         "Every thread that has written executes fence.proxy.async (in CUTLASS "
         "fence_view_async_shared) behind its last write and in front of the barrier. A barrier "
         "alone orders threads, but not the two ways to memory. docs/async.md has the table of what "
         "needs which fence."},
    [LS_RULE_ASYNC_MBARRIER] =
        {"run --arch sm_90a",
         "#define PTX(text, ...) asm volatile(text ::__VA_ARGS__ : \"memory\")\n"
         "#define AT(p) \"r\"((unsigned)__cvta_generic_to_shared(p))\n"
         "__global__ __launch_bounds__(64) void hand_over(const int *in, int *out) {\n"
         "    __shared__ int s[32];\n"
         "    __shared__ unsigned long long ready;\n"
         "    if (threadIdx.x == 0) PTX(\"mbarrier.init.shared::cta.b64 [%0], 64;\", AT(&ready));\n"
         "    __syncthreads();\n"
         "    if (threadIdx.x < 32) {\n"
         "        s[threadIdx.x] = in[threadIdx.x];\n"
         "        PTX(\"{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }\", AT(&ready));\n"
         "        return;\n"
         "    }\n"
         "    unsigned over;\n"
         "    do\n"
         "        asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\"\n"
         "                     \" selp.u32 %0, 1, 0, p; }\" : \"=r\"(over) : AT(&ready) : \"memory\");\n"
         "    while (!over);\n"
         "    out[threadIdx.x - 32] = s[63 - threadIdx.x];\n"
         "}\n"
         "void launch(const int *in, int *out) { hand_over<<<1, 64>>>(in, out); }\n",
         "#define PTX(text, ...) asm volatile(text ::__VA_ARGS__ : \"memory\")\n"
         "#define AT(p) \"r\"((unsigned)__cvta_generic_to_shared(p))\n"
         "__global__ __launch_bounds__(64) void hand_over(const int *in, int *out) {\n"
         "    __shared__ int s[32];\n"
         "    __shared__ unsigned long long ready;\n"
         "    if (threadIdx.x == 0) PTX(\"mbarrier.init.shared::cta.b64 [%0], 32;\", AT(&ready));\n"
         "    __syncthreads();\n"
         "    if (threadIdx.x < 32) {\n"
         "        s[threadIdx.x] = in[threadIdx.x];\n"
         "        PTX(\"{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }\", AT(&ready));\n"
         "        return;\n"
         "    }\n"
         "    unsigned over;\n"
         "    do\n"
         "        asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\"\n"
         "                     \" selp.u32 %0, 1, 0, p; }\" : \"=r\"(over) : AT(&ready) : \"memory\");\n"
         "    while (!over);\n"
         "    out[threadIdx.x - 32] = s[63 - threadIdx.x];\n"
         "}\n"
         "void launch(const int *in, int *out) { hand_over<<<1, 64>>>(in, out); }\n",
         "The count of mbarrier.init is the number of arrivals in a phase, with that of the thread "
         "that announces bytes (expect_tx); the bytes must be those that the copies bring. "
         "Initialise it once, let a barrier follow, and flip the parity with every phase."},
    [LS_RULE_ASYNC_UNFINISHED] =
        {"run --arch sm_90a",
         "#define PTX(text, ...) asm volatile(text ::__VA_ARGS__ : \"memory\")\n"
         "#define AT(p) \"r\"((unsigned)__cvta_generic_to_shared(p))\n"
         "__global__ __launch_bounds__(64) void twice(const int *in, int *out) {\n"
         "    __shared__ __align__(128) int s[64];\n"
         "    s[threadIdx.x] = 2 * in[threadIdx.x];\n"
         "    PTX(\"fence.proxy.async.shared::cta;\");\n"
         "    __syncthreads();\n"
         "    if (threadIdx.x) return;\n"
         "    PTX(\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\", \"l\"(out), AT(s));\n"
         "    PTX(\"cp.async.bulk.commit_group;\");\n"
         "}\n"
         "void launch(const int *in, int *out) { twice<<<1, 64>>>(in, out); }\n",
         "#define PTX(text, ...) asm volatile(text ::__VA_ARGS__ : \"memory\")\n"
         "#define AT(p) \"r\"((unsigned)__cvta_generic_to_shared(p))\n"
         "__global__ __launch_bounds__(64) void twice(const int *in, int *out) {\n"
         "    __shared__ __align__(128) int s[64];\n"
         "    s[threadIdx.x] = 2 * in[threadIdx.x];\n"
         "    PTX(\"fence.proxy.async.shared::cta;\");\n"
         "    __syncthreads();\n"
         "    if (threadIdx.x) return;\n"
         "    PTX(\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\", \"l\"(out), AT(s));\n"
         "    PTX(\"cp.async.bulk.commit_group;\\n\\tcp.async.bulk.wait_group.read 0;\");\n"
         "}\n"
         "void launch(const int *in, int *out) { twice<<<1, 64>>>(in, out); }\n",
         "The thread that committed the copies waits for them (cp.async.bulk.wait_group.read 0, in "
         "CUTLASS tma_store_wait<0>) before it ends; copies into shared memory are waited for at "
         "their mbarrier."},
    [LS_RULE_ASYNC_REGISTERS] =
        {"run --arch sm_90a",
         "#define PTX(text) asm volatile(text ::: \"memory\")\n"
         "__global__ __launch_bounds__(128) void squares(float *out) {\n"
         "    __shared__ __align__(128) unsigned short s[1024];\n"
         "    for (int k = threadIdx.x; k < 1024; k += 128) s[k] = 0x3c00;\n"
         "    PTX(\"fence.proxy.async.shared::cta;\");\n"
         "    __syncthreads();\n"
         "    unsigned long long a = (__cvta_generic_to_shared(s) >> 4) | 8ull << 16 | 16ull << 32;\n"
         "    float d[4] = {0};\n"
         "    PTX(\"wgmma.fence.sync.aligned;\");\n"
         "    asm volatile(\"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, "
         "1, 1, 0, 0;\"\n"
         "                 : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3]) : \"l\"(a) : "
         "\"memory\");\n"
         "    PTX(\"wgmma.commit_group.sync.aligned;\");\n"
         "    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];\n"
         "    PTX(\"wgmma.wait_group.sync.aligned 0;\");\n"
         "}\n"
         "void launch(float *out) { squares<<<1, 128>>>(out); }\n",
         "#define PTX(text) asm volatile(text ::: \"memory\")\n"
         "__global__ __launch_bounds__(128) void squares(float *out) {\n"
         "    __shared__ __align__(128) unsigned short s[1024];\n"
         "    for (int k = threadIdx.x; k < 1024; k += 128) s[k] = 0x3c00;\n"
         "    PTX(\"fence.proxy.async.shared::cta;\");\n"
         "    __syncthreads();\n"
         "    unsigned long long a = (__cvta_generic_to_shared(s) >> 4) | 8ull << 16 | 16ull << 32;\n"
         "    float d[4] = {0};\n"
         "    PTX(\"wgmma.fence.sync.aligned;\");\n"
         "    asm volatile(\"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, "
         "1, 1, 0, 0;\"\n"
         "                 : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3]) : \"l\"(a) : "
         "\"memory\");\n"
         "    PTX(\"wgmma.commit_group.sync.aligned;\");\n"
         "    PTX(\"wgmma.wait_group.sync.aligned 0;\");\n"
         "    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];\n"
         "}\n"
         "void launch(float *out) { squares<<<1, 128>>>(out); }\n",
         "The sums of a wgmma, and registers with a fragment of A, may be touched after "
         "wgmma.wait_group (in CUTLASS warpgroup_wait<N>()) has waited for its group; registers that "
         "were written are handed over by wgmma.fence (warpgroup_arrive())."},
};

const ls_explanation *ls_explanation_of(ls_rule rule) {
    return &explanations[rule];
}
