#!/usr/bin/env python3
# Prints a CUDA program of micro-kernels for ncu: threads that read and write a tile in shared memory in each of the swizzles
# of tensor copies, along its rows and along its columns (run.sh counts them; tiles.ptx is what nvcc makes of them).
#   tiles.py           the program
#   tiles.py kernels   the kernels alone, for tiles.ptx
import sys
kernels = '''#define AT(p) ((unsigned)__cvta_generic_to_shared(p))
// SWIZZLE as CUDA numbers them: rows of 16 << SWIZZLE bytes, in which the chunks of 16 bytes are exchanged.
template <int SWIZZLE> __device__ unsigned place(unsigned byte) { return byte ^ (byte >> 3 & ((1u << SWIZZLE) - 1) << 4); }
template <int SWIZZLE, int ROW, int BYTES, int ALONG> __device__ unsigned element() {
    unsigned l = threadIdx.x, at = ALONG ? l * BYTES : l * ROW + 16;
    return place<SWIZZLE>(at);
}
#define TILE(N, TYPE, REGS)                                                                                         \\
    template <int SWIZZLE, int ROW, int ALONG> __global__ void read##N(float *out) {                                \\
        extern __shared__ __align__(1024) char s[];                                                                 \\
        unsigned r[4] = {0, 0, 0, 0};                                                                               \\
        asm volatile("ld.shared" TYPE " " REGS ", [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])          \\
                     : "r"(AT(s) + element<SWIZZLE, ROW, N, ALONG>()) : "memory");                                  \\
        if (r[0] + r[1] + r[2] + r[3] == 12345) out[threadIdx.x] = 1;                                               \\
    }                                                                                                               \\
    template <int SWIZZLE, int ROW, int ALONG> __global__ void write##N(float *out) {                               \\
        extern __shared__ __align__(1024) char s[];                                                                 \\
        unsigned v = threadIdx.x;                                                                                   \\
        asm volatile("st.shared" TYPE " [%4], " REGS ";" ::"r"(v), "r"(v), "r"(v), "r"(v),                          \\
                     "r"(AT(s) + element<SWIZZLE, ROW, N, ALONG>()) : "memory");                                    \\
    }
TILE(4, ".b32", "%0")
TILE(8, ".v2.b32", "{%0, %1}")
TILE(16, ".v4.b32", "{%0, %1, %2, %3}")
'''
calls = []
for what in 'read', 'write':
    for n in (4, 8, 16):
        for swizzle in range(4):
            for along in (0, 1): calls.append(f'{what}{n}<{swizzle}, {16 << swizzle}, {along}>')
        calls.append(f'{what}{n}<0, 128, 0>'), calls.append(f'{what}{n}<0, 64, 0>'), calls.append(f'{what}{n}<0, 144, 0>')
print(kernels)
if sys.argv[1:] == ['kernels']:
    for call in calls: print(f'template __global__ void {call}(float *);')
else:
    print('#include <cstdio>\nint main() {\n    float *data;\n    cudaMalloc(&data, 1 << 20);')
    for call in calls: print(f'    {call}<<<1, 32, 32768>>>(data);')
    print('    puts(cudaGetErrorString(cudaDeviceSynchronize()));\n}')
