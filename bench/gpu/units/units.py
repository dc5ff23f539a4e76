#!/usr/bin/env python3
# Prints a CUDA program of micro-kernels for ncu: tensor copies in every swizzle mode, ldmatrix and stmatrix with rows of
# every pitch and swizzle, wgmma with operands of every layout (run.sh counts them; units.ptx is a part of them).
def wg(n, a_reg=False):
    regs=n//2
    d=', '.join('%%%d'%i for i in range(regs))
    ins = (f'wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 {{{d}}}, ')
    if a_reg:
        ins += '{%%%d, %%%d, %%%d, %%%d}, %%%d, 1, 1, 1, %%%d;'%(regs,regs+1,regs+2,regs+3,regs+4,regs+5)
        args='"r"(0u), "r"(0u), "r"(0u), "r"(0u), "l"(db), "n"(TB)'
    else:
        ins += '%%%d, %%%d, 1, 1, 1, %%%d, %%%d;'%(regs,regs+1,regs+2,regs+3)
        args='"l"(da), "l"(db), "n"(TA), "n"(TB)'
    outs=', '.join('"+f"(d[%d])'%i for i in range(regs))
    return f'''
template <int L, int LA, int SA, int LB, int SB, int TA, int TB> __global__ void wgmma_{'reg_' if a_reg else ''}n{n}(float *out) {{
    extern __shared__ __align__(1024) char s[];
    float d[{regs}]; for (int i = 0; i < {regs}; i++) d[i] = 0;
    unsigned long long da = DESC(s, LA, SA, L), db = DESC(s + 65536, LB, SB, L); (void)da;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{ins}" : {outs} : {args} : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    float t = 0; for (int i = 0; i < {regs}; i++) t += d[i];
    if (t == 12345.f) out[threadIdx.x] = t;
}}'''
src='''#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define AT(p) ((unsigned)__cvta_generic_to_shared(p))
#define DESC(p, lead, stride, layout) ((unsigned long long)((AT(p) & 0x3ffff) >> 4) | (unsigned long long)((lead) >> 4) << 16 | (unsigned long long)((stride) >> 4) << 32 | (unsigned long long)(layout) << 62)
__device__ void bar_init(unsigned long long *b) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(AT(b)) : "memory"); }
__device__ void bar_expect(unsigned long long *b, int n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(AT(b)), "r"(n) : "memory"); }
__device__ void bar_wait(unsigned long long *b) { unsigned o; do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(o) : "r"(AT(b)) : "memory"); while (!o); }
template <int MODE, int BYTES> __global__ void tma_load(const __grid_constant__ CUtensorMap m, float *out) {
    extern __shared__ __align__(1024) char s[]; __shared__ unsigned long long b;
    if (threadIdx.x) return;
    bar_init(&b); bar_expect(&b, 64 * BYTES);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" :: "r"(AT(s)), "l"(&m), "r"(0), "r"(0), "r"(AT(&b)) : "memory");
    bar_wait(&b);
}
template <int MODE, int BYTES> __global__ void tma_store(const __grid_constant__ CUtensorMap m, float *out) {
    extern __shared__ __align__(1024) char s[];
    if (threadIdx.x) return;
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" :: "l"(&m), "r"(0), "r"(0), "r"(AT(s)) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
__global__ void bulk_load(const float *in) {
    extern __shared__ __align__(1024) char s[]; __shared__ unsigned long long b;
    if (threadIdx.x) return;
    bar_init(&b); bar_expect(&b, 8192);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(AT(s)), "l"(in), "r"(8192), "r"(AT(&b)) : "memory");
    bar_wait(&b);
}
__global__ void no_copy(const float *in) {
    __shared__ unsigned long long b;
    if (threadIdx.x) return;
    bar_init(&b);
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(AT(&b)) : "memory");
    bar_wait(&b);
}
__global__ void nothing(float *out) { if (out == (float *)4) *out = 1; }
// ldmatrix and stmatrix: rows ROW bytes apart; XOR: chunk of 16 bytes ^ (row % 8) as in SWIZZLE_128B
template <int ROW, int SHIFT, int MASK> __device__ unsigned place(int row, int chunk) {
    unsigned a = row * ROW + chunk * 16;
    return a ^ (((a >> SHIFT) & MASK) << 4);
}
#define LD(N, REGS, OUTS) template <int ROW, int SHIFT, int MASK> __global__ void ldmatrix_x##N(float *out) { \\
    extern __shared__ __align__(1024) char s[]; unsigned r[4] = {0, 0, 0, 0}; int l = threadIdx.x; \\
    unsigned a = AT(s) + place<ROW, SHIFT, MASK>(l % 8 + (l / 8 % 2) * 8, l / 16); \\
    asm volatile("ldmatrix.sync.aligned.m8n8.x" #N ".shared.b16 {" REGS "}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory"); \\
    if (r[0] + r[1] + r[2] + r[3] == 12345) out[l] = 1; }
LD(1, "%0", ) LD(2, "%0, %1", ) LD(4, "%0, %1, %2, %3", )
#define ST(N, REGS) template <int ROW, int SHIFT, int MASK> __global__ void stmatrix_x##N(float *out) { \\
    extern __shared__ __align__(1024) char s[]; int l = threadIdx.x; \\
    unsigned a = AT(s) + place<ROW, SHIFT, MASK>(l % 8 + (l / 8 % 2) * 8, l / 16); \\
    asm volatile("stmatrix.sync.aligned.m8n8.x" #N ".shared.b16 [%4], {" REGS "};" :: "r"(l), "r"(l + 1), "r"(l + 2), "r"(l + 3), "r"(a) : "memory"); }
ST(1, "%0") ST(2, "%0, %1") ST(4, "%0, %1, %2, %3")
'''
for n in (8,64,128): src+=wg(n)
src+=wg(64,True)
src+='''
typedef CUresult (*encode_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static encode_fn encode; static float *data;
static CUtensorMap map(int mode, int bytes) {
    CUtensorMap m; cuuint64_t size[] = {(cuuint64_t)bytes / 4, 64}, pitch[] = {1024}; cuuint32_t box[] = {(cuuint32_t)bytes / 4, 64}, step[] = {1, 1};
    CUresult r = encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)mode, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r) fprintf(stderr, "encode %d %d: %d\\n", mode, bytes, r);
    return m;
}
#define GO(...) do { auto f = __VA_ARGS__; if (cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10)) fprintf(stderr, "attribute\\n"); f
#define DONE cudaError_t e = cudaDeviceSynchronize(); if (e) { fprintf(stderr, "%s %d\\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
int main() {
    cudaMalloc(&data, 1 << 20); cudaMemset(data, 0, 1 << 20);
    void *p = 0; cudaDriverEntryPointQueryResult q; cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &p, 12000, cudaEnableDefault, &q); encode = (encode_fn)p;
    GO(nothing)<<<1, 32>>>(data); DONE;
    GO(no_copy)<<<1, 32>>>(data); DONE;
    GO(bulk_load)<<<1, 32, 65536>>>(data); DONE;
'''
for mode,b in ((0,16),(0,32),(0,64),(0,128),(0,256),(1,32),(2,32),(2,64),(3,32),(3,64),(3,128)):
    for k in ('load','store'): src+=f'    {{ CUtensorMap m = map({mode}, {b}); GO(tma_{k}<{mode}, {b}>)<<<1, 32, 65536>>>(m, data); DONE; }}\n'
