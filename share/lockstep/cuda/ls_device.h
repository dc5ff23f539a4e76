/* Device functions that are no mathematics: synchronisation, bits, conversions, loads and stores with a
 * cache operator, clocks. */
#ifndef LS_DEVICE_FUNCTIONS_H
#define LS_DEVICE_FUNCTIONS_H
#pragma GCC system_header

/* --- Synchronisation ----------------------------------------------------------------------------------- */
LS_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
LS_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
LS_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
LS_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
LS_DEVICE void __barrier_sync(unsigned int id) { __nvvm_barrier_sync(id); }
LS_DEVICE void __barrier_sync_count(unsigned int id, unsigned int count) { __nvvm_barrier_sync_cnt(id, count); }
LS_DEVICE void __threadfence(void) { __nvvm_membar_gl(); }
LS_DEVICE void __threadfence_block(void) { __nvvm_membar_cta(); }
LS_DEVICE void __threadfence_system(void) { __nvvm_membar_sys(); }
LS_DEVICE void __trap(void) { asm volatile("trap;"); }
LS_DEVICE void __brkpt(void) { asm volatile("brkpt;"); }
LS_DEVICE void __brkpt(int) { asm volatile("brkpt;"); }
LS_DEVICE void __exit(void) { asm volatile("exit;"); }
LS_DEVICE void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
LS_DEVICE void __prof_trigger(int) {}
LS_DEVICE clock_t clock(void) { return (clock_t)__nvvm_read_ptx_sreg_clock(); }
LS_DEVICE long long clock64(void) { return __nvvm_read_ptx_sreg_clock64(); }
LS_DEVICE unsigned int __smid(void) {
    unsigned int r;
    asm("mov.u32 %0, %%smid;" : "=r"(r));
    return r;
}
LS_DEVICE unsigned int __laneid(void) {
    unsigned int r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

/* --- Bits ---------------------------------------------------------------------------------------------- */
LS_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
LS_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
LS_DEVICE int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
LS_DEVICE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
LS_DEVICE int __ffs(int x) { return x ? 32 - __clz(x & -x) : 0; }
LS_DEVICE int __ffsll(long long x) { return x ? 64 - __clzll(x & -x) : 0; }
LS_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
LS_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
LS_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s) { return __nvvm_prmt(x, y, s); }
LS_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) { return __nvvm_fns(mask, base, offset); }
LS_DEVICE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}
LS_DEVICE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}
LS_DEVICE unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}
LS_DEVICE unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned int r;
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));
    return r;
}

/* --- Integer arithmetic -------------------------------------------------------------------------------- */
LS_DEVICE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
LS_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
LS_DEVICE int mul24(int a, int b) { return __mul24(a, b); }
LS_DEVICE unsigned int umul24(unsigned int a, unsigned int b) { return __umul24(a, b); }
LS_DEVICE int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
LS_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a * b) >> 32); }
LS_DEVICE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
LS_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
LS_DEVICE int mulhi(int a, int b) { return __mulhi(a, b); }
LS_DEVICE unsigned int umulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
LS_DEVICE unsigned int __sad(int a, int b, unsigned int c) { return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c; }
LS_DEVICE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return (a > b ? a - b : b - a) + c; }
LS_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
LS_DEVICE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
LS_DEVICE unsigned int __uhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a + b) >> 1); }
LS_DEVICE unsigned int __urhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a + b + 1) >> 1); }
LS_DEVICE int __dp4a(int a, int b, int c) {
    int r;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
LS_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int r;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
LS_DEVICE int __dp4a(char4 a, char4 b, int c) { return __dp4a(*(int *)&a, *(int *)&b, c); }
LS_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) { return __dp4a(*(unsigned int *)&a, *(unsigned int *)&b, c); }
LS_DEVICE int __dp2a_lo(int a, int b, int c) {
    int r;
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
LS_DEVICE int __dp2a_hi(int a, int b, int c) {
    int r;
    asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
#define LS_SIMD(NAME, OP)                                                                                    \
    LS_DEVICE unsigned int NAME(unsigned int a, unsigned int b) {                                            \
        unsigned int r;                                                                                      \
        asm(OP " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0));                                       \
        return r;                                                                                            \
    }
LS_SIMD(__vabsdiffu4, "vabsdiff4.u32.u32.u32")
LS_SIMD(__vsadu4, "vabsdiff4.u32.u32.u32.add")
LS_SIMD(__vsads4, "vabsdiff4.s32.s32.s32.add")
LS_SIMD(__vadd4, "vadd4.u32.u32.u32")
LS_SIMD(__vsub4, "vsub4.u32.u32.u32")
LS_SIMD(__vmaxu4, "vmax4.u32.u32.u32")
LS_SIMD(__vminu4, "vmin4.u32.u32.u32")
LS_SIMD(__vmaxs4, "vmax4.s32.s32.s32")
LS_SIMD(__vmins4, "vmin4.s32.s32.s32")
LS_SIMD(__vadd2, "vadd2.u32.u32.u32")
LS_SIMD(__vsub2, "vsub2.u32.u32.u32")
LS_SIMD(__vavgu4, "vavrg4.u32.u32.u32")
#undef LS_SIMD

/* --- Conversions and bit casts ------------------------------------------------------------------------- */
LS_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
LS_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
LS_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
LS_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
LS_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
LS_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
LS_DEVICE int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
LS_DEVICE int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
LS_DEVICE double __hiloint2double(int hi, int lo) {
    return __builtin_bit_cast(double, ((unsigned long long)(unsigned int)hi << 32) | (unsigned int)lo);
}
#define LS_CONVERT(NAME, TO, FROM, BUILTIN)                                                                  \
    LS_DEVICE TO NAME##_rn(FROM x) { return BUILTIN##_rn(x); }                                               \
    LS_DEVICE TO NAME##_rz(FROM x) { return BUILTIN##_rz(x); }                                               \
    LS_DEVICE TO NAME##_ru(FROM x) { return BUILTIN##_rp(x); }                                               \
    LS_DEVICE TO NAME##_rd(FROM x) { return BUILTIN##_rm(x); }
LS_CONVERT(__float2int, int, float, __nvvm_f2i)
LS_CONVERT(__float2uint, unsigned int, float, __nvvm_f2ui)
LS_CONVERT(__float2ll, long long, float, __nvvm_f2ll)
LS_CONVERT(__float2ull, unsigned long long, float, __nvvm_f2ull)
LS_CONVERT(__double2int, int, double, __nvvm_d2i)
LS_CONVERT(__double2uint, unsigned int, double, __nvvm_d2ui)
LS_CONVERT(__double2ll, long long, double, __nvvm_d2ll)
LS_CONVERT(__double2ull, unsigned long long, double, __nvvm_d2ull)
LS_CONVERT(__double2float, float, double, __nvvm_d2f)
LS_CONVERT(__int2float, float, int, __nvvm_i2f)
LS_CONVERT(__uint2float, float, unsigned int, __nvvm_ui2f)
LS_CONVERT(__ll2float, float, long long, __nvvm_ll2f)
LS_CONVERT(__ull2float, float, unsigned long long, __nvvm_ull2f)
LS_CONVERT(__ll2double, double, long long, __nvvm_ll2d)
LS_CONVERT(__ull2double, double, unsigned long long, __nvvm_ull2d)
#undef LS_CONVERT
LS_DEVICE double __int2double_rn(int x) { return x; }
LS_DEVICE double __uint2double_rn(unsigned int x) { return x; }
LS_DEVICE float __half2float_bits(unsigned short h) {
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h));
    return r;
}

/* --- Loads and stores with a cache operator ------------------------------------------------------------ */
/* __ldg is ld.global.nc; the others are printed with their operator, word by word for the vector types. */
#define LS_LDG(T, BUILTIN) LS_DEVICE T __ldg(const T *p) { return BUILTIN(p); }
LS_LDG(char, __nvvm_ldg_c)
LS_LDG(short, __nvvm_ldg_s)
LS_LDG(int, __nvvm_ldg_i)
LS_LDG(long, __nvvm_ldg_l)
LS_LDG(long long, __nvvm_ldg_ll)
LS_LDG(unsigned char, __nvvm_ldg_uc)
LS_LDG(unsigned short, __nvvm_ldg_us)
LS_LDG(unsigned int, __nvvm_ldg_ui)
LS_LDG(unsigned long, __nvvm_ldg_ul)
LS_LDG(unsigned long long, __nvvm_ldg_ull)
LS_LDG(float, __nvvm_ldg_f)
LS_LDG(double, __nvvm_ldg_d)
#undef LS_LDG
LS_DEVICE signed char __ldg(const signed char *p) { return (signed char)__nvvm_ldg_c((const char *)p); }
#define LS_LDG_VECTOR(T, N, E, BUILTIN)                                                                      \
    LS_DEVICE T##N __ldg(const T##N *p) {                                                                    \
        typedef E vector __attribute__((ext_vector_type(N)));                                                \
        vector v = BUILTIN((const vector *)p);                                                               \
        return __builtin_bit_cast(T##N, v);                                                                  \
    }
LS_LDG_VECTOR(char, 2, char, __nvvm_ldg_c2)
LS_LDG_VECTOR(char, 4, char, __nvvm_ldg_c4)
LS_LDG_VECTOR(uchar, 2, unsigned char, __nvvm_ldg_uc2)
LS_LDG_VECTOR(uchar, 4, unsigned char, __nvvm_ldg_uc4)
LS_LDG_VECTOR(short, 2, short, __nvvm_ldg_s2)
LS_LDG_VECTOR(short, 4, short, __nvvm_ldg_s4)
LS_LDG_VECTOR(ushort, 2, unsigned short, __nvvm_ldg_us2)
LS_LDG_VECTOR(ushort, 4, unsigned short, __nvvm_ldg_us4)
LS_LDG_VECTOR(int, 2, int, __nvvm_ldg_i2)
LS_LDG_VECTOR(int, 4, int, __nvvm_ldg_i4)
LS_LDG_VECTOR(uint, 2, unsigned int, __nvvm_ldg_ui2)
LS_LDG_VECTOR(uint, 4, unsigned int, __nvvm_ldg_ui4)
LS_LDG_VECTOR(longlong, 2, long long, __nvvm_ldg_ll2)
LS_LDG_VECTOR(ulonglong, 2, unsigned long long, __nvvm_ldg_ull2)
LS_LDG_VECTOR(float, 2, float, __nvvm_ldg_f2)
LS_LDG_VECTOR(float, 4, float, __nvvm_ldg_f4)
LS_LDG_VECTOR(double, 2, double, __nvvm_ldg_d2)
#undef LS_LDG_VECTOR

#define LS_CACHED_LOAD(NAME, OP, T, PTX, R, C)                                                               \
    LS_DEVICE T NAME(const T *p) {                                                                           \
        R r;                                                                                                 \
        asm volatile("ld.global." OP "." PTX " %0, [%1];" : "=" C(r) : "l"(p) : "memory");                   \
        return (T)r;                                                                                         \
    }
#define LS_CACHED_STORE(NAME, OP, T, PTX, R, C)                                                              \
    LS_DEVICE void NAME(T *p, T v) { asm volatile("st.global." OP "." PTX " [%0], %1;" ::"l"(p), C((R)v) : "memory"); }
#define LS_CACHED_ALL(MAKE, NAME, OP)                                                                        \
    MAKE(NAME, OP, char, "s8", short, "h")                                                                   \
    MAKE(NAME, OP, signed char, "s8", short, "h")                                                            \
    MAKE(NAME, OP, unsigned char, "u8", unsigned short, "h")                                                 \
    MAKE(NAME, OP, short, "s16", short, "h")                                                                 \
    MAKE(NAME, OP, unsigned short, "u16", unsigned short, "h")                                               \
    MAKE(NAME, OP, int, "s32", int, "r")                                                                     \
    MAKE(NAME, OP, unsigned int, "u32", unsigned int, "r")                                                   \
    MAKE(NAME, OP, long, "s64", long, "l")                                                                   \
    MAKE(NAME, OP, unsigned long, "u64", unsigned long, "l")                                                 \
    MAKE(NAME, OP, long long, "s64", long long, "l")                                                         \
    MAKE(NAME, OP, unsigned long long, "u64", unsigned long long, "l")                                       \
    MAKE(NAME, OP, float, "f32", float, "f")                                                                 \
    MAKE(NAME, OP, double, "f64", double, "d")
LS_CACHED_ALL(LS_CACHED_LOAD, __ldcg, "cg")
LS_CACHED_ALL(LS_CACHED_LOAD, __ldca, "ca")
LS_CACHED_ALL(LS_CACHED_LOAD, __ldcs, "cs")
LS_CACHED_ALL(LS_CACHED_LOAD, __ldlu, "lu")
LS_CACHED_ALL(LS_CACHED_LOAD, __ldcv, "cv")
LS_CACHED_ALL(LS_CACHED_STORE, __stcg, "cg")
LS_CACHED_ALL(LS_CACHED_STORE, __stcs, "cs")
LS_CACHED_ALL(LS_CACHED_STORE, __stwb, "wb")
LS_CACHED_ALL(LS_CACHED_STORE, __stwt, "wt")
#undef LS_CACHED_LOAD
#undef LS_CACHED_STORE
#undef LS_CACHED_ALL
#define LS_CACHED_VECTOR_2(T, E)                                                                             \
    LS_DEVICE T __ldcg(const T *p) { T v; v.x = __ldcg((const E *)p); v.y = __ldcg((const E *)p + 1); return v; }  \
    LS_DEVICE T __ldcs(const T *p) { T v; v.x = __ldcs((const E *)p); v.y = __ldcs((const E *)p + 1); return v; }  \
    LS_DEVICE void __stcg(T *p, T v) { __stcg((E *)p, v.x); __stcg((E *)p + 1, v.y); }                       \
    LS_DEVICE void __stcs(T *p, T v) { __stcs((E *)p, v.x); __stcs((E *)p + 1, v.y); }
#define LS_CACHED_VECTOR_4(T, E)                                                                             \
    LS_DEVICE T __ldcg(const T *p) {                                                                         \
        const E *e = (const E *)p;                                                                           \
        T v; v.x = __ldcg(e); v.y = __ldcg(e + 1); v.z = __ldcg(e + 2); v.w = __ldcg(e + 3); return v;       \
    }                                                                                                        \
    LS_DEVICE T __ldcs(const T *p) {                                                                         \
        const E *e = (const E *)p;                                                                           \
        T v; v.x = __ldcs(e); v.y = __ldcs(e + 1); v.z = __ldcs(e + 2); v.w = __ldcs(e + 3); return v;       \
    }                                                                                                        \
    LS_DEVICE void __stcg(T *p, T v) {                                                                       \
        E *e = (E *)p; __stcg(e, v.x); __stcg(e + 1, v.y); __stcg(e + 2, v.z); __stcg(e + 3, v.w);           \
    }                                                                                                        \
    LS_DEVICE void __stcs(T *p, T v) {                                                                       \
        E *e = (E *)p; __stcs(e, v.x); __stcs(e + 1, v.y); __stcs(e + 2, v.z); __stcs(e + 3, v.w);           \
    }
LS_CACHED_VECTOR_2(float2, float)
LS_CACHED_VECTOR_2(int2, int)
LS_CACHED_VECTOR_2(uint2, unsigned int)
LS_CACHED_VECTOR_2(double2, double)
LS_CACHED_VECTOR_4(float4, float)
LS_CACHED_VECTOR_4(int4, int)
LS_CACHED_VECTOR_4(uint4, unsigned int)
#undef LS_CACHED_VECTOR_2
#undef LS_CACHED_VECTOR_4

/* --- Address spaces ------------------------------------------------------------------------------------ */
LS_DEVICE unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
LS_DEVICE unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
LS_DEVICE unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
LS_DEVICE unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
LS_DEVICE size_t __cvta_generic_to_shared(const void *p) {
    return (size_t)(__attribute__((address_space(3))) const void *)p;
}
LS_DEVICE size_t __cvta_generic_to_global(const void *p) {
    return (size_t)(__attribute__((address_space(1))) const void *)p;
}
LS_DEVICE void *__cvta_shared_to_generic(size_t p) {
    return (void *)(__attribute__((address_space(3))) void *)p;
}
LS_DEVICE void *__cvta_global_to_generic(size_t p) {
    return (void *)(__attribute__((address_space(1))) void *)p;
}

/* --- Asynchronous copies (sm_80) ------------------------------------------------------------------------ */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
LS_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t = 0) {
    unsigned int s = (unsigned int)__cvta_generic_to_shared(to);
    size_t g = __cvta_generic_to_global(from);
    if (size == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(g) : "memory");
    else if (size == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(s), "l"(g) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(s), "l"(g) : "memory");
}
LS_DEVICE void __pipeline_commit(void) { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <class T> LS_DEVICE void ls_wait_groups(T n) {
    switch (n) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    case 7: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_all;" ::: "memory"); break;
    }
}
LS_DEVICE void __pipeline_wait_prior(size_t n) { ls_wait_groups(n); }
#else
LS_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t = 0) { __builtin_memcpy(to, from, size); }
LS_DEVICE void __pipeline_commit(void) {}
LS_DEVICE void __pipeline_wait_prior(size_t) {}
#endif