for k in ('ldmatrix','stmatrix'):
    for n in (1,2,4):
        for row,sh,mk in ((16,7,0),(32,7,0),(32,7,1),(64,7,0),(64,7,3),(80,7,0),(128,7,0),(128,7,7),(144,7,0),(256,7,0),(256,8,7),(1024,7,0)):
            src+=f'    GO({k}_x{n}<{row}, {sh}, {mk}>)<<<1, 32, 65536>>>(data); DONE;\n'
L=[(0,128,256,128,256,0,0),(0,1024,128,1024,128,0,0),(0,256,512,256,512,0,0),(0,16,256,16,256,0,0),(0,2048,128,2048,128,0,0),
   (3,16,256,16,256,0,0),(2,16,512,16,512,0,0),(1,16,1024,16,1024,0,0),(1,16,2048,16,2048,0,0),(1,1024,1024,1024,1024,1,1),(1,1024,1024,1024,1024,0,1),(1,8192,1024,8192,1024,0,1),(2,512,512,512,512,1,1),(3,256,256,256,256,1,1),(0,128,256,128,256,1,1),(0,256,128,256,128,1,1)]
for n in ('n8','n64','n128','reg_n64'):
    for l in L: src+=f'    GO(wgmma_{n}<{", ".join(map(str,l))}>)<<<1, 128, 196608>>>(data); DONE;\n'
src+='    puts("done"); return 0;\n}\n'
print(src)