/* For the copies of cooperative groups and libcu++. What one thread copies: with cp.async where sizes allow it. */
template <size_t alignment> LS_DEVICE void ls_copy(char *to, const char *from, size_t size) {
    if constexpr (alignment >= 4) {
        constexpr size_t part = alignment >= 16 ? 16 : alignment >= 8 ? 8 : 4;
        if (size % part == 0) {
            for (size_t i = 0; i < size; i += part) __pipeline_memcpy_async(to + i, from + i, part);
            return;
        }
    }
    __builtin_memcpy(to, from, size);
}
/* By all threads of a group, each a part of it. */
template <size_t alignment, class G> LS_DEVICE void ls_copy_by(const G &g, char *to, const char *from, size_t size) {
    constexpr size_t part = alignment >= 16 ? 16 : alignment >= 8 ? 8 : alignment >= 4 ? 4 : 1;
    size_t whole = size / part * part;
    for (size_t i = (size_t)g.thread_rank() * part; i < whole; i += (size_t)g.size() * part) ls_copy<part>(to + i, from + i, part);
    if (g.thread_rank() == 0)
        for (size_t i = whole; i < size; i++) to[i] = from[i];
}
/* What the type and the size (cuda::aligned_size_t) say of the alignment. */
template <class Size, class = void> struct ls_alignment { static constexpr size_t value = 1; };
template <class Size> struct ls_alignment<Size, decltype((void)Size::align)> { static constexpr size_t value = Size::align; };
template <class T, class Size> struct ls_alignment_of { static constexpr size_t value = ls_alignment<Size>::value > alignof(T) ? ls_alignment<Size>::value : alignof(T); };

#endif
